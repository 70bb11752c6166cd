"""Products of matrices as machine code: ops/linalg/machine_products.py."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch

import emplace
import emplace.tensorflow as tf
from emplace.codegen import code, team
from emplace.codegen.products import kernels
from emplace.devices.meter import Meter
from emplace.graph.passes import fusion
from emplace.ops import limits
from emplace.ops.limits import NO_LIMITS, RELU, RELU6, address_of_limits
from emplace.ops.linalg import machine_products

pytestmark = pytest.mark.skipif(not code.lanes(), reason="this processor has none of these kernels")


def _forget() -> None:
    """Products that were made ready by other rules."""
    machine_products._ready_of_two.cache_clear()
    machine_products._ready_of_many.cache_clear()


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Products of any size, on any processor, are for machine code; what was computed is noted."""
    for name in dir(machine_products):
        if name.startswith(("LEAST_", "_LEAST_")):
            monkeypatch.setattr(machine_products, name, 1)
    monkeypatch.setattr(machine_products, "_MOST_EMPTY", 1e9)
    monkeypatch.setattr(machine_products, "_LANES_OF_ONE", code.lanes())
    monkeypatch.setattr(machine_products, "is_of_intel", lambda: False)
    noted: list[str] = []

    def note(name: str, real: Callable) -> None:
        def noting(*given: object) -> torch.Tensor | None:
            made = real(*given)
            noted.append(name if made is not None else f"no {name}")
            return made

        monkeypatch.setattr(machine_products, name, noting)

    for name in ("of_two", "of_many"):
        note(name, getattr(machine_products, name))
    _forget()
    yield noted
    _forget()


@pytest.fixture
def threads() -> Iterator[Callable[[int], None]]:
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


def _lying(way: str, outer: int, inner: int, rows: int, columns: int) -> torch.Tensor:
    """Random matrices that lie in one of several ways."""
    random = torch.Generator().manual_seed(rows * columns)

    def numbers(*sizes: int) -> torch.Tensor:
        return torch.randn(sizes, generator=random)

    return {
        "in order": lambda: numbers(outer, inner, rows, columns),
        "heads": lambda: numbers(outer, rows, inner, columns).transpose(1, 2),
        "turned": lambda: numbers(outer, inner, columns, rows).mT,
        "turned heads": lambda: numbers(outer, columns, inner, rows).permute(0, 2, 3, 1),
        "a part": lambda: numbers(outer, inner, rows + 3, columns + 5)[:, :, 2:-1, 1:-4],
        "one for all": lambda: numbers(1, 1, rows, columns).expand(outer, inner, rows, columns),
    }[way]()


WAYS = ("in order", "heads", "turned", "turned heads", "a part", "one for all")
SIZES = [
    # outer, inner, rows, depth, columns: rows, panels and blocks that are whole, and others.
    (1, 1, 6, 256, 64), (2, 3, 13, 33, 65), (3, 1, 7, 300, 2), (1, 4, 50, 7, 130), (1, 1, 1, 1, 1),
    (2, 1, 101, 513, 700),
]  # fmt: skip


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize(("left", "right"), [*itertools.product(WAYS, WAYS)])
def test_matrices_are_multiplied_however_they_lie(always, sizes, left, right):
    outer, inner, rows, depth, columns = sizes
    a = _lying(left, outer, inner, rows, depth)
    b = _lying(right, outer, inner, depth, columns)
    exact = a.double() @ b.double()
    made = machine_products.of_many(a, b)
    assert made.shape == exact.shape
    np.testing.assert_allclose(made, exact, rtol=0, atol=1e-6 * depth**0.5 * exact.abs().max())


# Columns that share places in a processor's caches, and others.
@pytest.mark.parametrize("width", [100, 1024])
def test_columns_of_a_wide_matrix_are_multiplied(always, width):
    random = torch.Generator().manual_seed(0)
    a = torch.randn(300, width, generator=random)[:, 3:98].t()
    b = torch.randn(300, 77, generator=random)
    made = machine_products.of_two(a, b)
    np.testing.assert_allclose(made, a.double() @ b.double(), rtol=0, atol=1e-4)


@pytest.mark.parametrize("limits", [NO_LIMITS, RELU, RELU6])
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize(("left", "right"), [("in order", "in order"), ("turned", "turned")])
def test_a_row_is_added_once_and_limits_are_those_of_whole_sums(
    always, threads, count, left, right, limits
):
    """Of 600 numbers, in three blocks, of which some would be cut off on the way."""
    threads(count)
    a, b = _lying(left, 1, 1, 200, 600)[0, 0], _lying(right, 1, 1, 600, 150)[0, 0]
    row = torch.linspace(-50, 50, 150)
    row[7] = torch.nan
    made = machine_products.of_two(a, b, row, limits)
    exact = torch.clamp(a.double() @ b.double() + row, *limits)
    np.testing.assert_allclose(made, exact, rtol=0, atol=1e-4)


