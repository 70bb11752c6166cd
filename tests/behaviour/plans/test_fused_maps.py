"""Chains of element-wise operations of a plan are one pass over memory: graph/passes/maps.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import emplace
import emplace.tensorflow as tf
from emplace.graph.passes import fusion, maps
from emplace.ops.math import fused_map

pytestmark = pytest.mark.not_strict("plans on strict GPUs keep their instrumented form")
_RANDOM = np.random.default_rng(0)


def _numbers(*shape: int) -> tf.Tensor:
    return tf.constant(_RANDOM.normal(size=shape).astype("float32"))


@pytest.fixture(params=["machine code", "torch"], autouse=True)
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors of any size are fused; both forms of the operation give what eager mode gives."""
    monkeypatch.setattr(maps, "LEAST_NUMBERS", 1)
    before = 0 if request.param == "machine code" else 1 << 60
    monkeypatch.setattr(fused_map, "NUMBERS_BEFORE", before)


def _check(python: Callable[..., Any], *args: Any) -> list[str]:
    """The operations of the plan; the function gives what eager mode gives."""
    function = tf.function(python)
    for made, wanted in zip(
        tf.nest.flatten(function(*args)), tf.nest.flatten(python(*args)), strict=True
    ):
        assert made.shape == wanted.shape
        np.testing.assert_allclose(made.numpy(), wanted.numpy(), rtol=2e-5, atol=2e-5)
    return [step.op for step in emplace.explain(function, *args).steps]


X, ROW, BLOCK = _numbers(4, 6, 5, 19), _numbers(19), _numbers(4, 1, 1, 19)
COLUMN = _numbers(4, 6, 5, 1)


def test_a_chain_is_one_operation():
    assert _check(lambda x: tf.nn.relu6((x - ROW) * ROW * 2.0 + BLOCK), X) == ["_FusedMap"]


# No vector, halves of one, one, several, and what is left beside them.
@pytest.mark.parametrize("columns", [3, 8, 16, 19, 24, 32, 35, 40, 51])
def test_rows_of_all_widths_are_summed(columns):
    x, row = _numbers(4, 6, 5, columns), _numbers(columns)

    def python(x):
        y = tf.nn.relu6(x * row)
        return y, tf.reduce_sum(y, [0, 1, 2]), tf.reduce_mean(x * y, [0, 1, 2])

    assert _check(python, x) == ["_FusedMap"]


