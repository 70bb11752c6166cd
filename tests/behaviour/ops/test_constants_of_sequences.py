"""Constants of Python's own values: sequences of any class, dimensions, and numbers too large."""

from __future__ import annotations

import collections
from collections.abc import Iterator
from typing import Any

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


class Odd:
    """A sequence that is no list and whose items have labels of their own, as in pandas."""

    def __getitem__(self, key: int) -> int:
        if key not in (1, 3):
            raise KeyError(key)
        return key

    def __len__(self) -> int:
        return 2

    def __iter__(self) -> Iterator[int]:
        return iter([1, 3])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Odd(), [1, 3]),
        ([Odd(), (5, 6)], [[1, 3], [5, 6]]),
        ([range(3)], [[0, 1, 2]]),
        ([[1.0, 2.0], range(2)], [[1, 2], [0, 1]]),
        (collections.deque([1, 2]), [1, 2]),
    ],
)
def test_any_sequence_becomes_a_tensor(value: Any, expected: Any) -> None:
    assert tf.constant(value).numpy().tolist() == expected
    with tf.Graph().as_default(), v1.Session() as session:
        assert session.run(tf.constant(value)).tolist() == expected


@pytest.mark.parametrize("value", [{1: 2}, {1, 2}, (x for x in [1])])
def test_what_has_no_order_does_not(value: Any) -> None:
    with pytest.raises(ValueError, match="Attempt to convert a value"):
        tf.constant(value)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("value", [10**310, [10**310, 1]])
def test_integers_larger_than_all_numbers_are_refused(value: Any, dtype: str) -> None:
    with pytest.raises(ValueError, match="out-of-range integer"):
        tf.constant(value, dtype)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_larger_integers_than_those_of_64_bits_are_rounded(dtype: str) -> None:
    assert float(tf.constant(2**70, dtype)) == (float("inf") if dtype == "float16" else 2.0**70)
    assert tf.constant([2**54 + 1], tf.float64).numpy().tolist() == [2**54]


def test_shapes_and_dimensions_have_the_dtypes_of_sizes() -> None:
    large = tf.TensorShape([2**31, 2])
    assert tf.convert_to_tensor(large).dtype == tf.int64
    with pytest.raises(ValueError, match=r"a dimension is too large. Consider using tf.int64"):
        tf.convert_to_tensor(large, tf.int32)
    with pytest.raises(TypeError, match=r"Allowed dtypes are tf.int32 and tf.int64"):
        tf.convert_to_tensor(tf.TensorShape([1]), tf.float32)
    assert tf.convert_to_tensor(v1.Dimension(3)).numpy() == 3
    assert tf.convert_to_tensor(v1.Dimension(3), tf.int64).dtype == tf.int64
    with pytest.raises(ValueError, match="Cannot convert unknown Dimension"):
        tf.convert_to_tensor(v1.Dimension(None))
    with pytest.raises(TypeError, match="Cannot convert Dimension 3 to dtype"):
        tf.convert_to_tensor(v1.Dimension(3), tf.float32)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: tf.constant([1, 2, 3], shape=[5]), TypeError,
         r"Expected Tensor's shape: \(5,\), but got \(3,\)"),
        (lambda: v1.constant([1, 2, 3], shape=[2]), ValueError,
         "Too many elements provided. Takes at most 2, but got 3"),
        (lambda: tf.constant([[1, 2], [3]], tf.int32), ValueError,
         "setting an array element with a sequence"),
        (lambda: tf.constant([1, 2.5], tf.int32), TypeError,
         "Expected int32, but got 2.5 of type 'float'"),
        (lambda: tf.constant("a", tf.int32), TypeError,
         "Expected int32, but got a of type 'str'"),
    ],
)  # fmt: skip
def test_graphs_say_other_words(call: Any, error: Any, text: str) -> None:
    with tf.Graph().as_default(), pytest.raises(error, match=text):
        call()


def test_too_few_numbers_are_followed_by_more_in_graphs_alone() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        assert session.run(v1.constant([1, 2], shape=[4])).tolist() == [1, 2, 2, 2]
    with pytest.raises(TypeError, match="unsupported shape"):
        v1.constant([1, 2], shape=[4])