# Rows that are summed at once, and what may be left of them.
@pytest.mark.parametrize("rows", [*range(1, 14), 100, 101, 102, 103, 104, 105])
@pytest.mark.parametrize("right", ["in order", "turned"])
def test_rows_that_are_left_are_summed_with_others(always, rows, right):
    a, b = _lying("in order", 1, 1, rows, 500)[0, 0], _lying(right, 1, 1, 500, 100)[0, 0]
    made = machine_products.of_two(a, b)
    np.testing.assert_allclose(made, a.double() @ b.double(), rtol=2e-6, atol=1e-4)


def test_nothing_beside_the_result_is_written(always):
    a, b = torch.ones(1, 1, 13, 70), torch.ones(1, 1, 70, 37)
    whole = torch.full((1, 1, 17, 45), 7.0)
    part = whole[:, :, 2:-2, 3:-5]
    forms = [kernels.Matrices(tuple(x.shape), x.stride()) for x in (a, b, part)]
    product = kernels.ReadyProduct(*forms, threads=1)
    assert product.memory is None
    places = a.data_ptr(), b.data_ptr(), part.data_ptr()
    product.multiply(places, None, address_of_limits(NO_LIMITS))
    assert (part == 70).all()
    part[:] = 7
    assert (whole == 7).all()


def test_heads_that_lie_in_rows_do_so_in_the_result(always):
    a, heads = torch.ones(2, 3, 8, 5), torch.ones(2, 5, 3, 4).transpose(1, 2)
    made = machine_products.of_many(a, heads)
    assert made.transpose(1, 2).is_contiguous()
    assert machine_products.of_many(a, torch.ones(2, 3, 5, 4)).is_contiguous()
    # Their columns are no columns of the result.
    assert machine_products.of_many(heads, heads.mT).is_contiguous()


def test_what_is_not_finite_stays_in_its_row_and_column(always):
    a, b = torch.ones(1, 1, 9, 20), torch.ones(1, 1, 20, 70)
    a[0, 0, 8, 3], b[0, 0, 5, 69] = torch.inf, torch.nan
    made = machine_products.of_many(a, b)[0, 0]
    assert (made[:8, :69] == 20).all()
    assert (made[8, :69] == torch.inf).all()
    assert made[:, 69].isnan().all()


@pytest.mark.parametrize("is_crowded", [False, True])
@pytest.mark.parametrize("right", ["in order", "turned"])
@pytest.mark.parametrize("left", ["in order", "turned"])
@pytest.mark.parametrize("count", [1, 5])
def test_bits_do_not_depend_on_threads(
    always, threads, monkeypatch, count, left, right, is_crowded
):
    monkeypatch.setattr(team, "is_crowded", lambda: is_crowded)
    monkeypatch.setattr(kernels, "_PIECE", 1 << 15)  # of the only one
    _forget()
    a, b = _lying(left, 1, count, 200, 300), _lying(right, 1, count, 300, 90)
    made = []
    for number in (1, 2, 3):
        threads(number)
        made.append(machine_products.of_many(a, b))
    np.testing.assert_allclose(made[0], a.double() @ b.double(), rtol=0, atol=1e-4)
    assert torch.equal(made[0], made[1])
    assert torch.equal(made[0], made[2])


def _model(x: tf.Tensor, w: tf.Variable, q: tf.Tensor) -> list[tf.Tensor]:
    with tf.GradientTape() as tape:
        tape.watch(q)
        heads = tf.transpose(q, [0, 2, 1, 3])
        seen = tf.matmul(heads, heads, transpose_b=True)
        y = tf.reduce_sum(tf.matmul(x, w) ** 2) + tf.reduce_sum(tf.matmul(seen, heads))
    return [y, *tape.gradient(y, [w, q])]


