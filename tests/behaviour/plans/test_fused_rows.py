"""Arithmetic on a number per channel is one operation of a plan: graph/passes/small_maps.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import emplace
import emplace.tensorflow as tf
from emplace.ops.math import fused_rows

pytestmark = pytest.mark.not_strict("plans on strict GPUs keep their instrumented form")
_RANDOM = np.random.default_rng(0)


def _row(size: int) -> tf.Variable:
    return tf.Variable(_RANDOM.uniform(0.5, 2.0, size).astype("float32"))


@pytest.fixture(params=["machine code", "torch"], autouse=True)
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both forms of the operation give what eager mode gives."""
    before = 0 if request.param == "machine code" else 1 << 60
    monkeypatch.setattr(fused_rows, "ROWS_BEFORE", before)


def _steps(function: Any, *args: Any) -> list[str]:
    """The operations of a plan, without those that read variables."""
    names = [step.op for step in emplace.explain(function, *args).steps]
    return [name for name in names if name != "ReadVariableOp"]


def _check(python: Callable[..., Any], *args: Any) -> list[str]:
    """The operations of the plan; the function gives what eager mode gives, several times."""
    function = tf.function(python)
    for _ in range(2):
        pairs = zip(tf.nest.flatten(function(*args)), tf.nest.flatten(python(*args)), strict=True)
        for made, wanted in pairs:
            assert made.shape == wanted.shape
            np.testing.assert_allclose(made.numpy(), wanted.numpy(), rtol=2e-6, atol=1e-6)
    return _steps(function, *args)


def _scale_and_shift(rows: list[tf.Variable], epsilon: float = 1e-3) -> tuple[Any, Any]:
    mean, variance, gamma, beta = rows
    factor = tf.math.rsqrt(variance + epsilon) * gamma
    return factor, beta - mean * factor


# Iterations of 16, of 8, and of all numbers.
@pytest.mark.parametrize("size", [2, 3, 10, 24, 48, 2048, 8190])
def test_a_chain_on_rows_is_one_operation(size):
    rows = [_row(size) for _ in range(4)]
    assert _check(lambda: _scale_and_shift(rows)) == ["_FusedRows"]


def test_layers_of_all_widths_are_one_operation():
    layers = [[_row(size) for _ in range(4)] for size in (32, 16, 48, 2048)]
    assert _check(lambda: [_scale_and_shift(rows) for rows in layers]) == ["_FusedRows"]


def test_each_layer_has_its_own_single_numbers():
    layers = [([_row(32) for _ in range(4)], epsilon) for epsilon in (1e-3, 0.5, 2.0)]
    made = _check(lambda: [_scale_and_shift(rows, epsilon) for rows, epsilon in layers])
    assert made == ["_FusedRows"]


def test_shapes_with_axes_of_one_are_rows():
    rows = [_row(24) for _ in range(4)]

    def python():
        wide = [tf.reshape(row, [1, 1, 1, 24]) for row in rows]
        factor, shift = _scale_and_shift(wide)
        return factor, tf.squeeze(shift, [0, 1, 2]), tf.expand_dims(rows[0] * 2.0, 0)

    assert "_FusedRows" in _check(python)


def test_what_is_made_can_be_changed_alone():
    layers = [[_row(16) for _ in range(4)] for _ in range(2)]
    function = tf.function(lambda: [_scale_and_shift(rows) for rows in layers])
    kept = tf.nest.flatten(function())
    before = [each.numpy().copy() for each in kept]
    variable = tf.Variable(kept[0])
    variable.assign_add(tf.ones(16))
    function()
    for each, numbers in zip(kept, before, strict=True):
        np.testing.assert_array_equal(each.numpy(), numbers)
    np.testing.assert_array_equal(variable.numpy(), before[0] + 1.0)


def test_variables_may_change_between_calls():
    rows = [_row(16) for _ in range(4)]
    function = tf.function(lambda: _scale_and_shift(rows))
    for place, row in enumerate(rows):
        for _ in range(2):
            function()
            row.assign(row * 1.5 + place)
            for made, wanted in zip(function(), _scale_and_shift(rows), strict=True):
                np.testing.assert_allclose(made.numpy(), wanted.numpy(), rtol=2e-6, atol=1e-6)


def test_what_changes_a_variable_on_the_way_keeps_its_place():
    first, second = ([_row(16) for _ in range(4)] for _ in range(2))
    start = second[0].numpy()

    def python():
        made = _scale_and_shift(first)
        second[0].assign(made[0] * 3.0)
        after = _scale_and_shift(second)
        second[0].assign(start)
        return made, after

    assert _check(python).count("_FusedRows") == 2


def test_a_row_that_was_read_before_a_change_is_what_it_was():
    row, other = _row(16), _row(16)
    start = row.numpy()

    def python():
        before = row.read_value()
        row.assign_add(other)
        made = tf.sqrt(before * 2.0 + 1.0)
        row.assign(start)
        return made

    assert "_FusedRows" in _check(python)


