"""Functions of `tf.signal` of tensors whose sizes, or rank, only running the graph tells.

Which of them TensorFlow 2.21 refuses without a rank, and in which words, was asked of it.
"""

import numpy as np
import pytest

import emplace.tensorflow as tf

_RANDOM = np.random.RandomState(0)
MATRIX = _RANDOM.rand(3, 8).astype("float32")
CUBE = _RANDOM.rand(2, 4, 8).astype("float32")
SIGNAL = _RANDOM.rand(64).astype("float32")
FUNCTIONS = {
    "rfft": (tf.signal.rfft, MATRIX),
    "rfft2d": (tf.signal.rfft2d, MATRIX),
    "rfft3d": (tf.signal.rfft3d, CUBE),
    "fft2d": (tf.signal.fft2d, MATRIX.astype("complex64")),
    "fftshift": (tf.signal.fftshift, MATRIX),
    "ifftshift": (tf.signal.ifftshift, MATRIX),
    "dct": (tf.signal.dct, MATRIX),
    "dct of type 1": (lambda x: tf.signal.dct(x, type=1), MATRIX),
    "idct of type 1": (lambda x: tf.signal.idct(x, type=1), MATRIX),
    "frame": (lambda x: tf.signal.frame(x, 16, 8), SIGNAL),
    "frame to the end": (lambda x: tf.signal.frame(x, 5, 3, pad_end=True, pad_value=2.0), SIGNAL),
    "overlap_and_add": (lambda x: tf.signal.overlap_and_add(x, 2), MATRIX),
    "stft": (lambda x: tf.signal.stft(x, 16, 8), SIGNAL),
    "stft to the end": (lambda x: tf.signal.stft(x, 16, 8, pad_end=True), SIGNAL),
    "mfccs": (tf.signal.mfccs_from_log_mel_spectrograms, MATRIX),
}
NEED_A_RANK = {
    "irfft": (tf.signal.irfft, MATRIX.astype("complex64")),
    "irfft2d": (tf.signal.irfft2d, MATRIX.astype("complex64")),
    "irfft3d": (tf.signal.irfft3d, CUBE.astype("complex64")),
}


def traced(function, spec):
    return tf.function(function, input_signature=[spec], autograph=False)


@pytest.mark.parametrize("name", [*FUNCTIONS, *NEED_A_RANK])
def test_sizes_may_be_unknown(name: str):
    function, x = (FUNCTIONS | NEED_A_RANK)[name]
    found = traced(function, tf.TensorSpec([None] * x.ndim, x.dtype))(x)
    np.testing.assert_allclose(found, function(x), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_rank_may_be_unknown(name: str):
    function, x = FUNCTIONS[name]
    found = traced(function, tf.TensorSpec(None, x.dtype))(x)
    np.testing.assert_allclose(found, function(x), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", NEED_A_RANK)
def test_the_inverses_of_real_transforms_need_a_rank(name: str):
    function, x = NEED_A_RANK[name]
    with pytest.raises(ValueError, match=r"Cannot infer argument `num` from shape \(None,\)"):
        traced(function, tf.TensorSpec(None, x.dtype))(x)


@pytest.mark.parametrize("dims", [None, (None, None)])
def test_an_inverse_mdct_needs_a_size(dims):
    with pytest.raises(ValueError, match=r"None values not supported\."):
        traced(tf.signal.inverse_mdct, tf.TensorSpec(dims))(MATRIX)


@pytest.mark.parametrize("dims", [None, (None, None)])
def test_a_transform_of_type_1_of_one_number_is_refused_where_that_is_known(dims):
    x = np.ones([2, 1], "float32")
    with pytest.raises(ValueError, match="Type-I DCT requires the dimension to be greater than"):
        tf.signal.dct(x, type=1)
    late = traced(lambda x: tf.signal.dct(x, type=1), tf.TensorSpec(dims))(x)
    np.testing.assert_array_equal(late, x)  # TF: so


def test_gradients_go_through_transforms_of_unknown_sizes():
    def slope(x):
        return tf.gradients(tf.reduce_sum(tf.abs(tf.signal.rfft(x)) ** 2), x)[0]

    known = tf.function(slope, autograph=False)(tf.constant(MATRIX))
    unknown = traced(slope, tf.TensorSpec([None, None]))(MATRIX)
    np.testing.assert_allclose(unknown, known, rtol=1e-4, atol=1e-4)
