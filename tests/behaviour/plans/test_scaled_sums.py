"""Multiples by known numbers are part of the sums that take them: graph/passes/scaled_sums.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf

pytestmark = pytest.mark.not_strict("plans on strict GPUs keep their instrumented form")
_RANDOM = np.random.default_rng(0)


def _numbers(*shape: int, dtype: str = "float32") -> Any:
    return tf.constant(_RANDOM.normal(size=shape).astype(dtype))


def _check(python: Any, *args: Any) -> list[str]:
    """The operations of the plan, which gives what eager mode gives."""
    function = tf.function(python)
    for _ in range(2):
        pairs = zip(tf.nest.flatten(function(*args)), tf.nest.flatten(python(*args)), strict=True)
        for made, wanted in pairs:
            assert made.shape == wanted.shape
            assert made.dtype == wanted.dtype
            np.testing.assert_allclose(made, wanted, rtol=2e-6, atol=1e-6)
    return [step.op for step in emplace.explain(function, *args).steps if step.op != "Const"]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("python", "made"),
    [
        (lambda x, y: x + y * 0.3, "_ScaledSum"),
        (lambda x, y: 0.3 * x + y, "_ScaledSum"),
        (lambda x, y: tf.add(x, -2.5 * y), "_ScaledSum"),
        (lambda x, y: x - y * 0.3, "_ScaledDifference"),
        (lambda x, y: x - 1e30 * y, "_ScaledDifference"),
    ],
)
def test_one_call_computes_both(python, made, dtype):
    x, y = _numbers(4, 4, dtype=dtype), _numbers(4, 4, dtype=dtype)
    assert _check(python, x, y) == [made]


def test_shapes_broadcast():
    x, y = _numbers(4, 1), _numbers(5)
    assert _check(lambda x, y: x + y * 0.5, x, y) == ["_ScaledSum"]
    assert _check(lambda x, y: y - x * 0.5, x, y) == ["_ScaledDifference"]


def test_a_product_is_scaled_and_shifted():
    x = _numbers(4, 4)
    assert _check(lambda x: tf.matmul(x, x) * 2.0 + 1.0, x) == ["MatMul", "_ScaledSum"]


def test_of_two_multiples_one_is_made():
    x, y = _numbers(4, 4), _numbers(4, 4)
    assert _check(lambda x, y: x * 0.9 + y * 0.1, x, y) == ["Mul", "_ScaledSum"]


@pytest.mark.parametrize(
    "python",
    [
        lambda x, y: (lambda z: (x + z, z))(y * 0.3),
        lambda x, y: (lambda z: (x + z, x - z))(y * 0.3),
        lambda x, y: (lambda z: z + z)(y * 0.3),
        lambda x, y: y * 0.3 - x,
        lambda x, y: x + y * x[0, 0],
        lambda x, y: x + y * [[0.3]],
    ],
    ids=["wanted", "taken twice", "by itself", "less", "of an argument", "of a row"],
)
def test_what_is_a_value_of_its_own_is_computed(python):
    made = _check(python, _numbers(4, 4), _numbers(4, 4))
    assert not {"_ScaledSum", "_ScaledDifference"} & set(made)


@pytest.mark.parametrize("dtype", [tf.int32, tf.bfloat16, tf.complex64])
def test_other_types_are_rounded_in_between(dtype):
    x, y = (tf.cast(_numbers(4, 4) * 10.0, dtype) for _ in range(2))
    function = tf.function(lambda x, y: x + y * 3)
    wanted = tf.cast(x + y * 3, tf.complex128)
    np.testing.assert_array_equal(tf.cast(function(x, y), tf.complex128), wanted)


def test_what_is_not_finite_stays_so():
    x, y = tf.constant([1.0, np.inf, np.nan]), tf.constant([np.inf, -np.inf, 1.0])
    _check(lambda x, y: x + y * 0.5, x, y)
    _check(lambda x, y: x + y * 0.0, x, y)


def test_steps_of_a_loop_and_branches():
    def python(x, y):
        for _ in tf.range(3):
            x = x + y * 0.5
        return tf.cond(tf.reduce_sum(x) > 0.0, lambda: x - y * 0.1, lambda: x + y * 0.1)

    function = tf.function(python)
    x, y = _numbers(4), _numbers(4)
    np.testing.assert_allclose(function(x, y), python(x, y), rtol=1e-5)


def test_a_variable_s_running_average():
    v, x = tf.Variable([1.0, 2.0]), tf.constant([3.0, 5.0])
    function = tf.function(lambda x: v.assign(v - (v - x) * 0.1))
    for wanted in ([1.2, 2.3], [1.38, 2.57]):
        np.testing.assert_allclose(function(x), wanted, rtol=1e-6)


def test_nothing_is_joined_without_fusion(monkeypatch):
    monkeypatch.setenv("EMPLACE_FUSE", "0")
    made = _check(lambda x, y: x + y * 0.3, _numbers(4), _numbers(4))
    assert made == ["Mul", "AddV2"]
