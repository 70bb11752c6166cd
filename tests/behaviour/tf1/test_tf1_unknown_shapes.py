"""TF 1 programs whose placeholders say little of their shapes: losses, dropout and gradients."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import emplace.tensorflow.compat.v1 as tf1
from emplace.v1.contrib import layers as contrib_layers, seq2seq


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    tf1.disable_v2_behavior()
    with tf1.Graph().as_default() as graph:
        yield graph


def test_a_cross_entropy_of_logits_of_any_shape_is_trained():
    x, y = tf1.placeholder(tf1.float32), tf1.placeholder(tf1.float32)
    w = tf1.Variable(tf1.ones([2, 3]))
    logits = tf1.matmul(x, w)
    loss = tf1.reduce_mean(tf1.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits))
    (slope,) = tf1.gradients(loss, [w])
    feeds = {x: [[1.0, 0.0], [0.0, 2.0]], y: [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]}
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        assert session.run(loss, feeds) == pytest.approx(np.log(3.0))
        assert np.allclose(
            session.run(slope, feeds), [[-1 / 3, 1 / 6, 1 / 6], [1 / 3, 1 / 3, -2 / 3]]
        )


@pytest.mark.parametrize("dims", [[3, None, 4], [None, None, 4], [3, 2, 4]])
def test_a_network_over_time_takes_lengths_whose_number_is_not_known(dims):
    cell = tf1.nn.rnn_cell.BasicRNNCell(2)
    x, lengths = tf1.placeholder(tf1.float32, dims), tf1.placeholder(tf1.int32, [None])
    outputs, state = tf1.nn.dynamic_rnn(cell, x, sequence_length=lengths, dtype=tf1.float32)
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        for each in tf1.trainable_variables():
            each.load(np.full(each.shape.as_list(), 0.1, np.float32), session)
        feeds = {x: np.ones((3, 2, 4)), lengths: [2, 1, 0]}
        made, last = session.run([outputs, state], feeds)
    first, second = np.tanh(0.5), np.tanh(0.5 + 0.2 * np.tanh(0.5))
    wanted = [[[first] * 2, [second] * 2], [[first] * 2, [0.0] * 2], [[0.0] * 2] * 2]
    np.testing.assert_allclose(made, wanted, rtol=1e-5)
    np.testing.assert_allclose(last, [[second] * 2, [first] * 2, [0.0] * 2], rtol=1e-5)


@pytest.mark.parametrize("dims", [[None, None, 3], None])
def test_cross_entropies_have_the_shape_of_the_rows(dims):
    logits = tf1.placeholder(tf1.float32, dims)
    loss = tf1.nn.softmax_cross_entropy_with_logits(labels=tf1.ones_like(logits), logits=logits)
    with tf1.Session() as session:
        assert session.run(loss, {logits: np.ones((2, 4, 3))}).shape == (2, 4)
        assert session.run(loss, {logits: np.ones((1, 5, 3))}).shape == (1, 5)


def test_sparse_cross_entropies_of_sequences_of_any_length():
    logits = tf1.placeholder(tf1.float32, [None, None, 3])
    labels = tf1.placeholder(tf1.int64, [None, None])
    loss = tf1.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    feeds = {logits: np.zeros((2, 4, 3)), labels: np.zeros((2, 4))}
    with tf1.Session() as session:
        assert np.allclose(session.run(loss, feeds), np.full((2, 4), np.log(3.0)))


def test_a_dropout_wrapper_takes_sequences_of_any_length():
    x = tf1.placeholder(tf1.float32, [None, None, 4])
    cell = tf1.nn.rnn_cell.DropoutWrapper(tf1.nn.rnn_cell.BasicRNNCell(3), output_keep_prob=0.5)
    outputs, _ = tf1.nn.dynamic_rnn(cell, x, dtype=tf1.float32)
    slopes = tf1.gradients(outputs, tf1.trainable_variables())
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        found, *others = session.run([outputs, *slopes], {x: np.ones((2, 5, 4))})
        assert found.shape == (2, 5, 3)
        assert 0 < (found == 0).sum() < found.size
        assert [each.shape for each in others] == [(7, 3), (3,)]


def test_dropout_repeats_decisions_along_axes_of_size_one():
    x = tf1.placeholder(tf1.float32, [None, 6])
    dropped = tf1.nn.dropout(x, 0.5, noise_shape=[None, 1])
    with tf1.Session() as session:
        found = session.run(dropped, {x: np.ones((40, 6))})
    assert {tuple(row) for row in found.tolist()} == {(0.0,) * 6, (2.0,) * 6}


def test_what_is_reshaped_and_back_has_a_gradient():
    x = tf1.placeholder(tf1.float32, [None, 5, 2])
    w = tf1.Variable(tf1.ones([2, 1]))
    rows = tf1.matmul(tf1.reshape(x, [-1, 2]), w)
    (slope,) = tf1.gradients(tf1.reshape(rows, [-1, 5, 1]) ** 2, [w])
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        assert session.run(slope, {x: np.ones((3, 5, 2))}).tolist() == [[60.0], [60.0]]


def test_layers_follow_a_normalization_whose_flag_has_no_shape():
    x, flag = tf1.placeholder(tf1.float32, [None, 3]), tf1.placeholder(tf1.bool, None)
    net = tf1.layers.batch_normalization(x, training=flag)
    assert net.shape.as_list() == [None, 3]
    net = tf1.layers.dense(net, 2)
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        assert session.run(net, {x: np.ones((4, 3)), flag: True}).tolist() == [[0.0] * 2] * 4


def test_the_rate_of_a_dropout_may_be_fed_without_a_shape():
    x, keep = tf1.placeholder(tf1.float32, [None, 50]), tf1.placeholder(tf1.float32)
    w = tf1.Variable(tf1.ones([50, 1]))
    dropped = tf1.nn.dropout(x, keep)
    assert dropped.shape.as_list() == [None, 50]
    (slope,) = tf1.gradients(tf1.matmul(dropped, w), [w])
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        found = session.run([dropped, slope], {x: np.ones((2, 50)), keep: 0.5})
        assert set(found[0].reshape(-1).tolist()) == {0.0, 2.0}
        assert found[1].reshape(-1).tolist() == found[0].sum(0).tolist()
        assert session.run(slope, {x: np.ones((2, 50)), keep: 1.0}).tolist() == [[2.0]] * 50


def test_numbers_are_drawn_for_tensors_of_any_rank():
    x = tf1.placeholder(tf1.float32)
    noise = tf1.random_uniform(tf1.shape(x), seed=1)
    with tf1.Session() as session:
        for dims in [(2, 3), (4,), (1, 2, 2), (2, 3)]:
            found = session.run([noise, tf1.nn.dropout(x, 0.5)], {x: np.ones(dims)})
            assert [each.shape for each in found] == [dims, dims]


@pytest.mark.parametrize(
    ("steps", "batch", "dims"),
    [(True, True, ()), (True, False, (2,)), (False, True, (4,)), (False, False, (2, 4))],
)
def test_the_loss_of_sequences_is_averaged_as_asked(steps, batch, dims):
    logits = tf1.placeholder(tf1.float32, [None, None, 3])
    weights = tf1.constant([[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 0.5]])
    loss = seq2seq.sequence_loss(logits, tf1.zeros([2, 4], tf1.int32), weights, steps, batch)
    with tf1.Session() as session:
        found = session.run(loss, {logits: np.zeros((2, 4, 3))})
    assert np.shape(found) == dims
    wanted = np.full(dims, np.log(3.0))
    if not steps and not batch:
        wanted[1, 3] /= 2
    assert np.allclose(found, wanted)
    with pytest.raises(ValueError, match="Targets must be a"):
        seq2seq.sequence_loss(logits, tf1.zeros([2], tf1.int32), weights)


@pytest.mark.gpus(2)
def test_shapes_may_be_asked_for_on_a_gpu():
    x = tf1.placeholder(tf1.float32, [None, 3])
    with tf1.device("/gpu:1"):
        found = [tf1.shape(x), tf1.size(x), tf1.rank(x), tf1.nn.dropout(x * 1.0, 0.5)]
    with tf1.Session() as session:
        shape, size, rank, dropped = session.run(found, {x: np.ones((2, 3))})
    assert (shape.tolist(), size, rank, dropped.shape) == ([2, 3], 6, 2, (2, 3))


@pytest.mark.parametrize(
    "many",
    [
        lambda x: tf1.map_fn(lambda row: row + 1.0, x),
        lambda x: tf1.scan(lambda a, row: a + row, x),
        lambda x: tf1.foldl(lambda a, row: a + row, x),
        lambda x: tf1.foldr(lambda a, row: a + row, x),
        lambda x: tf1.vectorized_map(lambda row: row * 2.0, x),
    ],
    ids=["map_fn", "scan", "foldl", "foldr", "vectorized_map"],
)
def test_a_function_of_rows_takes_as_many_as_there_are(many):
    x = tf1.placeholder(tf1.float32, [None, 2])
    result, gradient = many(x), tf1.gradients(many(x), [x])[0]
    with tf1.Session() as session:
        for count in (1, 3):
            rows = np.arange(2.0 * count).reshape(count, 2)
            assert session.run(result, {x: rows}).shape[-1] == 2
            assert session.run(gradient, {x: rows}).shape == (count, 2)


def test_variables_that_rows_share_are_made_once_and_trained():
    x = tf1.placeholder(tf1.float32, [None, None, 2])
    made = tf1.map_fn(lambda rows: contrib_layers.linear(rows, 1), x)
    step = tf1.train.GradientDescentOptimizer(0.1).minimize(tf1.reduce_mean(tf1.square(made - 1.0)))
    assert [v.name for v in tf1.trainable_variables()] == [
        "fully_connected/weights:0", "fully_connected/biases:0",
    ]  # fmt: skip
    feeds = {x: np.ones((3, 4, 2))}
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        for _ in range(20):
            session.run(step, feeds)
        assert np.allclose(session.run(made, feeds), 1.0, atol=1e-2)


def test_unknown_sizes_are_dimensions_for_the_program_alone():
    shape = tf1.placeholder(tf1.float32, [None, 2]).shape
    assert isinstance(shape[0], tf1.Dimension)
    assert [each.value for each in shape] == [None, 2]
    assert repr(shape[0]) == "Dimension(None)"
    assert shape[:1].as_list() == [None]


@pytest.mark.parametrize("dims", [[None, 3], [None, None]])
def test_rows_are_masked_however_many_there_are(dims):
    x = tf1.placeholder(tf1.float32, dims)
    rows = tf1.boolean_mask(x, x[:, 0] > 0.0)
    elements = tf1.boolean_mask(x, x > 1.0)
    with tf1.Session() as session:
        found = session.run([rows, elements], {x: np.arange(6.0).reshape(2, 3)})
    assert [each.tolist() for each in found] == [[[3.0, 4.0, 5.0]], [2.0, 3.0, 4.0, 5.0]]


def test_a_mask_of_unknown_rank_is_refused():
    with pytest.raises(ValueError, match="Number of mask dimensions must be specified"):
        tf1.boolean_mask(tf1.placeholder(tf1.float32, [2]), tf1.placeholder(tf1.bool))


def test_images_of_a_batch_are_flipped_however_many_there_are():
    x = tf1.placeholder(tf1.float32, [None, 1, 2, 1])
    flipped = tf1.image.random_flip_left_right(x)
    assert flipped.shape.as_list() == [None, 1, 2, 1]
    with tf1.Session() as session:
        images = session.run(flipped, {x: np.tile([[[1.0], [2.0]]], (40, 1, 1, 1))})
    assert {tuple(image.ravel()) for image in images} == {(1.0, 2.0), (2.0, 1.0)}


def test_a_grid_of_vectors_of_any_length_is_made():
    x = tf1.placeholder(tf1.float32, [None])
    with tf1.Session() as session:
        a, b = session.run(tf1.meshgrid(x, [5.0, 6.0]), {x: [1.0, 2.0, 3.0]})
    assert a.tolist() == [[1.0, 2.0, 3.0]] * 2
    assert b.tolist() == [[5.0] * 3, [6.0] * 3]


def test_classes_of_any_number_of_rows_are_counted():
    labels, guesses = tf1.placeholder(tf1.int32, [None]), tf1.placeholder(tf1.int32, [None])
    matrix = tf1.confusion_matrix(labels, guesses, 3)
    assert matrix.shape.as_list() == [3, 3]
    with tf1.Session() as session:
        found = session.run(matrix, {labels: [0, 1, 1, 2], guesses: [0, 1, 2, 2]})
        assert found.tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 1]]
        for wrong in ([5, 0], [-1, 0]):
            with pytest.raises(tf1.errors.InvalidArgumentError, match=r"out of range \[0, 9\)"):
                session.run(matrix, {labels: wrong, guesses: [0, 1]})


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda x, i: tf1.one_hot(i, 3), [[0, 1, 0], [0, 0, 1]]),
        (lambda x, i: tf1.gather(x, [1]), [[3, 4, 5]]),
        (lambda x, i: tf1.cumsum(x), [[0, 1, 2], [3, 5, 7]]),
        (lambda x, i: tf1.sort(x, direction="DESCENDING"), [[2, 1, 0], [5, 4, 3]]),
        (lambda x, i: tf1.argsort(x, axis=0), [[0, 0, 0], [1, 1, 1]]),
        (lambda x, i: tf1.repeat(x, 2, 0), [[0, 1, 2]] * 2 + [[3, 4, 5]] * 2),
        (lambda x, i: tf1.round(tf1.losses.sparse_softmax_cross_entropy(i, x) * 1e4), 9076),
    ],
    ids=["one_hot", "gather", "cumsum", "sort", "argsort", "repeat", "losses"],
)
def test_a_placeholder_without_a_shape_does(call, expected):
    x, i = tf1.placeholder(tf1.float32), tf1.placeholder(tf1.int32)
    result = call(x, i)
    with tf1.Session() as session:
        found = session.run(result, {x: np.arange(6.0).reshape(2, 3), i: [1, 2]})
    assert np.asarray(found).tolist() == expected


@pytest.mark.parametrize("weight", [2.0, [[1.0], [0.0], [2.0]]])
def test_pairs_of_elements_of_unknown_rank_have_the_loss_of_known_ones(weight):
    right, told = np.cos(np.arange(12.0)).reshape(3, 4), np.sin(np.arange(12.0)).reshape(3, 4)
    losses = []
    for dims in ([3, 4], [None, None], None):
        labels, predictions = (tf1.placeholder(tf1.float32, dims) for _ in range(2))
        loss = tf1.losses.mean_pairwise_squared_error(labels, predictions, weight)
        (slope,) = tf1.gradients(loss, [predictions])
        with tf1.Session() as session:
            losses.append(session.run([loss, slope], {labels: right, predictions: told}))
    for loss, slope in losses[1:]:
        assert loss == pytest.approx(losses[0][0])
        assert slope == pytest.approx(losses[0][1])


@pytest.mark.parametrize(
    ("dims", "of_logits"), [(None, None), (None, [3, 2]), ([None, None], [3, 2]), ([3, 1], [3, 2])]
)
def test_classes_of_unknown_rank_are_one_for_each_row(dims, of_logits):
    labels = tf1.placeholder(tf1.int32, dims)
    logits = tf1.placeholder(tf1.float32, of_logits)
    loss = tf1.losses.sparse_softmax_cross_entropy(
        labels, logits, [1.0, 0.0, 2.0], reduction=tf1.losses.Reduction.NONE
    )
    (slope,) = tf1.gradients(loss, [logits])
    with tf1.Session() as session:
        feeds = {labels: [[1], [0], [0]], logits: np.zeros((3, 2))}
        rows, slopes = session.run([loss, slope], feeds)
        assert rows == pytest.approx(np.log(2.0) * np.array([1.0, 0.0, 2.0]))
        assert slopes.tolist() == [[0.5, -0.5], [0.0, 0.0], [-1.0, 1.0]]
        if dims is None:
            feeds = {labels: [1, 0, 0], logits: np.zeros((3, 2))}
            assert session.run(loss, feeds) == pytest.approx(rows)
