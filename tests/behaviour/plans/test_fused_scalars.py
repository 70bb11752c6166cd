"""Arithmetic on scalars is one operation of a plan, and comes where other scalars are computed:
graph/passes/scalars.py and early_scalars.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import emplace
import emplace.tensorflow as tf
from emplace.devices.inventory import INVENTORY
from emplace.graph.passes.early_scalars import with_early_scalars
from emplace.ops.math import fused_scalars

pytestmark = pytest.mark.not_strict("plans on strict GPUs keep their instrumented form")
_SIZE = 8


@pytest.fixture(params=["Python", "torch"], autouse=True)
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both forms of the operation give what eager mode gives."""
    before = 0 if request.param == "Python" else 1 << 60
    monkeypatch.setattr(fused_scalars, "RUNS_BEFORE", before)


def _scalar(value: float, dtype: Any = tf.float32) -> tf.Variable:
    return tf.Variable(value, dtype=dtype)


def _steps(function: Any, *args: Any) -> list[str]:
    return [step.op for step in emplace.explain(function, *args).steps]


def _check(python: Callable[..., Any], *args: Any) -> list[str]:
    """The operations of the plan; the function gives what eager mode gives, bit by bit."""
    function = tf.function(python)
    pairs = zip(tf.nest.flatten(function(*args)), tf.nest.flatten(python(*args)), strict=True)
    for made, wanted in pairs:
        assert made.shape == wanted.shape
        assert made.dtype == wanted.dtype
        np.testing.assert_array_equal(made.numpy(), wanted.numpy())
    return _steps(function, *args)


# -- one operation ------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64], ids=["int32", "int64"])
def test_a_rate_that_follows_from_a_number_of_steps_is_one_operation(dtype):
    steps, rate = _scalar(41, dtype), _scalar(0.001)

    def python():
        done = tf.cast(steps + 1, tf.float32)
        first, second = tf.pow(0.9, done), tf.pow(0.999, done)
        return rate * tf.sqrt(1.0 - second) / (1.0 - first)

    function = tf.function(python)
    np.testing.assert_allclose(function(), python(), rtol=3e-7)  # powers may differ by a bit
    made = [name for name in _steps(function) if name != "ReadVariableOp"]
    assert made == ["AddV2", "_FusedScalars"]


def test_each_result_is_rounded_to_float32():
    large = _scalar(1e8)
    made = _check(lambda x: (x + large) - large + x * 3.0, tf.Variable(1.25))
    assert "_FusedScalars" in made


def test_several_values_of_a_chain_are_wanted():
    x = _scalar(0.7)

    def python():
        y = tf.square(x.value()) + 1.0
        return y, tf.math.rsqrt(y) - 0.5, -y

    assert _check(python).count("_FusedScalars") == 1


def test_what_spreads_and_adds_up_one_number_is_part_of_a_chain():
    x = _scalar(0.7)

    def python():
        y = tf.broadcast_to(x * 3.0, []) + 1.0
        return tf.math.divide_no_nan(tf.reshape(tf.reduce_sum(y), []), 3.0)

    assert [name for name in _check(python) if name != "ReadVariableOp"] == ["_FusedScalars"]


@pytest.mark.parametrize("x", [0.0, -0.0, -2.0, np.nan, np.inf, -np.inf, 3e38, 1e-40, 1e-45])
@pytest.mark.parametrize("y", [0.0, 2.0, 0.5, -3.0, np.nan, -np.inf, 3e38])
def test_values_that_python_refuses_are_those_of_torch(x, y):
    x, y = _scalar(x), _scalar(y)

    def python():
        divided = (x / y, tf.math.divide_no_nan(x + 0.0, y), (x * x) * y - y)
        return *divided, tf.sqrt(x + y), tf.math.rsqrt(x * 1.0) * y, tf.sqrt(-x) - tf.square(y)

    _check(python)
    function = tf.function(lambda: tf.pow(x * 1.0, y) * 1.0 - 0.0)
    np.testing.assert_allclose(function(), tf.pow(x.value(), y), rtol=2e-7)
    assert "_FusedScalars" in _steps(function)


