"""Byte strings that end in zeros. NumPy's own texts end before these, Python's do not: what is
made of Python's keeps them, as in TensorFlow 2.21, whose answers these are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1
TEXT = b"a\0b\0\0"
SHORT = b"a\0"


def fed(value: Any) -> Any:
    with tf.Graph().as_default(), v1.Session() as session:
        placeholder = v1.placeholder(tf.string)
        return session.run([placeholder, tf.strings.length(placeholder)], {placeholder: value})


FEEDS: dict[str, tuple[Any, Any]] = {
    "bytes": (TEXT, TEXT),
    "a list": ([TEXT, b"\0"], [TEXT, b"\0"]),
    "lists in lists": ([[TEXT], [b"\0"]], [[TEXT], [b"\0"]]),
    "a tuple": ((TEXT,), [TEXT]),
    "a text": ("a\0", SHORT),
    "a list of texts": (["a\0", "b"], [SHORT, b"b"]),
    "an array of objects": (np.array([TEXT], object), [TEXT]),
    "a scalar of NumPy": (np.bytes_(TEXT), TEXT),
    "a list of scalars of NumPy": ([np.bytes_(TEXT)], [TEXT]),
    "an array of NumPy's texts": (np.array([TEXT, b"abcdefg"]), [b"a\0b", b"abcdefg"]),
}


@pytest.mark.parametrize("name", FEEDS)
def test_a_fed_byte_string_keeps_its_last_zeros(name: str):
    value, expected = FEEDS[name]
    found, lengths = fed(value)
    assert np.asarray(found, object).tolist() == expected
    assert np.asarray(lengths).sum() == sum(map(len, np.asarray(expected, object).reshape(-1)))


def test_a_fed_list_of_rows_of_different_lengths_is_refused():
    with pytest.raises(tf.errors.InternalError, match="Unsupported object type list"):
        fed([["a"], ["b", "c"]])


def padded() -> Any:
    rows = tf.data.Dataset.from_generator(lambda: iter([[SHORT], [SHORT] * 2]), tf.string, [None])
    return next(iter(rows.padded_batch(2, padding_values=SHORT)))


OPS: dict[str, tuple[Callable[[], Any], Any]] = {
    "fill": (lambda: tf.fill([2], SHORT), [SHORT, SHORT]),
    "fill in a function": (lambda: tf.function(lambda: tf.fill([2], SHORT))(), [SHORT, SHORT]),
    "constant with a shape": (lambda: tf.constant(SHORT, shape=[2]), [SHORT, SHORT]),
    "pad": (lambda: tf.pad([SHORT], [[1, 2]], constant_values=SHORT), [SHORT] * 4),
    "pad with nothing": (lambda: tf.pad([[SHORT]], [[1, 0], [0, 1]]), [[b"", b""], [SHORT, b""]]),
    "to_dense": (
        lambda: tf.sparse.to_dense(tf.SparseTensor([[0]], [SHORT], [2]), SHORT), [SHORT, SHORT]),
    "padded_batch": (padded, [[SHORT, SHORT], [SHORT, SHORT]]),
}  # fmt: skip


@pytest.mark.parametrize("name", OPS)
def test_an_op_that_fills_up_keeps_the_last_zeros(name: str):
    make, expected = OPS[name]
    found = make().numpy()
    assert found.tolist() == expected
    assert {type(text) for text in found.reshape(-1)} == {bytes}
