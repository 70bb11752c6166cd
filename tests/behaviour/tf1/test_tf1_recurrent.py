"""Recurrent networks over time refuse what TensorFlow refuses, and compute what it computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


class Counting:
    """A cell that adds up its inputs, and counts its steps in a scalar."""

    output_size: Any = 1
    state_size: Any = (1, [])

    def zero_state(self, batch: Any, dtype: Any) -> Any:
        return tf.zeros([batch, 1], dtype), tf.zeros([], dtype)

    def __call__(self, x: Any, state: Any) -> Any:
        total = state[0] + tf.reduce_sum(x, -1, keepdims=True)
        return total, (total, state[1] + 1)


class Pair(Counting):
    """The same with two outputs of different sizes."""

    output_size = (1, tf.TensorShape([2, 1]))

    def __call__(self, x: Any, state: Any) -> Any:
        total, new = super().__call__(x, state)
        return (total, tf.stack([total, total], 1)), new


ONES = np.ones([2, 3, 4], np.float32)
STEPS = [tf.ones([2, 4])] * 3


@pytest.mark.parametrize("is_traced", [False, True])
@pytest.mark.parametrize("lengths", [2, [[2, 1]], [[2], [1]], True])
def test_lengths_must_be_a_vector(lengths: Any, is_traced: bool) -> None:
    calls = [
        (lambda: v1.nn.static_rnn(Counting(), STEPS, None, tf.float32, lengths),
         "Argument `sequence_length` must be a vector of length 2. Received sequence_length="),
        (lambda: v1.nn.dynamic_rnn(Counting(), ONES, lengths, None, tf.float32),
         "Argument sequence_length must be a vector of length batch_size. Received "),
    ]  # fmt: skip
    for call, text in calls:
        with pytest.raises(ValueError, match=text):
            (tf.function(call) if is_traced else call)()


def test_lengths_must_be_as_many_as_sequences() -> None:
    def static(lengths: Any) -> Any:
        return v1.nn.static_rnn(Counting(), STEPS, None, tf.float32, lengths)

    def dynamic(lengths: Any) -> Any:
        return v1.nn.dynamic_rnn(Counting(), ONES, lengths, None, tf.float32)

    for call in (static, dynamic):
        for few in ([2], [2, 1, 1]):
            with pytest.raises(tf.errors.InvalidArgumentError, match="Number of batches of 'then'"):
                call(few)
            with pytest.raises(ValueError, match=f"must be equal, but are {len(few)} and 2"):
                tf.function(call)(few)
    late = tf.function(dynamic, input_signature=[tf.TensorSpec([None], tf.int32)])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected shape for Tensor"):
        late(tf.constant([2]))
    assert late(tf.constant([2, 1]))[0].numpy()[..., 0].tolist() == [[4, 8, 0], [4, 0, 0]]


def test_a_state_without_a_batch_stops_where_all_sequences_have_ended() -> None:
    """A function stops after the longest sequence; eager mode runs all steps of a tensor."""

    def static() -> Any:
        return v1.nn.static_rnn(Counting(), STEPS, None, tf.float32, [2, 1])[1][1]

    def dynamic() -> Any:
        return v1.nn.dynamic_rnn(Counting(), ONES, [2, 1], None, tf.float32)[1][1]

    made = [static(), tf.function(static)(), dynamic(), tf.function(dynamic)()]
    assert [float(each) for each in made] == [2, 2, 3, 2]


@pytest.mark.parametrize("is_traced", [False, True])
@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        (tf.ones([2, 3]), r"Shape \(3, 2\) must have rank at least 3"),
        (tf.ones([2]), "Input tensor should have rank >= 2. Received input="),
        ((tf.ones([2, 3, 4]), tf.ones([2, 2, 4])), "Time steps is not the same"),
        ((tf.ones([2, 3, 4]), tf.ones([1, 3, 4])), "Batch_size is not the same"),
    ],
)
def test_inputs_of_other_steps_or_sequences_are_refused(
    inputs: Any, text: str, is_traced: bool
) -> None:
    def run() -> Any:
        return v1.nn.dynamic_rnn(Counting(), inputs, dtype=tf.float32)

    with pytest.raises(ValueError, match=text):
        (tf.function(run) if is_traced else run)()


def test_single_steps_of_other_sequences_are_refused() -> None:
    with pytest.raises(ValueError, match="are incompatible"):
        v1.nn.static_rnn(Counting(), [tf.ones([2, 4]), tf.ones([1, 4])], dtype=tf.float32)
    with pytest.raises(TypeError, match=r"Argument `inputs` must be a sequence\. Received: "):
        v1.nn.static_bidirectional_rnn(Counting(), Counting(), tf.ones([2, 3]), dtype=tf.float32)
    with pytest.raises(ValueError, match="argument `dtype` must be specified"):
        v1.nn.static_rnn(Counting(), STEPS)


def test_what_is_no_cell_is_told_why() -> None:
    class Half:
        state_size = 3

        def __call__(self, x: Any, state: Any) -> Any:
            return x, state

    text = "The argument 'cell_bw' .* is not an RNNCell: 'output_size' property is missing, either"
    with pytest.raises(TypeError, match=text):
        v1.nn.bidirectional_dynamic_rnn(Counting(), Half(), ONES, dtype=tf.float32)


def test_a_cell_may_have_several_outputs() -> None:
    unknown = tf.TensorSpec([None, None, 4])
    looped = tf.function(
        lambda x: v1.nn.dynamic_rnn(Pair(), x, [2, 1], None, tf.float32)[0],
        input_signature=[unknown],
    )
    flat, deep = looped(ONES)
    assert flat.numpy()[..., 0].tolist() == [[4, 8, 0], [4, 0, 0]]
    assert deep.shape == [2, 3, 2, 1]
    outputs, _, _ = v1.nn.static_bidirectional_rnn(
        Pair(), Pair(), STEPS, dtype=tf.float32, sequence_length=[3, 1]
    )
    assert [each[0].numpy().tolist() for each in outputs] == [
        [[4, 12], [4, 4]], [[8, 8], [0, 0]], [[12, 4], [0, 0]],
    ]  # fmt: skip


def test_no_steps_put_out_nothing() -> None:
    outputs, state = v1.nn.dynamic_rnn(Counting(), tf.ones([2, 0, 4]), dtype=tf.float32)
    assert outputs.shape == [2, 0, 1]
    assert state[0].numpy().tolist() == [[0], [0]]


def test_a_state_of_another_shape_is_refused_in_functions() -> None:
    @tf.function
    def run() -> Any:
        return v1.nn.dynamic_rnn(Counting(), ONES, None, (tf.ones([1, 1]), tf.zeros([])))

    with pytest.raises(ValueError, match=r"enters the loop with shape \(1, 1\), but has shape"):
        run()
