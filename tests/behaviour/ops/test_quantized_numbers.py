"""Tensors of quantized types: constants, bits, comparisons, and ops that move elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

TYPES = [tf.qint8, tf.quint8, tf.qint16, tf.quint16, tf.qint32]


@pytest.mark.parametrize("dtype", TYPES)
def test_constants_are_made_of_integers(dtype: Any) -> None:
    assert tf.constant([1, 2], dtype).numpy().tolist() == [1, 2]
    one = tf.constant(3, dtype)
    assert (one.shape.as_list(), one.dtype) == ([], dtype)
    assert tf.constant(3, dtype, [2]).numpy().tolist() == [3, 3]
    with pytest.raises(TypeError, match=f"EagerTensor of dtype {dtype.name}"):
        tf.constant([1.5], dtype)


def test_the_bits_of_a_number_keep_their_shape() -> None:
    bits = tf.bitcast(tf.constant(1.0), tf.qint32)
    assert (bits.shape.as_list(), int(bits.numpy())) == ([], 1065353216)
    back = tf.bitcast(bits, tf.float32)
    assert (back.shape.as_list(), float(back)) == ([], 1.0)


def test_bits_of_other_sizes_get_or_lose_an_axis() -> None:
    wide = tf.bitcast(tf.constant([1, 2], tf.int8), tf.qint16)
    assert (wide.shape.as_list(), int(wide.numpy())) == ([], 513)
    narrow = tf.bitcast(tf.constant([1, 2], tf.int16), tf.qint8)
    assert narrow.numpy().tolist() == [[1, 0], [2, 0]]


@pytest.mark.parametrize("dtype", TYPES)
def test_quantized_numbers_are_compared(dtype: Any) -> None:
    x, y = tf.constant([1, 2], dtype), tf.constant([1, 3], dtype)
    assert tf.equal(x, y).numpy().tolist() == [True, False]
    assert tf.not_equal(x, y).numpy().tolist() == [False, True]
    assert (x == y[:1]).numpy().tolist() == [True, False]


@pytest.mark.parametrize("call", [lambda f: f, tf.function])
def test_quantized_numbers_are_moved(call: Any) -> None:
    x = tf.constant([1, 2], tf.qint8)

    def moved() -> list[Any]:
        return [
            tf.dynamic_stitch([[1], [0]], [x[:1], x[1:]]),
            tf.dynamic_stitch([[2], [0]], [x[:1], x[1:]]),
            tf.pad(x, [[1, 1]]),
            tf.pad(x, [[1, 1]], "REFLECT"),
            tf.pad(x, [[1, 1]], constant_values=x[0]),
            tf.gather(x, [1]),
            tf.gather_nd(x, [[1]]),
            tf.slice(x, [0], [1]),
        ]

    made = call(moved)()
    assert {each.dtype for each in made} == {tf.qint8}
    assert [np.asarray(each).tolist() for each in made] == [
        [2, 1], [2, 0, 1], [0, 1, 2, 0], [2, 1, 2, 1], [1, 1, 2, 1], [2], [2], [1],
    ]  # fmt: skip
