"""`tf.contrib.seq2seq`: sequences decoded step by step. TensorFlow 2 no longer has it, so that the
results are those its source of 1.15 says.
"""

import numpy as np
import pytest

import emplace.v1 as tf1

seq2seq = tf1.contrib.seq2seq


@pytest.fixture(autouse=True)
def graph():
    tf1.disable_v2_behavior()
    with tf1.Graph().as_default():
        yield


def run(*fetches):
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        return session.run(fetches[0] if len(fetches) == 1 else list(fetches))


class Next(tf1.contrib.rnn.RNNCell):
    """Gives the token after that of its input; its state counts the steps."""

    state_size = property(lambda self: 1)
    output_size = property(lambda self: 5)

    def call(self, inputs, state=None, **kwargs):
        return tf1.one_hot(tf1.argmax(inputs, 1) + 1, 5), state + 1.0


def greedy(kind=seq2seq.GreedyEmbeddingHelper, **options):
    helper = kind(tf1.eye(5), tf1.constant([0, 2]), 4, **options)
    return seq2seq.BasicDecoder(Next(), helper, tf1.zeros([2, 1]))


def trained(lengths=(2, 3), **options):
    steps = tf1.constant(np.arange(18).reshape(2, 3, 3) / 10, tf1.float32)
    cell = tf1.contrib.rnn.BasicRNNCell(4, name="cell")
    helper = seq2seq.TrainingHelper(steps, tf1.constant(lengths))
    decoder = seq2seq.BasicDecoder(cell, helper, tf1.zeros([2, 4]), tf1.layers.Dense(6))
    return (steps, cell, *seq2seq.dynamic_decode(decoder, **options))


def test_a_decoder_in_training_gets_the_given_steps():
    steps, cell, outputs, state, lengths = trained()
    expected, last = tf1.nn.static_rnn(cell, tf1.unstack(steps, axis=1), tf1.zeros([2, 4]))
    names = [each.name for each in tf1.trainable_variables()]
    assert names == [
        "decoder/cell/kernel:0", "decoder/cell/bias:0",
        "decoder/dense/kernel:0", "decoder/dense/bias:0",
    ]  # fmt: skip
    assert outputs.rnn_output.shape.as_list() == [2, None, 6]
    dense = tf1.trainable_variables()[2]
    by_hand = tf1.stack([tf1.matmul(each, dense) for each in expected], 1)
    got = run(outputs.rnn_output, by_hand, outputs.sample_id, lengths, state, last)
    np.testing.assert_allclose(got[0], got[1], atol=1e-6)
    np.testing.assert_array_equal(got[2], got[1].argmax(-1))
    assert got[2].dtype == np.int32
    assert got[3].tolist() == [2, 3]
    np.testing.assert_allclose(got[4], got[5], atol=1e-6)


def test_imputed_outputs_are_zero_and_states_stay_once_a_sequence_is_finished():
    steps, cell, outputs, state, _ = trained(impute_finished=True, output_time_major=True)
    _, last = tf1.nn.static_rnn(
        cell, tf1.unstack(steps, axis=1), tf1.zeros([2, 4]), sequence_length=[2, 3]
    )
    got = run(outputs.rnn_output, state, last)
    assert got[0].shape == (3, 2, 6)
    assert not got[0][2, 0].any()
    assert got[0][2, 1].any()
    np.testing.assert_allclose(got[1], got[2], atol=1e-6)


def test_gradients_flow_through_a_decoder():
    _, _, outputs, _, _ = trained()
    loss = tf1.reduce_sum(outputs.rnn_output)
    by_bias = tf1.gradients(loss, tf1.trainable_variables())[3]
    assert run(by_bias).tolist() == [6.0] * 6


@pytest.mark.parametrize(("lengths", "steps"), [((0, 2), 2), ((0, 0), 0)])
def test_sequences_without_steps(lengths, steps):
    _, _, outputs, _, counted = trained(lengths)
    got = run(outputs.sample_id, counted)
    assert got[0].shape == (2, steps)
    assert got[1].tolist() == list(lengths)