@pytest.mark.parametrize("way", ["eager", "function", "compiled"])
def test_programs_get_the_same_in_every_way(always, way):
    random = np.random.default_rng(3)
    x = tf.constant(random.normal(size=(80, 70)).astype(np.float32))
    w = tf.Variable(random.normal(size=(70, 33)).astype(np.float32))
    q = tf.constant(random.normal(size=(2, 9, 3, 8)).astype(np.float32))
    ways = {
        "eager": _model, "function": tf.function(_model),
        "compiled": tf.function(_model, jit_compile=True),
    }  # fmt: skip
    made = ways[way](x, w, q)
    assert {"of_two", "of_many"} <= set(always)
    exact = x.numpy().astype(float)
    wanted = 2 * exact.T @ (exact @ w.numpy())
    np.testing.assert_allclose(made[1], wanted, rtol=0, atol=1e-5 * np.abs(wanted).max())
    q = tf.cast(q, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(q)
        heads = tf.transpose(q, [0, 2, 1, 3])
        y = tf.reduce_sum(tf.matmul(tf.matmul(heads, heads, transpose_b=True), heads))
    wanted = tape.gradient(y, q)
    np.testing.assert_allclose(made[2], wanted, rtol=0, atol=1e-5 * np.abs(wanted).max())


@pytest.mark.parametrize("is_convolution", [False, True])
def test_plans_leave_biases_and_limits_with_products_that_take_them(
    always, monkeypatch, is_convolution
):
    for name in ("LEAST_AFTER_PRODUCTS", "LEAST_FOR_MAPS"):  # others would have a pass behind them
        monkeypatch.setattr(fusion, name, 1)
    x = tf.random.stateless_normal((4, 6, 5, 70), [1, 2])
    w = tf.random.stateless_normal((1, 1, 70, 33), [3, 4])
    b = tf.random.stateless_normal((33,), [5, 6])

    def python(x):
        if is_convolution:
            return tf.nn.relu6(tf.nn.bias_add(tf.nn.conv2d(x, w, 1, "SAME"), b))
        return tf.nn.relu(tf.matmul(tf.reshape(x, [-1, 70]), w[0, 0]) + b)

    made = tf.function(python)(x)
    np.testing.assert_allclose(made, python(x), rtol=1e-5, atol=1e-5)
    ops = [step.op for step in emplace.explain(tf.function(python), x).steps]
    assert ("_FusedConv2D" if is_convolution else "_FusedMatMul") in ops
    assert not {"Relu", "Relu6", "_FusedMap"} & set(ops)


def test_only_large_products_of_float32_are_for_machine_code():
    small = torch.ones(96, 64)
    assert machine_products.of_two(small.t().contiguous().t(), torch.ones(64, 64)) is None
    large, other = torch.ones(512, 512).t(), torch.ones(512, 512)
    for dtype in (torch.float64, torch.bfloat16):
        assert machine_products.of_two(large.to(dtype), other.to(dtype)) is None
    assert machine_products.of_two(large, torch.ones(512, 512, requires_grad=True)) is None
    assert machine_products.of_two(large, other[1:]) is None
    assert machine_products.of_two(large[:, ::2], other[::2, ::2]) is None


def test_a_row_that_machine_code_cannot_read_is_left_to_others():
    large, other = torch.ones(512, 512), torch.ones(512, 512)
    row = torch.ones(1024)
    assert machine_products.of_two(large, other, row[::2]) is None
    assert machine_products.of_two(large, other, row[:512].double()) is None


def test_what_all_products_read_is_no_memory_of_the_first_one(always, threads):
    threads(1)
    for known in (kernels._zeros, limits._in_memory, address_of_limits):
        known.cache_clear()
    a = torch.empty(512, 300, device="meta")
    with Meter([a]) as meter:
        made = machine_products.of_two(a, a.mT, None, RELU)
    assert meter.peak == 4 * made.numel()


def test_memory_of_products_is_counted(always, threads):
    """But for what a thread of the program keeps for them, less than half a megabyte."""
    threads(1)
    near, far = (torch.empty(1, 4, 500, width, device="meta").mT for width in (300, 1024))
    for a in (near, far):
        with Meter([a]) as meter:
            made = machine_products.of_many(a, a.mT)
        shapes = tuple(a.shape), a.stride(), tuple(a.mT.shape), a.mT.stride()
        shape = machine_products._ready_of_many(*shapes, 1).product.memory
        assert shape is None if a is near else shape[0] == 1
        assert meter.peak >= 4 * made.numel() + (4 * shape[1] if shape else 0)
        assert made.shape == (1, 4, a.shape[2], a.shape[2])


def _heads(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Queries and keys of heads of 64 numbers, as they lie in rows."""
    rows = torch.rand(2, 128, count, 64, generator=torch.Generator().manual_seed(0))
    return rows.permute(0, 2, 1, 3), rows.permute(0, 2, 3, 1)


@pytest.mark.parametrize("count", [4, 16])
@pytest.mark.parametrize("numbers", [4, 8, 16])
def test_which_vectors_multiply_many_matrices(monkeypatch, numbers, count):
    """Those of 8 numbers unless rows, of 16 heads 1,024 numbers each, share places in a cache."""
    monkeypatch.setattr(machine_products, "lanes", lambda: numbers)
    monkeypatch.setattr(machine_products, "is_of_intel", lambda: False)
    _forget()
    made = machine_products.of_many(*_heads(count))
    _forget()
    assert (made is not None) == (numbers == 16 or (numbers == 8 and count == 4))