# Each iteration's sums apart, to be added up by torch, and sums that go on from one to the next.
@pytest.mark.parametrize("most_summed", [0, 1 << 10])
@pytest.mark.parametrize("columns", [3, 8, 16, 19, 35])
def test_sums_of_several_iterations_are_those_of_all_rows(columns, most_summed, monkeypatch):
    monkeypatch.setattr(fused_map, "_NUMBERS_AT_ONCE", 5 * columns)
    monkeypatch.setattr(fused_map, "MOST_SUMMED", most_summed)
    x, row = _numbers(4, 6, 5, columns), _numbers(columns)
    function = tf.function(lambda x: tf.reduce_sum(tf.nn.relu(x * row), [0, 1, 2], keepdims=True))
    for factor in (1.0, 3.0):  # nothing is left of the call before
        wanted = np.maximum(x.numpy() * factor * row.numpy(), 0).sum((0, 1, 2), keepdims=True)
        np.testing.assert_allclose(function(x * factor).numpy(), wanted, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize(
    ("others", "is_one"),
    [([X], False), ([X, X], True), ([X, ROW], True), ([ROW], False), ([X, BLOCK, ROW], True)],
)
def test_a_sum_of_more_than_two_is_one_pass(others, is_one):
    def python(x):
        return tf.add_n([x, *[tf.broadcast_to(each, x.shape) for each in others]])

    made = _check(python, X * 2.0)
    assert ("_FusedMap" in made) == is_one
    assert ("AddN" in made) != is_one


@pytest.mark.parametrize("keepdims", [False, True])
def test_sums_and_means_of_rows_end_a_chain(keepdims):
    def python(x):
        y = tf.square(x * ROW)
        mean = tf.reduce_mean(y, [0, 1, 2], keepdims=keepdims)
        return mean, tf.reduce_sum(x * y, [-4, 1, 2], keepdims=keepdims)

    assert _check(python, X) == ["_FusedMap"]


def test_a_number_per_row_is_part_of_a_chain():
    def python(x):
        y = (x - COLUMN) * ROW * COLUMN + BLOCK
        return y, tf.reduce_sum(y * COLUMN, [0, 1, 2])

    assert _check(python, X) == ["_FusedMap"]


@pytest.mark.parametrize("places", [1, 5])
def test_the_gradient_of_a_bias_ends_a_chain(places):
    bias = tf.Variable(ROW)

    def python(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(tf.sin(tf.nn.gelu(tf.nn.bias_add(x, bias))))
        return tape.gradient(loss, [x, bias])

    made = _check(python, _numbers(4, places, 19))
    assert not {"_Gelu", "_GeluGrad", "BiasAdd", "BiasAddGrad"} & set(made), made


@pytest.mark.parametrize("places", [1, 5])
def test_the_other_gelu_and_its_gradient_are_part_of_a_chain(places):
    def python(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(tf.sin(tf.nn.gelu(x * 3.0, approximate=True)))
        return tape.gradient(loss, x)

    made = _check(python, _numbers(4, places, 19))
    assert not {"_GeluByTanh", "_GeluByTanhGrad"} & set(made), made


def test_the_other_gelu_far_from_zero():
    x = tf.reshape(tf.linspace(-40.0, 40.0, 19 * 20), [20, 19])
    assert _check(lambda x: tf.nn.gelu(x, approximate=True) * 2.0, x) == ["_FusedMap"]
    ends = tf.constant([[np.inf, -np.inf, np.nan, 0.0, -0.0, 1e20, -1e20] * 4])
    made = tf.function(lambda x: tf.nn.gelu(x, approximate=True) * 2.0)(tf.repeat(ends, 20, 0))
    wanted = tf.nn.gelu(ends, approximate=True)[0] * 2.0
    np.testing.assert_array_equal(made[3], wanted)


def test_a_bias_of_other_axes_stays_apart():
    def python(x):
        y = tf.nn.bias_add(x, x[0, :, 0, 0], "NCHW")
        return tf.nn.gelu(y) * 2.0

    assert "BiasAdd" in set(_check(python, X))


def test_silu_and_its_gradient_are_part_of_a_chain():
    def python(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(tf.sin(tf.nn.silu(x * ROW + 1.0)))
        return tape.gradient(loss, x)

    made = _check(python, X)
    assert made.count("_FusedMap") == 2
    assert not {"_Silu", "_SiluGrad", "Mul"} & set(made), made
    assert "_Silu" in _check(lambda x: tf.nn.silu(x * 2.0, 2.0), X)


def _gelu_and_slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.gelu(x)
    return y, tape.gradient(y, x)


def test_gelu_has_the_digits_of_float32_everywhere():
    x = tf.constant(np.linspace(-12.9, 12.9, 1 << 16, dtype="float32").reshape(-1, 64))
    made = tf.function(_gelu_and_slope)(x)
    wanted = _gelu_and_slope(tf.cast(x, tf.float64))
    # torch's erfc loses digits far from 0; the slope is 0 between -1 and -0.5.
    error = 1e-6 if fused_map.NUMBERS_BEFORE == 0 else 2e-5
    near = 2e-7 * (np.abs(x) < 1)
    for y, exact in zip(made, wanted, strict=True):
        assert np.all(np.abs(y - exact.numpy()) <= error * np.abs(exact) + near)


def test_sums_along_other_axes_stay_apart():
    assert _check(lambda x: tf.reduce_sum(tf.square(x * 2.0), [1, 2]), X) == ["_FusedMap", "Sum"]


@pytest.mark.parametrize("name", ["exp", "tanh", "sigmoid", "silu"])
def test_exponentials_have_the_digits_of_float32_everywhere(name):
    ends = {"exp": (-87.0, 88.7), "tanh": (-10.0, 10.0)}.get(name, (-80.0, 80.0))
    near = np.linspace(-1e-3, 1e-3, 64)
    x = np.float32(np.concatenate([np.linspace(*ends, 1 << 15), near])).reshape(-1, 64)
    python = getattr(tf.nn, name, None) or getattr(tf.math, name)
    made = tf.function(lambda x: python(x) * 1.0)(tf.constant(x))
    np.testing.assert_allclose(made, python(tf.constant(x, tf.float64)), rtol=2.5e-7)


def test_a_value_that_is_used_outside_is_given_too():
    def python(x):
        y = x * ROW
        z = tf.nn.relu(y + 1.0)
        return tf.reverse(y, [0]), z

    assert _check(python, X) == ["_FusedMap", "ReverseV2"]


def test_what_needs_a_sum_runs_after_it():
    def python(x):
        y = x * ROW
        return tf.square(y - tf.reduce_mean(y, [0, 1, 2])) * 2.0

    assert _check(python, X) == ["_FusedMap", "_FusedMap"]


def test_batch_norm_and_its_gradients_are_a_few_passes():
    scale, offset = tf.Variable(ROW), tf.Variable(ROW * 0.5)

    def python(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            mean, variance = tf.nn.moments(x, [0, 1, 2])
            y = tf.nn.relu(tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3))
            loss = tf.reduce_sum(tf.sin(y) * x)
        return y, *tape.gradient(loss, [x, scale, offset])

    assert _check(python, X).count("_FusedMap") >= 4


def test_a_view_that_is_no_dense_memory():
    assert _check(lambda x: tf.exp(x[:, 1:-1] * 2.0) + 1.0, X)[-1] == "_FusedMap"


def test_rows_that_nothing_divides():
    x = _numbers(101, 7)
    assert _check(lambda x: (tf.exp(x) + 1.0, tf.reduce_sum(tf.exp(x), 0)), x) == ["_FusedMap"]


def test_one_value_that_two_expressions_share():
    def python(x):
        return tf.reduce_sum(tf.square(x + 1.0), 0), tf.reverse(x + 1.0, [0]), (x + 1.0) * 2.0

    _check(python, X)


def test_infinities_and_nan_are_what_torch_makes_of_them():
    x = tf.constant(np.float32([[np.inf, -np.inf, np.nan, 0.0, -0.0, 7.0]] * 4))
    for python in (
        tf.nn.relu, tf.nn.relu6, tf.abs, tf.exp, tf.sqrt, tf.sigmoid, tf.tanh, tf.nn.gelu,
        tf.nn.silu,
    ):  # fmt: skip
        made = tf.function(lambda x, python=python: python(x + 0.0) * 1.0)(x)
        np.testing.assert_allclose(made, python(x + 0.0) * 1.0, rtol=1e-6)


SQUARE = _numbers(19, 19)


def _taken_over(python: Callable[..., Any], *args: Any) -> list[int]:
    """How many inputs of each map give their memory to what it makes."""
    _check(python, *args)
    function = tf.function(python)
    for _ in range(3):  # in the first run torch may compute what later runs overwrite
        first = [y.numpy().copy() for y in tf.nest.flatten(function(*args))]
        again = tf.nest.flatten(function(*args))
        for one, other in zip(first, again, strict=True):
            np.testing.assert_array_equal(one, other)
    found = []
    for made in _maps_of(function, *args):
        found.append(len(made.lying.takes))
    return found


def _maps_of(function: Any, *args: Any) -> list[fused_map.FusedMap]:
    """The maps of a plan, in their order."""
    found: list[fused_map.FusedMap] = []
    made = fused_map.FusedMap.__call__

    def told(each: fused_map.FusedMap, tensors: Any) -> Any:
        found.append(each)
        return made(each, tensors)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fused_map.FusedMap, "__call__", told)
        function(*args)
    return found


def test_a_product_that_nobody_else_reads_gives_its_memory_away():
    x = _numbers(8, 19)
    assert _taken_over(lambda x: tf.tanh((x @ SQUARE) * 2.0), x) == [1]


@pytest.mark.parametrize("outside", ["result", "reader", "view", "sum of both"])
def test_a_product_that_others_read_keeps_its_memory(outside):
    def python(x):
        y = x @ SQUARE
        z = tf.tanh(y * 2.0)
        if outside == "result":
            return y, z
        if outside == "reader":
            return tf.reverse(y, [0]), z
        if outside == "view":
            return tf.reshape(y, [-1])[:5], z
        return tf.reverse(y, [0]) + tf.reverse(z, [0])

    assert _taken_over(python, _numbers(8, 19)) == [0]


def test_arguments_constants_and_variables_keep_their_memory():
    variable, x = tf.Variable(X), tf.identity(X)

    def python(x):
        y = tf.broadcast_to(variable, X.shape)
        return tf.exp(x * 0.1) + X, tf.tanh(variable * 2.0), tf.tanh(tf.add_n([y]) * 3.0)

    assert set(_taken_over(python, x)) == {0}
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(variable, X)


def test_a_map_gives_its_memory_to_the_next_one():
    def python(x):
        y = tf.exp(x * ROW)
        return tf.square(y - tf.reduce_mean(y, [0, 1, 2])) * 2.0

    assert _taken_over(python, X) == [0, 1]


def test_a_map_that_is_not_the_last_reader_takes_nothing_over():
    def python(x):
        y = tf.exp(x * ROW)
        z = tf.square(y - tf.reduce_mean(y, [0, 1, 2])) * 2.0
        return z, tf.reverse(tf.reverse(z, [0]) * y + y, [1])

    assert _taken_over(python, X) == [0, 0, 1]  # y dies in the third


def test_what_convolutions_have_read_is_overwritten_after_them():
    filter = _numbers(1, 1, 19, 19)

    def python(x):
        y = tf.nn.conv2d(x, filter, 1, "VALID")
        z = tf.nn.conv2d(y, filter, 1, "VALID")
        return tf.nn.relu(y + 1.0) + tf.reverse(z, [1])

    assert _taken_over(python, X) == [1]


def test_the_bias_of_a_large_product_is_left_to_the_pass_after_it(monkeypatch):
    filter = _numbers(1, 1, 19, 19)

    def python(x):
        y = tf.nn.relu6(tf.nn.conv2d(x, filter, 1, "VALID") + ROW)
        return tf.nn.relu(tf.nn.conv2d(y, filter, 1, "VALID") + ROW)

    small = _check(python, X)
    assert small.count("_FusedConv2D") == 2
    assert "_FusedMap" not in small
    monkeypatch.setattr(fusion, "LEAST_FOR_MAPS", 1)
    assert _check(python, X) == ["Conv2D", "_FusedMap"] * 2
    assert _taken_over(python, X) == [1, 1]


@pytest.mark.parametrize("is_first", [False, True])
def test_the_bias_of_a_large_product_of_matrices_is_left_to_the_pass_after_it(
    is_first, monkeypatch
):
    x, weights = _numbers(40, 30), _numbers(30, 19)

    def python(x):
        y = tf.matmul(x, weights)
        return tf.nn.relu(ROW + y if is_first else y + ROW)

    assert _check(python, x) == ["_FusedMatMul"]
    monkeypatch.setattr(fusion, "LEAST_AFTER_PRODUCTS", x.shape[0] * 19 + 1)
    assert _check(python, x) == ["_FusedMatMul"]
    monkeypatch.setattr(fusion, "LEAST_AFTER_PRODUCTS", x.shape[0] * 19)
    assert _check(python, x) == ["MatMul", "_FusedMap"]
    assert _taken_over(python, x) == [1]


@pytest.mark.parametrize("name", ["EMPLACE_FUSE", "EMPLACE_MACHINE_CODE"])
def test_it_can_be_turned_off(name, monkeypatch):
    monkeypatch.setenv(name, "0")
    assert _check(lambda x: tf.exp(x * 2.0) + 1.0, X) == ["Mul", "Exp", "AddV2"]


def test_small_tensors_are_left_alone(monkeypatch):
    monkeypatch.setattr(maps, "LEAST_NUMBERS", X.shape.num_elements() + 1)
    assert _check(lambda x: tf.exp(x * 2.0) + 1.0, X) == ["Mul", "Exp", "AddV2"]


def test_doubles_are_left_alone():
    x = tf.cast(X, tf.float64)
    assert _check(lambda x: tf.exp(x * 2.0) + 1.0, x) == ["Mul", "Exp", "AddV2"]


def test_a_compiled_function_is_torch_s_to_fuse():
    function = tf.function(lambda x: tf.exp(x * 2.0) + ROW, jit_compile=True)
    for _ in range(3):
        np.testing.assert_allclose(function(X), np.exp(X * 2.0) + ROW, rtol=1e-5)


def test_torch_s_default_dtype_changes_nothing():
    function = tf.function(lambda x: tf.exp(x * 2.0) + ROW)
    torch.set_default_dtype(torch.float64)
    try:
        made = function(X)
    finally:
        torch.set_default_dtype(torch.float32)
    np.testing.assert_allclose(made, np.exp(X * 2.0) + ROW, rtol=1e-5)


def test_a_report_tells_the_program_s_operations():
    function = tf.function(lambda x: tf.exp(x * 2.0) + 1.0)
    with emplace.watch() as report:
        function(X)
    assert {"Mul", "Exp", "AddV2"} <= {row["op"] for row in report.report().to_dict()["ops"]}


@pytest.mark.parametrize("first", ["columns", "dense"])
def test_a_map_takes_its_input_in_any_layout(first):
    steps = [
        fused_map.MapStep("Mul", (0, 1), torch.mul, {}),
        fused_map.MapStep("Exp", (2,), torch.exp, {}),
    ]
    made = fused_map.FusedMap((4, 6, 19), [(4, 6, 19), (19,)], steps, [3])
    wide, row = torch.randn(4, 6, 32), torch.randn(19)
    columns, turned = wide[..., 5:24], torch.randn(19, 6, 4).permute(2, 1, 0)
    layouts = [columns, columns.contiguous(), turned]
    for x in layouts if first == "columns" else [*layouts[1:], columns]:
        for _ in range(2):
            (found,) = made([x, row])
            torch.testing.assert_close(found, torch.exp(x * row))


@pytest.mark.parametrize("compare", [tf.greater, tf.greater_equal, tf.less, tf.less_equal])
def test_choices_by_comparisons_are_part_of_a_chain(compare):
    x = tf.constant([[-1.0, 0.0, 1.0, np.nan, np.inf] * 8] * 3)
    y = tf.constant([[0.0] * 5 + [1.0, np.nan, -np.inf] * 11 + [2.0, -2.0]] * 3)
    assert _check(lambda x: tf.where(compare(x, y), x * 2.0, y - 1.0) + 1.0, x) == ["_FusedMap"]
    assert _check(lambda x: tf.where(compare(x, 0.5), x, 0.0), x) == ["_FusedMap"]
    made = [_check(lambda x: tf.where(compare(x, y), 1.0, 0.0), x)]
    made += [_check(lambda x: tf.where(compare(0.5, y), x, y), x)]
    assert made == [["_FusedMap"]] * 2


def test_dropout_keeps_no_bools():
    def python(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.experimental.stateless_dropout(x * 3.0, 0.4, seed=[1, 2])
            z = y * y
        return z, tape.gradient(z, x)

    made = _check(python, X)
    assert not {"GreaterEqual", "SelectV2"} & set(made), made


def test_a_comparison_that_others_take_stays():
    def python(x):
        is_large = x > 0.5
        return tf.where(is_large, x, 0.0), is_large

    assert {"Greater", "SelectV2"} <= set(_check(python, X))
    assert "Greater" in _check(lambda x: tf.where(tf.reduce_any(x > 0.5), x, x * 2.0), X)


def test_choices_of_other_types_and_shapes_stay():
    whole = tf.cast(X, tf.float64)
    assert "SelectV2" in _check(lambda x: tf.where(x > 0.5, x, x * 2.0), whole)
    assert "SelectV2" in _check(lambda x: tf.where(x > 0.5, 1, 2), X)
    rows = X[:1]  # of other sizes than maps know
    assert "SelectV2" in _check(lambda x: tf.where(x > 0.5, X, 0.0), rows)
