"""Element types that torch has few kernels for compute all the same."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf


@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64"])
def test_unsigned_integers_add_and_stay_what_they_are(dtype: str) -> None:
    total = tf.constant([1, 2], dtype) + tf.constant([3, 4], dtype)
    assert total.dtype == dtype
    assert total.numpy().tolist() == [4, 6]


def test_unsigned_integers_wrap_around() -> None:
    assert (tf.constant(65535, tf.uint16) + tf.constant(2, tf.uint16)).numpy() == 1


@pytest.mark.gpus(1)
def test_comparisons_of_unsigned_integers_give_bools_also_on_gpus() -> None:
    less = tf.constant([1, 5], tf.uint32) < tf.constant([3, 4], tf.uint32)
    assert less.dtype == tf.bool
    assert less.numpy().tolist() == [True, False]
    assert less.device.endswith("GPU:0")


def test_an_error_of_a_narrow_kernel_is_still_the_ops_own() -> None:
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs. \[3\]"
    ):
        tf.constant([1, 2], tf.uint16) + tf.constant([1, 2, 3], tf.uint16)
