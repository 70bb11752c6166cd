"""Between which integers random ones are drawn: ends are what their dtype holds, as in TensorFlow.

Answers and texts were recorded from TensorFlow 2.21.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import emplace.tensorflow as tf


def _stateless(low: Any, high: Any, dtype: Any = tf.int32) -> Any:
    return tf.random.stateless_uniform([2], [1, 2], minval=low, maxval=high, dtype=dtype)


def _stateful(low: Any, high: Any, dtype: Any = tf.int32) -> Any:
    return tf.random.uniform([2], low, high, dtype=dtype, seed=3)


def _generator(low: Any, high: Any, dtype: Any = tf.int32) -> Any:
    return tf.random.Generator.from_seed(1).uniform([2], low, high, dtype=dtype)


ways = pytest.mark.parametrize("draw", [_stateless, _stateful, _generator])


@ways
@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0, 2**33, "got 0 >= 0"),
        (0, 2**31, "got 0 >= -2147483648"),
        (-(2**31) - 1, 0, "got 2147483647 >= 0"),
    ],
)
def test_ends_beyond_the_dtype_wrap_around(draw: Callable[..., Any], low, high, text) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"Need minval < maxval, {text}"):
        draw(low, high)


def test_numbers_between_wrapped_ends() -> None:
    assert _stateless(-(2**40), 5).numpy().tolist() == [0, 4]
    assert _stateless(0, 2**31 - 1).numpy().tolist() == [1105988140, 1738052849]


@ways
def test_ends_beyond_64_bits_are_refused(draw: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="Can't convert Python sequence with out-of-range"):
        draw(0, 2**63, tf.int64)


@ways
@pytest.mark.parametrize("end", [7.0, 0.5, 1e10])
def test_fractions_are_no_integers(draw: Callable[..., Any], end: float) -> None:
    with pytest.raises(TypeError, match=f"Cannot convert {end} to EagerTensor of dtype int32"):
        draw(0, end)


@ways
def test_tensors_have_the_dtype_that_is_drawn(draw: Callable[..., Any]) -> None:
    text = "max: Tensor conversion requested dtype int32 for Tensor with dtype "
    with pytest.raises(ValueError, match=f"^{text}float32"):
        draw(0, tf.constant(7.5))
    with pytest.raises(ValueError, match=f"^{text}int64"):
        draw(0, tf.constant(7, tf.int64))
    with pytest.raises(ValueError, match=f"{text}int64"):
        tf.function(lambda high: draw(0, high), autograph=False)(tf.constant(7, tf.int64))


@ways
def test_an_end_is_one_number(draw: Callable[..., Any]) -> None:
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"maxval must be 0-D, got shape \[2\]"
    ):
        draw(0, [5, 7])


def test_other_integers_may_be_ends() -> None:
    for end in (tf.constant(7), tf.constant(7).numpy(), tf.constant(7, tf.int64).numpy()):
        assert _stateless(0, end).numpy().tolist() == [5, 1]
    assert _stateless(0, True).numpy().tolist() == [0, 0]
