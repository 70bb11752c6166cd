"""Lists of Python numbers, and of equally long lists of them, take a short way into tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import programs
import pytest

import emplace.tensorflow as tf


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        ([1.0, 2.0], tf.float32),
        ((1, 2), tf.int32),
        ([1, 2.0], tf.float32),
        ([2**31, 1], tf.int64),
        ([-(2**31)], tf.int32),
        ([True, False], tf.bool),
        ([], tf.float32),
        ([np.float64(1.0)], tf.float64),
    ],
    ids=str,
)
def test_a_list_has_the_dtype_of_its_numbers(value: list, dtype: tf.DType) -> None:
    tensor = tf.constant(value)
    assert tensor.dtype is dtype
    assert tensor.numpy().tolist() == list(value)


def test_a_float_too_large_for_float32_is_infinite() -> None:
    assert tf.constant([1e300, -1e300]).numpy().tolist() == [math.inf, -math.inf]


def test_a_float_is_rounded_as_numpy_rounds_it() -> None:
    values = [0.1, 16777217.0, 1e-46, 3.4028235677973366e38]
    with np.errstate(over="ignore"):
        expected = np.array(values).astype(np.float32)
    np.testing.assert_array_equal(tf.constant(values).numpy(), expected)


def test_another_dtype_than_the_natural_one_can_be_asked_for() -> None:
    assert tf.constant([1, 2], tf.float64).dtype is tf.float64
    assert tf.add(tf.constant([1.0], tf.float64), [1]).dtype is tf.float64


def test_changing_the_list_later_does_not_change_the_tensor() -> None:
    values = [1.0, 2.0]
    tensor = tf.constant(values)
    values[0] = 5.0
    assert tensor.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        ([[1.0, 2.0], [3.0, 4.0]], tf.float32),
        ([[1, 2, 3]], tf.int32),
        (((1,), (2,)), tf.int32),
        ([[[1.5], [2.5]], [[3.5], [4.5]]], tf.float32),
        ([(1, 2), [3, 4]], tf.int32),
        ([[2**31], [1]], tf.int64),
        ([[1, 2.0]], tf.float32),
        ([[True], [False]], tf.bool),
        ([[], []], tf.float32),
        ([[[[[[[[[[1.0]]]]]]]]]], tf.float32),
    ],
    ids=str,
)
def test_lists_of_lists_are_rows_of_a_tensor(value: Any, dtype: tf.DType) -> None:
    tensor = tf.constant(value)
    expected = np.array(value)
    assert tensor.dtype is dtype
    assert tensor.shape == expected.shape
    assert tensor.numpy().tolist() == expected.tolist()


@pytest.mark.parametrize("value", [[[1], [2, 3]], [[1.0, 2.0], 3.0], [[[1], [2]], [[3]]]], ids=str)
def test_lists_of_different_lengths_are_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="non-rectangular"):
        tf.constant(value)


def test_a_list_that_holds_itself_ends_in_an_error() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(RecursionError):
        tf.constant(value)


@pytest.mark.not_strict("the host asks where a value lies")
def test_a_variable_made_of_lists_is_changed_in_place() -> None:
    variable = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    where = variable.handle._value.value.data_ptr()
    variable.assign_add([[1.0, 1.0], [1.0, 1.0]])
    assert variable.handle._value.value.data_ptr() == where


_COUNT = """
import sys
import emplace.tensorflow as tf

files = []

def note(frame, event, _):
    if event == "call":
        files.append(frame.f_code.co_filename)

tf.add([1.0, 2.0], [3.0, 4.0])
sys.setprofile(note)
tf.add([1.0, 2.0], [3.0, 4.0])
sys.setprofile(None)
print(len(files), len(set(files)))
"""


def test_a_sum_of_two_lists_goes_through_few_functions() -> None:
    """In a process of its own: what a program registers for dispatch comes before all others."""
    done = programs.code(_COUNT)
    calls, files = map(int, done.stdout.split())
    assert calls <= 23
    assert files <= 8
