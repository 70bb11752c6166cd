"""Products with few columns, or of few numbers each: ops/linalg/narrow_products.py."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf
from emplace.codegen import code
from emplace.codegen.products.narrow import ACROSS, ALONG, DEEP, SHORT
from emplace.ops.linalg import matrix_routines, narrow_products, products

pytestmark = pytest.mark.skipif(not code.lanes(), reason="this processor has none of these kernels")


@pytest.fixture(autouse=True)
def ready(monkeypatch: pytest.MonkeyPatch) -> dict:
    """Products of any size, on any processor, are for machine code; holds what was made."""
    made: dict = {}
    for name in ("LEAST", "BEFORE"):
        monkeypatch.setattr(narrow_products, name, 1)
    monkeypatch.setattr(narrow_products, "_READY", made)
    monkeypatch.setattr(narrow_products, "_FOR_MM", {code.lanes(): ()})
    monkeypatch.setattr(narrow_products, "is_of_intel", lambda: False)
    monkeypatch.setattr(products, "LEAST_SHARED", 1)
    monkeypatch.setattr(matrix_routines, "LEAST_SHARED", 1)
    monkeypatch.setattr(products, "LEAST_WORK_TO_CHOOSE", 1)
    return made


@pytest.fixture
def threads() -> Iterator[Callable[[int], None]]:
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


def _lying(way: str, rows: int, columns: int) -> torch.Tensor:
    """Random numbers that lie in one of several ways."""
    random = torch.Generator().manual_seed(rows * columns)
    numbers = torch.randn(rows + 3, columns + 5, generator=random)
    return {
        "by rows": lambda: numbers[:rows, :columns].contiguous(),
        "by columns": lambda: numbers[:rows, :columns].t().contiguous().t(),
        "a part": lambda: numbers[2:-1, 1:-4],
        "a turned part": lambda: numbers.t().contiguous().t()[2:-1, 1:-4],
        "one for all": lambda: numbers[:1, :columns].expand(rows, columns),
        "apart": lambda: torch.randn(rows, 2 * columns, generator=random)[:, ::2],
    }[way]()


WAYS = ("by rows", "by columns", "a part", "a turned part", "one for all", "apart")
SIZES = [
    # rows, depth, columns: parts of sums, vectors and rows that are whole, and others.
    (128, 512, 10), (16, 17, 2), (67, 100, 3), (75, DEEP + code.lanes(), 7),
    (65, DEEP + code.lanes() + 1, 5), (100, 2 * DEEP + 37, 16), (64, 3 * DEEP, 8),
    # A few numbers in each sum.
    (128, 10, 512), (16, 2, 1), (37, 3, 100), (300, 16, 33), (513, 12, 40), (50, 13, 16),
]  # fmt: skip


@pytest.mark.parametrize("sizes", SIZES)
def test_factors_are_multiplied_however_they_lie(ready, sizes):
    rows, depth, columns = sizes
    row = torch.randn(columns, generator=torch.Generator().manual_seed(1))
    for left, right, added in itertools.product(WAYS, WAYS, (None, row)):
        a, b = _lying(left, rows, depth), _lying(right, depth, columns)
        exact = a.double() @ b.double() + (0 if added is None else added.double())
        made = matrix_routines.product(a, b, added)
        assert made.shape == exact.shape
        assert made.is_contiguous()
        np.testing.assert_allclose(
            made, exact, rtol=0, atol=1e-6 * depth**0.5 * max(1, exact.abs().max())
        )
    assert ready


def test_which_machine_code_serves():
    def way(a: torch.Tensor, b: torch.Tensor) -> str | None:
        form = narrow_products._form(a, b)
        return None if form is None else form.way

    x, weights = torch.ones(128, 512), torch.ones(512, 10)
    assert way(x, weights) == ALONG
    assert way(x.t(), torch.ones(128, 10)) == ACROSS
    assert way(torch.ones(128, 10), weights.t()) == SHORT
    assert way(torch.ones(15, 512), weights) is None
    assert way(x, torch.ones(512, 17)) is None
    assert way(x, torch.ones(512, 1)) is None
    assert way(x[:, ::2], weights[:256]) is None
    assert way(x, weights[1:]) is None
    # Threads would have too few rows.
    assert way(torch.ones(64, 1 << 16), torch.ones(1 << 16, 10)) is None


def test_nothing_beside_the_result_is_written(monkeypatch):
    memory = []

    def within(size: tuple[int, int], **given: object) -> torch.Tensor:
        whole = torch.full((size[0] * size[1] + 64,), 7.0)
        memory.append(whole)
        return whole[32:-32].view(size)

    monkeypatch.setattr(narrow_products.torch, "empty", within)
    for a, b in (
        (torch.ones(35, 70), torch.ones(70, 9)),
        (torch.ones(70, 77).t(), torch.ones(70, 9)),
        (torch.ones(35, 9), torch.ones(9, 70)),
    ):
        made = narrow_products.of_few(a, b, None)
        assert (made == a.shape[1]).all()
        whole = memory.pop()
        assert (whole[:32] == 7).all()
        assert (whole[-32:] == 7).all()


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("sizes", [(70, 40, 9), (70, 9, 40)])
def test_what_is_not_finite_stays_in_its_row_and_column(ready, sizes, turned):
    rows, depth, columns = sizes
    a, b = torch.ones(rows, depth), torch.ones(depth, columns)
    a[8, 3], a[9, 4], b[5, 8] = torch.inf, -torch.inf, torch.nan
    if turned:
        a, b = a.t().contiguous().t(), b.t().contiguous().t()
    made = matrix_routines.product(a, b)
    assert ready
    assert made[:, 8].isnan().all()
    others = made[:, [i for i in range(columns) if i != 8]]
    assert (others[8] == torch.inf).all()
    assert (others[9] == -torch.inf).all()
    assert (others[10:] == depth).all()


@pytest.mark.parametrize("way", ["by rows", "by columns"])
@pytest.mark.parametrize("sizes", [(1000, 600, 10), (1000, 10, 90)])
def test_bits_do_not_depend_on_threads(monkeypatch, threads, sizes, way):
    monkeypatch.setattr(narrow_products, "LEAST_SHARED", 1)
    rows, depth, columns = sizes
    a, b, row = _lying(way, rows, depth), _lying("by rows", depth, columns), torch.ones(columns)
    made = []
    for count in (1, 2, 3):
        threads(count)
        made.append(matrix_routines.product(a, b, row))
    assert torch.equal(made[0], made[1])
    assert torch.equal(made[0], made[2])
    assert torch.equal(made[0][:70], narrow_products.of_few(a[:70], b, row))


@pytest.mark.parametrize("sizes", [(91, 16, 91), (32, 512, 10), (32, 10, 512), (512, 32, 10)])
def test_the_way_does_not_depend_on_threads(monkeypatch, threads, ready, sizes):
    rows, depth, columns = sizes
    monkeypatch.undo()
    monkeypatch.setattr(narrow_products, "is_of_intel", lambda: False)
    monkeypatch.setattr(narrow_products, "BEFORE", 1)
    monkeypatch.setattr(narrow_products, "_READY", ready)
    a, b = torch.ones(rows, depth), torch.ones(depth, columns)
    for count in (1, 2):
        threads(count)
        ready.clear()
        products.matmul_kernel(a, b)
        assert ready


def test_few_products_are_not_compiled(monkeypatch, ready):
    monkeypatch.setattr(narrow_products, "BEFORE", 1 << 27)
    monkeypatch.setattr(narrow_products, "_DONE", narrow_products.DoneOtherwise())
    a, b = torch.ones(128, 512), torch.ones(512, 10)
    for _ in range(20):
        matrix_routines.product(a, b)
    assert not ready
    for _ in range(300):
        matrix_routines.product(a, b)
    assert ready


def test_other_tensors_are_left_to_torch(monkeypatch, ready):
    a, b = torch.ones(128, 512), torch.ones(512, 10)
    for dtype in (torch.float64, torch.bfloat16):
        matrix_routines.product(a.to(dtype), b.to(dtype))
    assert not ready
    assert narrow_products.of_few(a, b, None) is not None
    assert narrow_products.of_few(a.clone().requires_grad_(), b, None) is None
    assert narrow_products.of_few(a, b, torch.ones(10, requires_grad=True)) is None
    assert narrow_products.of_few(a, b, torch.ones(20)[::2]) is None
    assert narrow_products.of_few(a.to("meta"), b.to("meta"), None) is None
    ready.clear()
    for name in ("EMPLACE_MACHINE_CODE",):
        monkeypatch.setenv(name, "0")
        matrix_routines.product(a, b)
    monkeypatch.setattr(narrow_products, "is_of_intel", lambda: True)
    matrix_routines.product(a, b)
    assert not ready


def _step(x: tf.Tensor, w: tf.Variable, b: tf.Variable) -> list[tf.Tensor]:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum((tf.matmul(x, w) + b) ** 2)
    return [y, *tape.gradient(y, [x, w, b])]


@pytest.mark.parametrize("way", ["eager", "function", "compiled"])
def test_programs_get_the_same_in_every_way(ready, way):
    random = np.random.default_rng(3)
    x, w, b = (random.normal(size=sizes).astype("float32") for sizes in ((90, 70), (70, 9), (9,)))
    ways = {
        "eager": _step, "function": tf.function(_step),
        "compiled": tf.function(_step, jit_compile=True),
    }  # fmt: skip
    made = ways[way](tf.constant(x), tf.Variable(w), tf.Variable(b))
    forms = {entry.sizes[:2] for entry in ready.values()}
    assert way == "compiled" or {(70, 9), (9, 70), (90, 9)} <= forms
    y = x.astype(float) @ w + b
    for ours, exact in zip(
        made, [(y**2).sum(), 2 * y @ w.T, 2 * x.T @ y, 2 * y.sum(0)], strict=True
    ):
        np.testing.assert_allclose(ours, exact, rtol=0, atol=1e-5 * np.abs(exact).max())


@pytest.mark.parametrize("depth", [1, 2, code.lanes(), code.lanes() + 1])
@pytest.mark.parametrize("columns", [2, 5, 16])
def test_sums_of_fewer_numbers_than_a_vector_has(depth: int, columns: int):
    """Behind the factors there is what is not a number: nobody may read it."""
    numbers = torch.full((200 * depth + 100,), torch.nan)
    a = numbers[: 200 * depth].view(200, depth)
    a[:] = _lying("by rows", 200, depth)
    b = _lying("by rows", depth, columns)
    np.testing.assert_allclose(matrix_routines.product(a, b), a.double() @ b.double(), atol=1e-5)
