"""Windows larger than what they slide over, and what ops of signals and matrices refuse."""

import numpy as np
import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


def test_a_mean_in_three_dimensions_takes_windows_larger_than_the_input():
    x = tf.reshape(tf.range(40.0), [1, 5, 8, 1, 1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.avg_pool3d(x, [1, 1, 2, 3, 1], [1, 2, 3, 1, 1], "SAME")
    rows = y.numpy()[0, :, :, 0, 0]
    assert rows == pytest.approx(
        np.array([[0.5, 3.5, 6.5], [16.5, 19.5, 22.5], [32.5, 35.5, 38.5]])
    )
    shares = tape.gradient(y, x).numpy()[0, :, :, 0, 0]
    assert shares[0].tolist() == [0.5, 0.5, 0.0] * 2 + [0.5, 0.5]
    assert shares[1].tolist() == [0.0] * 8


def test_means_of_padded_windows_are_rounded_once() -> None:
    """A third of a window may be inside, and sums of whole numbers have means that are exact."""
    for shape in ([1, 3, 6, 2, 1], [1, 7, 5, 1], [1, 9, 1]):
        x = tf.reshape(tf.range(float(np.prod(shape))), shape)
        ones = tf.ones_like(x)
        for size in (2, 3, 4, 5):
            with tf.GradientTape() as tape:
                tape.watch(x)
                means = tf.nn.avg_pool(x, size, 1, "SAME")
            exact = tf.nn.avg_pool(tf.cast(x, tf.float64), size, 1, "SAME").numpy()
            assert means.numpy().tolist() == exact.astype(np.float32).tolist()
            assert tf.nn.avg_pool(ones, size, 1, "SAME").numpy().tolist() == ones.numpy().tolist()
            gradient = tape.gradient(means, x).numpy()
            assert gradient.sum() == pytest.approx(x.shape.num_elements(), rel=1e-6)


def test_pool_refuses_steps_longer_than_the_window() -> None:
    for call in (tf.nn.pool, tf.function(tf.nn.pool)):
        with pytest.raises(
            ValueError, match=r"`strides` > `window_shape` not supported .*\[1, 3\]"
        ):
            call(tf.ones([1, 6, 6, 1]), [2, 2], "MAX", strides=[1, 3])
    assert tf.nn.max_pool(tf.ones([1, 6, 6, 1]), 2, 3, "VALID").shape == [1, 2, 2, 1]


@pytest.mark.parametrize(("size", "step", "made"), [(2, 3, (1, 2, 0, 3)), (3, 2, (1, 2, 0, 3))])
def test_maxima_and_their_places_may_be_of_no_window(size, step, made):
    x = tf.ones([1, 5, 1, 3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        maxima, places = tf.nn.max_pool_with_argmax(x, size, step, "VALID", output_dtype=tf.int32)
    assert maxima.shape == places.shape == made
    assert places.dtype == tf.int32
    assert tape.gradient(maxima, x).numpy().tolist() == tf.zeros_like(x).numpy().tolist()


def test_a_window_is_undone_with_zeros_where_no_frame_has_weight():
    undone = tf.signal.inverse_stft_window_fn(4)(2, tf.float32)
    assert undone.numpy().tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tf.signal.frame([1.0, 2.0], [2], 1), r"Shape \(1,\) must have rank 0"),
        (lambda: tf.signal.frame([1.0, 2.0], 2, [1]), r"Shape \(1,\) must have rank 0"),
        (lambda: tf.signal.frame([1.0, 2.0], 2, 1, True, [0.0]), "must have rank 0"),
        (lambda: _atrous(0), "all values of `dilation_rate` must be positive"),
        (lambda: _atrous(2, "FOO"), "`padding` must be one of 'SAME' or 'VALID'"),
        (
            lambda: tf.linalg.tridiagonal_solve(np.ones(3), np.ones(3), "compact"),
            "Expected diagonals to have rank at least 2, got 1",
        ),
        (
            lambda: tf.linalg.tridiagonal_solve([np.ones(4)] * 2, np.ones(4), "sequence"),
            "Expected diagonals to be a sequence of length 3",
        ),
        (
            lambda: tf.linalg.tridiagonal_solve(
                [np.ones([5, 4]), np.ones([7, 4]), np.ones([5, 4])], np.ones([5, 4]), "sequence"
            ),
            "must have the same shape,except for the last dimension",
        ),
    ],
)
def test_what_does_not_fit_is_refused_as_a_value(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def _atrous(rate, padding="SAME"):
    return tf.nn.atrous_conv2d(np.ones((1, 5, 5, 1)), np.ones((2, 2, 1, 1)), rate, padding)


def test_taps_farther_apart_than_can_be_counted_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="too large"):
        _atrous(2**31 - 1)


def test_eigenvalues_have_the_precision_of_the_matrix():
    for given, out in (("float64", "complex64"), ("float32", "complex128")):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid output dtype"):
            tf.raw_ops.Eig(input=tf.zeros([2, 2], given), Tout=out)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not in the list of allowed"):
        tf.raw_ops.Eig(input=tf.zeros([2, 2]), Tout=tf.float32)


def test_a_banded_solve_tells_of_batches_before_it_looks_at_numbers():
    with pytest.raises(tf.errors.InvalidArgumentError, match="compatible batch dimensions"):
        tf.linalg.banded_triangular_solve(tf.zeros([3, 3, 3]), tf.zeros([2, 3, 1]))


def test_gradients_of_a_ragged_tensor_in_a_graph_are_ragged():
    with tf.Graph().as_default(), v1.Session() as session:
        ragged = tf.RaggedTensor.from_row_splits(tf.constant([1.0, 2.0, 3.0]), [0, 1, 3])
        (gradient,) = tf.gradients(ragged * ragged, ragged)
        assert isinstance(gradient, tf.RaggedTensor)
        assert session.run(gradient).to_list() == [[2.0], [4.0, 6.0]]


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_no_sequences_have_no_cosine_transform(kind):
    for x in (tf.zeros([0, 5]), tf.zeros([2, 0, 3])):
        assert tf.signal.dct(x, kind).shape == tf.signal.idct(x, kind).shape == x.shape
        assert tf.signal.dct(x, kind, 7).shape == [*x.shape[:-1], 7]
    assert tf.signal.mdct(tf.zeros([0, 14]), 4, pad_end=True).shape == [0, 7, 2]


def test_the_norm_of_what_is_normalized_has_its_dtype():
    for order in (1, 2, 3, np.inf, "euclidean"):
        made, size = tf.linalg.normalize(tf.constant([[3 + 4j, 0j]]), order)
        assert size.dtype == made.dtype == tf.complex128
        assert made.numpy() == pytest.approx(np.array([[0.6 + 0.8j, 0]]))
