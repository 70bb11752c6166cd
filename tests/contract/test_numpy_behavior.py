"""Tensors that behave like NumPy's arrays answer as TensorFlow's, in every way to ask for it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from numpy_behavior_cases import WAYS
from op_cases import Case
from op_cases.encode import encode, encode_error
from op_cases.values import evaluate
from test_ops_oracle import assert_same, is_error

import emplace
import emplace.tensorflow as tf

RECORDED = Path(__file__).resolve().parents[1] / "oracle" / "numpy_behavior.json.gz"
# Where TensorFlow fails by a mistake of its own, and Emplace answers.
MISTAKES = ("AttributeError: ", "ValueError: object __array__", "NotFoundError")


def recorded(way: str) -> dict[str, Any]:
    with gzip.open(RECORDED) as file:
        return dict(json.load(file)[way])


def wrong(expression: str, expected: Any) -> str:
    """What is wrong with our answer, "" if nothing is."""
    try:
        actual = encode(evaluate(expression, tf))
    except Exception as error:
        actual = encode_error(error)
    if is_error(expected):
        told = f"{expected['error']}: {expected['text']}"
        if told.startswith(MISTAKES) or (is_error(actual) and actual["error"] == expected["error"]):
            return ""
        return f"{expression}: {str(actual)[:150]}, where TensorFlow raises {told[:150]}"
    try:
        assert_same(actual, expected, Case(expression))
    except AssertionError as error:
        return f"{expression}: {error}"
    return ""


@pytest.mark.parametrize("way", WAYS)
def test_tensors_that_behave_like_arrays_answer_as_tensorflows(way: str) -> None:
    how, expressions = WAYS[way]
    tf.experimental.numpy.experimental_enable_numpy_behavior(**how)
    expected = recorded(way)
    found = [wrong(each, expected[each]) for each in expressions]
    assert not list(filter(None, found)), "\n".join(filter(None, found))


def test_a_fresh_runtime_has_tensors_of_tensorflow_again() -> None:
    tf.experimental.numpy.experimental_enable_numpy_behavior()
    assert tf.constant([1]).reshape(1, 1).shape == (1, 1)
    emplace.reset()
    with pytest.raises(AttributeError, match="experimental_enable_numpy_behavior"):
        _ = tf.constant(1).reshape
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.constant(1) + tf.constant(1.0)


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="promotion mode nonsense does not exist"):
        tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="nonsense")