def test_greedy_decoding_ends_with_the_end_token():
    outputs, state, lengths = seq2seq.dynamic_decode(greedy(), impute_finished=True)
    got = run(outputs, state, lengths)
    assert got[0].sample_id.tolist() == [[1, 2, 3, 4], [3, 4, 0, 0]]
    assert got[1].tolist() == [[4.0], [2.0]]
    assert got[2].tolist() == [4, 2]


@pytest.mark.parametrize(("most", "expected"), [(2, [[1, 2], [3, 4]]), (0, [[], []])])
def test_a_limit_of_steps(most, expected):
    outputs, _, lengths = seq2seq.dynamic_decode(greedy(), maximum_iterations=most)
    got = run(outputs.sample_id, lengths)
    assert got[0].tolist() == expected
    assert got[1].tolist() == [most, most]


def test_tokens_are_drawn_by_logits_over_the_temperature():
    decoder = greedy(seq2seq.SampleEmbeddingHelper, softmax_temperature=0.001, seed=1)
    outputs, _, _ = seq2seq.dynamic_decode(decoder, impute_finished=True)
    assert run(outputs.sample_id).tolist() == [[1, 2, 3, 4], [3, 4, 0, 0]]


def test_a_helper_of_functions():
    helper = seq2seq.CustomHelper(
        lambda: (tf1.constant([False]), tf1.one_hot([0], 5)),
        lambda time, outputs, state: tf1.argmax(outputs, 1, output_type=tf1.int32) * 10,
        lambda time, outputs, state, sample_ids: (sample_ids >= 30, outputs, state),
    )
    with pytest.raises(ValueError, match="batch_size accessed before initialize was called"):
        _ = helper.batch_size
    decoder = seq2seq.BasicDecoder(Next(), helper, tf1.zeros([1, 1]))
    outputs, _, _ = seq2seq.dynamic_decode(decoder)
    assert run(outputs.sample_id).tolist() == [[10, 20, 30]]
    assert run(decoder.batch_size) == 1


class Halving(seq2seq.Decoder):
    """A decoder of a program's own."""

    batch_size, output_size, output_dtype = 1, tf1.TensorShape([]), tf1.float32

    def initialize(self, name=None):
        return tf1.constant([False]), tf1.constant([8.0]), ()

    def step(self, time, inputs, state, name=None):
        return inputs / 2, state, inputs / 2, inputs <= 2

    def finalize(self, outputs, final_state, sequence_lengths):
        return -outputs, final_state


def test_a_decoder_of_a_programs_own():
    outputs, state, _ = seq2seq.dynamic_decode(Halving())
    assert state == ()
    assert run(outputs).tolist() == [[-4.0, -2.0, -1.0]]


def test_what_is_refused():
    cell, helper = Next(), greedy()._helper
    with pytest.raises(TypeError, match="Expected decoder to be type Decoder, but saw"):
        seq2seq.dynamic_decode(cell)
    with pytest.raises(ValueError, match="maximum_iterations must be a scalar"):
        seq2seq.dynamic_decode(greedy(), maximum_iterations=[1])
    with pytest.raises(TypeError, match="is not an RNNCell"):
        seq2seq.BasicDecoder(helper, helper, None)
    with pytest.raises(TypeError, match="helper must be a Helper, received"):
        seq2seq.BasicDecoder(cell, cell, None)
    with pytest.raises(TypeError, match="output_layer must be a Layer, received"):
        seq2seq.BasicDecoder(cell, helper, None, 3)
    with pytest.raises(ValueError, match="start_tokens must be a vector"):
        seq2seq.GreedyEmbeddingHelper(tf1.eye(2), 0, 1)
    with pytest.raises(ValueError, match="end_token must be a scalar"):
        seq2seq.GreedyEmbeddingHelper(tf1.eye(2), [0], [1])
    with pytest.raises(ValueError, match="Expected sequence_length to be a vector"):
        seq2seq.TrainingHelper(tf1.zeros([1, 2, 3]), 2)
    with pytest.raises(TypeError, match="Expected outputs to be a single Tensor, got"):
        helper.sample(0, (1, 2), None)