def test_numbers_between_others_are_laid_out_anew():
    x = tf.Variable(_RANDOM.uniform(0.5, 2.0, (16, 5)).astype("float32"))
    assert _check(lambda: tf.sqrt(tf.transpose(x)[2] + 1.0) * 2.0)[-1] == "_FusedRows"


@pytest.mark.parametrize(
    "python",
    [
        lambda x: tf.sqrt(tf.cast(x, tf.float64) + 1.0) * 2.0,
        lambda x: tf.sqrt(x + 1.0),
        lambda x: tf.sqrt(tf.reshape(x, [4, 4]) + 1.0) * 2.0,
        lambda x: tf.sqrt(x[:1] + 1.0) * 2.0,
        lambda x: tf.sqrt(x[:0] + 1.0) * 2.0,
    ],
    ids=["float64", "two operations", "a matrix", "one number", "nothing"],
)
def test_other_values_stay_as_they_are(python):
    assert "_FusedRows" not in _check(python, tf.range(16.0))


def test_gradients_are_those_of_eager_mode():
    rows = [_row(16) for _ in range(4)]

    def python():
        with tf.GradientTape() as tape:
            factor, shift = _scale_and_shift(rows)
            loss = tf.reduce_sum(tf.sin(factor) * shift)
        return tape.gradient(loss, rows)

    assert "_FusedRows" in _check(python)


def test_values_that_are_no_numbers():
    x = tf.constant([np.nan, np.inf, -np.inf, -0.0, 1e-40, 3e38, -1.0, 0.0], tf.float32)
    python = lambda x: tf.nn.relu(tf.math.rsqrt(x * 2.0) + tf.ones_like(x)) * x  # noqa: E731
    function = tf.function(python)
    function(x)
    np.testing.assert_allclose(function(x).numpy(), python(x).numpy(), rtol=1e-6)
    assert _steps(function, x) == ["_FusedRows"]


def test_without_fusion_no_operation_is_fused(monkeypatch):
    monkeypatch.setenv("EMPLACE_FUSE", "0")
    rows = [_row(16) for _ in range(4)]
    assert "_FusedRows" not in _check(lambda: _scale_and_shift(rows))


def test_torch_may_differentiate_through_it():
    rows = [_row(16) for _ in range(4)]
    function = tf.function(lambda: _scale_and_shift(rows))
    made: list[fused_rows.FusedRows] = []
    call = fused_rows.FusedRows.__call__

    def told(each: fused_rows.FusedRows, tensors: Any) -> Any:
        made.append(each)
        return call(each, tensors)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fused_rows.FusedRows, "__call__", told)
        function()
    given = [torch.rand(16, requires_grad=True) if dims else torch.tensor(1e-3)
             for dims in made[0].maps[0].inputs]  # fmt: skip
    sum(each.sum() for each in made[0](given)).backward()
    assert all(x.grad is not None for x in given if x.requires_grad)


# -- running averages wait until the end -----------------------------------------------------------


def _average(variable: tf.Variable, new: Any, rate: float = 0.1) -> None:
    variable.assign(variable * (1.0 - rate) + new * rate)


def _layers(count: int = 3, size: int = 16) -> tuple[list[tf.Variable], list[tf.Variable]]:
    return [_row(size) for _ in range(count)], [_row(size) for _ in range(count)]


def _means_of_layers(averages: list[tf.Variable], x: tf.Tensor, after: Any = None) -> tf.Tensor:
    """Layers of which each has a running average of its mean."""
    for average in averages:
        mean = tf.reduce_mean(x, 0)
        _average(average, mean)
        if after is not None:
            after(average)
        x = tf.sin(x - mean)
    return x


@pytest.mark.parametrize("sizes", [(16, 16, 16), (16, 24, 40)])
def test_running_averages_of_all_layers_are_one_operation(sizes):
    ours, wanted = ([tf.Variable(np.full(size, 0.5, "float32")) for size in sizes] for _ in "ab")
    xs = [tf.constant(_RANDOM.normal(size=(4, size)).astype("float32")) for size in sizes]

    def python(averages):
        for average, x in zip(averages, xs, strict=True):
            _average(average, tf.reduce_mean(tf.sin(x), 0))

    function = tf.function(lambda: python(ours))
    for _ in range(3):
        function()
        python(wanted)
        for x, y in zip(ours, wanted, strict=True):
            np.testing.assert_allclose(x.numpy(), y.numpy(), rtol=2e-6)
    names = _steps(function)
    programs = 1 if len(set(sizes)) == 1 else 2  # iterations of 16 and of 8 numbers
    assert names.count("_FusedRows") == programs
    assert names[-3:] == ["AssignVariableOp"] * 3


def _changed_to(after: Any) -> tuple[list[str], list[np.ndarray], list[np.ndarray]]:
    """The operations of a plan of three layers, and what it and eager mode make of averages."""
    ours, wanted = _layers()
    for x, y in zip(ours, wanted, strict=True):
        y.assign(x)
    x = tf.constant(_RANDOM.normal(size=(4, 16)).astype("float32"))
    function = tf.function(lambda: _means_of_layers(ours, x, after))
    for _ in range(2):
        np.testing.assert_allclose(
            function().numpy(), _means_of_layers(wanted, x, after).numpy(), rtol=1e-5, atol=1e-6
        )
    return _steps(function), [x.numpy() for x in ours], [y.numpy() for y in wanted]


