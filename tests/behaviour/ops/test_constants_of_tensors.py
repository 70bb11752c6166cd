"""`tf.constant` of what is a tensor or a variable already."""

from __future__ import annotations

from typing import Any

import pytest

import emplace.tensorflow as tf


@pytest.mark.parametrize("dtype", [None, "float32", "float64"])
def test_a_tensor_of_a_graph_is_refused_with_what_to_use_instead(dtype: Any) -> None:
    told = dtype or "any non-tensor type"
    text = rf"Expected {told}, but got Tensor\(\"Const:0\".* of type 'SymbolicTensor'.*tf.identity"
    with tf.Graph().as_default():
        x = tf.constant([1.0, 2.0])
        with pytest.raises(TypeError, match=text):
            tf.constant(x, dtype)


def test_a_tensor_is_taken_and_never_cast() -> None:
    x = tf.constant([1.5])
    assert tf.constant(x, tf.float32).numpy().tolist() == [1.5]
    text = r"Expected tensor \[1\.5\] with dtype tf\.int32, but got dtype tf\.float32"
    with pytest.raises(TypeError, match=text):
        tf.constant(x, tf.int32)


@pytest.mark.parametrize("dtype", [None, tf.float32, tf.int32])
def test_a_variable_is_the_array_of_its_value(dtype: Any) -> None:
    made = tf.constant(tf.Variable([1.5, 2.5]), dtype)
    assert made.dtype == (dtype or tf.float32)
    assert made.numpy().tolist() == ([1, 2] if dtype == tf.int32 else [1.5, 2.5])
