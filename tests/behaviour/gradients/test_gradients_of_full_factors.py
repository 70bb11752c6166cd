"""A full Q has columns that may be any, so it has no gradient. The words are TensorFlow's."""

import pytest

import emplace.tensorflow as tf

_TALL = [[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]


def _gradient(x, full_matrices):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        r = tf.linalg.qr(x, full_matrices=full_matrices).r
    return tape.gradient(r, x)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "graph"])
def test_a_full_factor_of_more_rows_than_columns_has_no_gradient(wrap):
    text = "QrGrad not implemented when nrows > ncols and full_matrices is true"
    with pytest.raises(NotImplementedError, match=text):
        wrap(lambda x: _gradient(x, True))(tf.constant(_TALL))


def test_others_have_one():
    square = tf.constant(_TALL)[:2]
    tf.debugging.assert_near(_gradient(square, True), _gradient(square, False))
    assert _gradient(_TALL, False).shape == (3, 2)