@pytest.mark.parametrize(
    "python",
    [
        lambda x: tf.sqrt(tf.cast(x, tf.float64) + 1.0) * 2.0,
        lambda x: tf.sqrt(x + 1.0),
        lambda x: tf.sqrt(tf.reshape(x, [1]) + 1.0) * 2.0,
        lambda x: tf.cast(tf.cast(x, tf.int32) * 3 - 2, tf.int64) * 5,
    ],
    ids=["float64", "two operations", "a vector", "integers"],
)
def test_other_values_stay_as_they_are(python):
    assert "_FusedScalars" not in _check(python, tf.constant(2.5))


def test_gradients_are_those_of_eager_mode():
    x, y = _scalar(0.7), _scalar(1.3)

    def python():
        with tf.GradientTape() as tape:
            loss = tf.square(x * y + 1.0) / (y - 0.25) - x
        return tape.gradient(loss, [x, y])

    assert "_FusedScalars" in _check(python)


def test_without_fusion_no_operation_is_fused(monkeypatch):
    monkeypatch.setenv("EMPLACE_FUSE", "0")
    x = _scalar(0.7)
    assert "_FusedScalars" not in _check(lambda: tf.square(x * 2.0 + 1.0) - 3.0)


def test_a_chain_is_written_out_after_some_runs(monkeypatch):
    monkeypatch.setattr(fused_scalars, "RUNS_BEFORE", 2)
    written: list[Any] = []
    write = fused_scalars.FusedScalars._written
    monkeypatch.setattr(
        fused_scalars.FusedScalars, "_written", lambda self: written.append(self) or write(self)
    )
    x = _scalar(0.7)
    function = tf.function(lambda: (x * 2.0 + 1.0) / 3.0)
    for runs in (0, 0, 1, 1):
        assert function().numpy() == np.float32(0.8)
        assert len(written) == runs


def test_a_variable_that_is_seen_otherwise_is_not_what_is_made():
    x = _scalar(0.7)

    def python():
        same = tf.reshape(x.value(), [])
        return same, (same * 2.0 + 1.0) / 3.0

    same, _ = tf.function(python)()
    x.assign(5.0)
    assert same.numpy() == np.float32(0.7)


def test_what_is_made_can_be_changed_alone():
    x = _scalar(0.7)
    function = tf.function(lambda: (x * 2.0 + 1.0) / 3.0)
    first = function()
    variable = tf.Variable(first)
    variable.assign_add(1.0)
    assert first.numpy() == function().numpy() == np.float32(0.8)
    assert variable.numpy() == np.float32(1.8)


def test_torch_may_differentiate_through_it():
    scalars: list[fused_scalars.FusedScalars] = []
    call = fused_scalars.FusedScalars.__call__

    def told(each: fused_scalars.FusedScalars, tensors: Any) -> Any:
        scalars.append(each)
        return call(each, tensors)

    x = _scalar(0.7)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fused_scalars.FusedScalars, "__call__", told)
        tf.function(lambda: tf.square(x * 3.0 + 1.0) - 2.0)()
    given = torch.tensor(0.7, requires_grad=True)
    (made,) = scalars[0]([given])
    made.backward()
    assert given.grad is not None
    np.testing.assert_allclose(given.grad, 2 * (0.7 * 3 + 1) * 3, rtol=1e-6)
    (nothing,) = scalars[0]([torch.empty((), device="meta")])
    assert nothing.is_meta


# -- their place --------------------------------------------------------------------------------


def _order(python: Callable[..., Any], *args: Any) -> list[str]:
    """The operations of the plan, without reads of anything but scalars."""
    return [
        step.op for step in emplace.explain(tf.function(python), *args).steps
        if step.op != "ReadVariableOp"
    ]  # fmt: skip


def _large(x: Any) -> Any:
    return tf.matmul(x, x)


def test_scalars_come_behind_others_before_a_large_operation():
    x, count = tf.Variable(tf.ones([_SIZE, _SIZE])), _scalar(3, tf.int64)

    def python():
        loss = tf.reduce_sum(x) * 2.0
        product = _large(x)
        return loss, product, count * 5 + 1

    assert _order(python) == ["Sum", "Mul", "Mul", "AddV2", "MatMul"]
    _check(python)


def test_what_is_made_of_a_large_value_stays_behind_it():
    x = tf.Variable(tf.ones([_SIZE, _SIZE]))

    def python():
        loss = tf.reduce_sum(x) * 2.0
        return loss, tf.reduce_max(_large(x)) + loss

    assert _order(python) == ["Sum", "Mul", "MatMul", "Max", "AddV2"]


