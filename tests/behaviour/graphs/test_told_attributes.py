"""What `Operation.get_attr` tells: texts as bytes and numbers as lists, as TensorFlow's does."""

import pytest

import emplace.tensorflow as tf


def test_texts_are_bytes_and_several_numbers_are_lists():
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [1, 4, 4, 2])
        pooled = tf.nn.max_pool2d(x, 2, 2, "VALID").op
        joined = tf.strings.join(["a", "b"], ",").op
        product = tf.raw_ops.MatMul(a=tf.ones([2, 2]), b=tf.ones([2, 2])).op
    assert pooled.get_attr("ksize") == [1, 2, 2, 1]
    assert pooled.get_attr("padding") == b"VALID"
    assert joined.get_attr("separator") == b","
    assert product.get_attr("transpose_a") is False
    with pytest.raises(ValueError, match="has no attr named 'other'"):
        product.get_attr("other")