def test_layers_on_each_other_wait_too():
    names, made, wanted = _changed_to(None)
    np.testing.assert_allclose(made, wanted, rtol=2e-6)
    assert names.count("_FusedRows") == 1
    assert names[-3:] == ["AssignVariableOp"] * 3


def test_an_average_that_is_read_or_changed_afterwards_keeps_its_place():
    def doubled(average):
        average.assign_add(average)

    names, made, wanted = _changed_to(doubled)
    np.testing.assert_allclose(made, wanted, rtol=2e-6)
    assert names.count("_FusedRows") == 3


def test_averages_do_not_wait_for_what_may_look_at_any_variable():
    seen: list[float] = []

    def look(average):
        tf.numpy_function(lambda: seen.append(float(average.numpy()[0])), [], [])

    names, made, wanted = _changed_to(look)
    np.testing.assert_allclose(made, wanted, rtol=2e-6)
    assert names.count("_FusedRows") == 3
    assert len(seen) == 12
    for i in (0, 6):  # in the function, and in eager mode: each sees what was just assigned
        np.testing.assert_allclose(seen[i : i + 3], seen[i + 3 : i + 6], rtol=1e-5)


def _handle(name: str) -> tf.Tensor:
    """The raw handle of a variable of ones that is shared by its name."""
    handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[16], shared_name=name)
    tf.raw_ops.AssignVariableOp(resource=handle, value=tf.ones(16))
    return handle


def _read(handle: Any) -> tf.Tensor:
    return tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)


def _move(handle: Any) -> None:
    """A step towards 0, 1, 2, ..."""
    moved = _read(handle) * 0.9 + tf.range(16.0) * 0.1
    tf.raw_ops.AssignVariableOp(resource=handle, value=moved)


def _moved_and_seen(moved: Any, seen: Any, others: list[Any], read: Any = _read) -> tf.Tensor:
    _move(moved)
    made = read(seen)
    for other in others:
        _move(other)
    return made * 1.0


@pytest.mark.parametrize("way", ["two arguments", "an argument", "a function"])
def test_an_average_that_is_read_by_another_name_keeps_its_place(way):
    variable, *others = [tf.Variable(tf.ones(16)) for _ in "abc"]
    handles = [other.handle for other in others]
    inner = tf.function(lambda: variable.read_value())
    read = (lambda _: inner()) if way == "a function" else _read

    def both(moved, seen):
        return _moved_and_seen(moved.handle, seen.handle, handles, read)

    function, captured = tf.function(both), tf.function(lambda moved: both(moved, variable))
    for i in (1, 2):
        made = captured(variable) if way == "an argument" else function(variable, variable)
        wanted = 0.9**i + (1.0 - 0.9**i) * np.arange(16)
        np.testing.assert_allclose(made.numpy(), wanted, rtol=1e-5)


def test_an_average_that_is_read_by_another_handle_keeps_its_place():
    first, same, *others = map(_handle, ["average", "average", "second", "third"])
    function = tf.function(lambda: _moved_and_seen(first, same, others))
    for i in (1, 2):
        wanted = 0.9**i + (1.0 - 0.9**i) * np.arange(16)
        np.testing.assert_allclose(function().numpy(), wanted, rtol=1e-5)


def test_averages_that_others_wait_for_keep_their_place():
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        averages = [v1.get_variable(f"a{i}", 16, initializer=v1.ones_initializer()) for i in (0, 1)]
        x = v1.placeholder(tf.float32, [None, 16])
        updates = [
            average.assign(average * 0.9 + tf.reduce_mean(x * float(i + 1), 0) * 0.1)
            for i, average in enumerate(averages)
        ]
        with tf.control_dependencies(updates):
            total = tf.add_n([average.read_value() for average in averages])
        session.run(v1.global_variables_initializer())
        made = [session.run(total, {x: np.ones((2, 16))})[0] for _ in range(2)]
    np.testing.assert_allclose(made, [2 * 0.9 + 0.3, 2 * 0.81 + 0.27 + 0.3], rtol=1e-6)


def test_what_an_average_is_made_of_may_be_wanted_too():
    ours, wanted = _layers(2)
    for x, y in zip(ours, wanted, strict=True):
        y.assign(x)
    x = tf.constant(_RANDOM.normal(size=(4, 16)).astype("float32"))

    def python(averages):
        kept = []
        for average in averages:
            new = average * 0.9 + tf.reduce_mean(x, 0) * 0.1
            average.assign(new)
            kept.append(new)
        return kept, [each + 0.0 for each in kept]

    function = tf.function(lambda: python(ours))
    for _ in range(2):
        for a, b in zip(tf.nest.flatten(function()), tf.nest.flatten(python(wanted)), strict=True):
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=2e-6)
    np.testing.assert_allclose([v.numpy() for v in ours], [v.numpy() for v in wanted], rtol=2e-6)