def test_a_shape_that_a_large_value_decides_is_waited_for():
    x, count = tf.Variable(tf.ones([_SIZE, _SIZE])), _scalar(3.0)

    @tf.function
    def function():
        loss = tf.reduce_sum(x) * 2.0
        no_sizes = tf.cast(tf.where(_large(x)[0] > 1e9)[:, 0], tf.int32)
        y = tf.broadcast_to(count.value(), no_sizes)
        y.set_shape([])
        return loss, y * 3.0

    assert [y.numpy() for y in function()] == [2.0 * _SIZE * _SIZE, 9.0]


def test_a_variable_is_read_where_the_program_reads_it():
    x, count, other = tf.Variable(tf.ones([_SIZE, _SIZE])), _scalar(3.0), _scalar(1.0)

    def python():
        loss = other * 2.0
        product = _large(x)
        count.assign(tf.reduce_max(product))  # behind the large one
        after = count + 1.0
        largest = _large(product)
        return loss, after, tf.reduce_max(largest) * count

    before = python()
    count.assign(3.0)
    for made, wanted in zip(tf.function(python)(), before, strict=True):
        np.testing.assert_array_equal(made, wanted)
    assert count.numpy() == _SIZE


@pytest.mark.parametrize("changes", ["a call", "a branch"])
def test_a_variable_is_not_read_before_what_may_change_it(changes):
    x, count, other = tf.Variable(tf.ones([_SIZE, _SIZE])), _scalar(3.0), _scalar(1.0)

    def change(product):
        count.assign(tf.reduce_max(product))
        return np.float32(0)

    def python():
        loss = other * 2.0
        product = _large(x)
        if changes == "a call":
            tf.py_function(change, [product], tf.float32)
        else:
            tf.cond(loss > 0.0, lambda: count.assign(tf.reduce_max(product)), lambda: count + 0.0)
        return loss, count * 2.0

    assert [y.numpy() for y in tf.function(python)()] == [2.0, 2.0 * _SIZE]


def test_a_loop_without_effects_does_not_hold_scalars_up():
    x, count = tf.Variable(tf.ones([_SIZE, _SIZE])), _scalar(3.0)

    def python():
        loss = tf.reduce_sum(x) * 2.0
        _, made = tf.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, _large(y) / 8.0), (0, x.value())
        )
        return loss, made, (count * 5.0 + 1.0) / 3.0

    order = _order(python)
    assert order.index("_FusedScalars") < order.index("MatMul")
    _check(python)


def test_what_may_be_refused_is_refused_where_it_stands():
    x, count = tf.Variable(tf.ones([_SIZE, _SIZE])), _scalar(0, tf.int32)

    def python():
        loss = tf.reduce_sum(x) * 2.0
        tf.debugging.assert_less(tf.reduce_max(_large(x)), 1.0, message="too large")
        return loss, 7 // count

    with pytest.raises(tf.errors.InvalidArgumentError, match="too large"):
        tf.function(python)()


def test_what_comes_before_a_refusal_is_done():
    x, count, changed = tf.Variable(tf.ones([_SIZE, _SIZE])), _scalar(0.0), _scalar(1.0)

    def python():
        loss = count * 2.0
        changed.assign_add(tf.reduce_max(_large(x)))
        return tf.debugging.check_numerics(loss / count, "a loss")

    with pytest.raises(tf.errors.InvalidArgumentError, match="a loss"):
        tf.function(python)()
    assert changed.numpy() == 1.0 + _SIZE


def test_an_operation_waits_for_what_it_has_to():
    with tf.Graph().as_default() as graph:
        x, count = tf.constant(np.ones((_SIZE, _SIZE), np.float32)), tf.constant(3.0)
        first = tf.identity(count) * 2.0
        product = _large(x)
        with tf.control_dependencies([product]):
            last = tf.identity(count) + 1.0
    operations = [each for each in graph.operations if each.record.name != "Const"]

    placed = {each: _Placed() for each in graph.operations}
    order = with_early_scalars(operations, placed, {})
    assert order.index(product.op) < order.index(last.op)
    assert order.index(first.op) < order.index(product.op)


class _Placed:
    """On the host."""

    device = INVENTORY.devices()[0]
