"""Gradients of functions whose sizes are known only when the graph runs are those of eager mode."""

import contextlib

import numpy as np
import pytest

import emplace.tensorflow as tf

X = np.random.RandomState(0).rand(2, 3, 3).astype("float32")
FUNCTIONS = {
    "segment_prod": (lambda x: tf.math.segment_prod(x, [0, 0]), X),
    "segment_prod with an empty segment": (lambda x: tf.math.segment_prod(x, [1, 3]), X),
    "unsorted_segment_prod": (lambda x: tf.math.unsorted_segment_prod(x, [2, 0], 3), X),
    "gather_nd of rows": (lambda x: tf.gather_nd(x, [[1], [1]]), X),
    "gather_nd": (lambda x: tf.gather_nd(x, [[1, 0], [1, 2]]), X),
    "adjust_hue": (lambda x: tf.image.adjust_hue(x, 0.3), X),
    "adjust_saturation": (lambda x: tf.image.adjust_saturation(x, 0.4), X),
    "transpose with an axis from the end": (lambda x: tf.transpose(x, [-1, 0, 1]), X),
    "convolution": (lambda x: tf.nn.convolution(x, tf.ones([2, 3, 1])), X),
    "softmax_cross_entropy_with_logits": (
        lambda x: tf.nn.softmax_cross_entropy_with_logits(x * 2.0, x, axis=1), X,
    ),
    "conv1d of further batches": (
        lambda x: tf.nn.conv1d(tf.stack([x, x * x]), tf.ones([2, 3, 1]), 1, "VALID"), X,
    ),
}  # fmt: skip


def slope(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        made = function(x)
        weights = tf.reshape(tf.range(tf.size(made)), tf.shape(made))
        weighted = made * tf.cast(weights, made.dtype)
    return tf.convert_to_tensor(tape.gradient(weighted, x))


WAYS = [
    (name, dims)
    for name in FUNCTIONS
    for dims in ((2, 3, 3), (None, None, None), None)
    if dims or "further batches" not in name  # without a rank, images are taken for four axes
]


@pytest.mark.parametrize(("name", "dims"), WAYS)
def test_a_gradient_is_that_of_eager_mode(name: str, dims):
    function, array = FUNCTIONS[name]
    x = tf.constant(array)
    expected = slope(function, x)
    assert np.any(expected)
    spec = [tf.TensorSpec(dims)]
    inside = tf.function(lambda x: slope(function, x), spec, autograph=False)
    np.testing.assert_allclose(inside(x), expected, rtol=1e-4, atol=1e-5)
    traced = tf.function(function, spec, autograph=False)
    np.testing.assert_allclose(slope(traced, x), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("places", [[[1], [1]], [[1, 0]], [[1, 0, 2]]])
def test_places_of_unknown_length_have_gradients_of_one_kind(places):
    def slope_of(x, places):
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = tf.gather_nd(x, places) ** 2
        return tf.convert_to_tensor(tape.gradient(made, x))

    spec = [tf.TensorSpec([None] * 3), tf.TensorSpec([None, None], tf.int32)]
    late = tf.function(slope_of, spec, autograph=False)
    given = tf.constant(X), tf.constant(places)
    np.testing.assert_allclose(late(*given), slope_of(*given), rtol=1e-5)


def test_batches_counted_from_the_end_of_an_unknown_rank_have_no_gradient():
    """As in TensorFlow, which says what to do."""

    def slope_of(x, places):
        return slope(lambda x: tf.gather(x, places, axis=2, batch_dims=-1), x)

    x, places = tf.constant(X), tf.constant([[0, 1, 2], [2, 1, 0]])
    for dims, text in (
        ([None, None], None),
        (None, "rank of the indices is unknown.*ensure_shape"),
    ):
        spec = [tf.TensorSpec(None), tf.TensorSpec(dims, tf.int32)]
        late = tf.function(slope_of, spec, autograph=False)
        if text is None:
            np.testing.assert_allclose(late(x, places), slope_of(x, places))
        else:
            with pytest.raises(ValueError, match=text):
                late(x, places)


@pytest.mark.parametrize("way", ["session", "function"])
def test_a_caller_that_knows_the_rank_does_not_make_a_gradient_of_it(way: str):
    """As in TensorFlow: what counts is what the function knew when it was traced."""
    spec = [tf.TensorSpec(None), tf.TensorSpec(None, tf.int32)]

    @tf.function(input_signature=spec, autograph=False)
    def gathered(x, places):
        return tf.gather(x, places, axis=2, batch_dims=-1)

    def slope_here(x):
        return tf.gradients(gathered(x, tf.constant([[0, 1, 2], [2, 1, 0]])), x)

    outer = slope_here if way == "session" else tf.function(slope_here, autograph=False)
    with (
        tf.Graph().as_default() if way == "session" else contextlib.nullcontext(),
        pytest.raises(ValueError, match=r"rank of the indices is unknown.*ensure_shape"),
    ):
        outer(tf.constant(X))


def test_a_rank_of_the_indices_is_enough_for_batches_from_the_end():
    places = [[0, 0, 1], [2, 1, 2]]
    spec = [tf.TensorSpec(None), tf.TensorSpec([None, None], tf.int32)]

    @tf.function(input_signature=spec, autograph=False)
    def gathered(x, places):
        return tf.raw_ops.GatherV2(params=x, indices=places, axis=2, batch_dims=-1)

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant(X)
        (slope_there,) = session.run(tf.gradients(gathered(x, places), x))
    counts = np.array([[2, 1, 0], [0, 1, 2]])  # how often each batch takes each of its columns
    np.testing.assert_array_equal(slope_there, np.broadcast_to(counts[:, None], X.shape))
