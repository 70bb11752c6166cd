"""Small products take one thread, narrow ones are turned: ops/linalg/matrix_routines.py."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf
from emplace.codegen import library
from emplace.codegen.products.pieces import can_cut
from emplace.devices.meter import Meter
from emplace.ops.linalg import matrix_routines, pieced_products, products

_RANDOM = np.random.default_rng(0)
_SET = library.threads_of_products()
_needs_mkl = pytest.mark.skipif(_SET is None, reason="torch multiplies without MKL here")


class _Seen:
    """What a product was asked of: threads of MKL, and sizes."""

    def __init__(self) -> None:
        self.products: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = []


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Seen]:
    """Looks on at every product."""
    found, multiply = _Seen(), torch.mm

    def watched(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        found.products.append((_threads(), tuple(a.shape), tuple(b.shape)))
        return multiply(a, b)

    for module in (matrix_routines, products):
        monkeypatch.setattr(module, "mm", watched)
    of_torch = torch.get_num_threads()
    if of_torch == 1:  # a machine of one core, which has no choice
        torch.set_num_threads(2)
    before = _threads()
    yield found
    assert _threads() == before
    if of_torch == 1:
        torch.set_num_threads(1)


def _threads() -> int:
    """What is set for this thread: 0 for as many as the process has, if nobody has set any."""
    assert _SET is not None
    found = _SET(0)
    _SET(found)
    return found


def _numbers(*shape: int, dtype: str = "float32") -> np.ndarray:
    return _RANDOM.normal(size=shape).astype(dtype)


@_needs_mkl
@pytest.mark.parametrize(
    ("sizes", "takes_one"),
    [
        ((4, 4, 4), False),
        ((32, 32, 32), True),
        ((64, 64, 63), True),
        ((64, 64, 64), False),
        ((128, 128, 128), False),
    ],
)
@pytest.mark.parametrize("way", ["eager", "function", "session"])
@pytest.mark.usefixtures("_not_of_intel")
def test_small_products_take_one_thread(
    sizes: tuple[int, int, int], takes_one: bool, way: str, seen: _Seen
):
    rows, inner, columns = sizes
    a, b = _numbers(rows, inner), _numbers(inner, columns)
    if way == "eager":
        made = tf.matmul(a, b).numpy()
    elif way == "function":
        made = tf.function(tf.matmul)(tf.constant(a), tf.constant(b)).numpy()
    else:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            fed = tf.compat.v1.placeholder(tf.float32, [None, inner])
            made = session.run(tf.matmul(fed, b), {fed: a})
    np.testing.assert_allclose(made, a @ b, rtol=1e-4, atol=1e-4)
    assert seen.products == [(1 if takes_one else _threads(), a.shape, b.shape)]


@_needs_mkl
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_on_intel_larger_products_take_one_thread(
    dtype: str, seen: _Seen, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(matrix_routines, "is_of_intel", lambda: True)
    monkeypatch.setattr(pieced_products, "are_best_here", lambda: True)
    a, b = _numbers(128, 128, dtype=dtype), _numbers(128, 128, dtype=dtype)
    np.testing.assert_allclose(tf.matmul(a, b[:, :127]), a @ b[:, :127], rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(tf.matmul(a, b), a @ b, rtol=1e-3, atol=1e-4)
    expected = [(1, (128, 128), (128, 127)), (_threads(), (128, 128), (128, 128))]
    # The second one is cut into pieces where there are any.
    assert seen.products == (expected[:1] if dtype == "float32" and can_cut() else expected)


@_needs_mkl
def test_a_failing_product_gives_the_threads_back():
    a, b = torch.ones(32, 32), torch.ones(33, 32)
    before = _threads()
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        matrix_routines.product(a, b)
    assert _threads() == before


@_needs_mkl
@pytest.mark.usefixtures("_not_of_intel")
def test_the_threads_that_somebody_else_has_set_stay(seen: _Seen):
    assert _SET is not None
    before = _SET(2)
    try:
        matrix_routines.product(torch.ones(32, 32), torch.ones(32, 32))
        matrix_routines.product(torch.ones(128, 128), torch.ones(128, 128))
        assert [threads for threads, *_ in seen.products] == [1, 2]
        assert _threads() == 2
    finally:
        _SET(before)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("columns", [2, 10])
@pytest.mark.parametrize("transposed", [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("is_of_intel", [False, True])
def test_narrow_products(
    dtype: str,
    columns: int,
    transposed: tuple[bool, bool],
    is_of_intel: bool,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(matrix_routines, "is_of_intel", lambda: is_of_intel)
    a, b = _numbers(128, 200, dtype=dtype), _numbers(200, columns, dtype=dtype)
    b[3, 1] = np.inf
    row = _numbers(columns, dtype=dtype)
    given = [x.T.copy() if turned else x for x, turned in zip((a, b), transposed, strict=True)]
    how = dict(zip(("transpose_a", "transpose_b"), transposed, strict=True))
    exact = a.astype("float64") @ b.astype("float64")
    made = tf.matmul(*given, **how)
    np.testing.assert_allclose(made, exact, rtol=2e-4, atol=1e-4)
    function = tf.function(lambda a, b: tf.matmul(a, b, **how) + row)
    np.testing.assert_allclose(function(*given), exact + row, rtol=2e-4, atol=1e-4)


@pytest.fixture
def _not_of_intel(monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor of another maker."""
    monkeypatch.setattr(matrix_routines, "is_of_intel", lambda: False)
    monkeypatch.setattr(pieced_products, "are_best_here", lambda: False)


@_needs_mkl
@pytest.mark.usefixtures("_not_of_intel")
def test_a_narrow_product_is_computed_transposed_and_lies_row_by_row(seen: _Seen):
    for rows, inner, columns in ((128, 512, 10), (512, 128, 2)):
        made = matrix_routines.product(torch.ones(rows, inner), torch.ones(inner, columns))
        assert made.is_contiguous()
        assert made.shape == (rows, columns)
    # Neither is a vector, a wider one, a small one, nor one of integers.
    for rows, inner, columns in ((128, 512, 1), (128, 512, 11), (64, 64, 10)):
        matrix_routines.product(torch.ones(rows, inner), torch.ones(inner, columns))
    one = torch.ones(128, 512, dtype=torch.int32)
    matrix_routines.product(one, one[:10].t())
    assert [shapes for _, *shapes in seen.products] == [
        [(10, 512), (512, 128)], [(2, 128), (128, 512)],
        [(128, 512), (512, 1)], [(128, 512), (512, 11)], [(64, 64), (64, 10)],
        [(128, 512), (512, 10)],
    ]  # fmt: skip


@_needs_mkl
def test_on_intel_narrow_products_of_columns_are_computed_transposed(
    seen: _Seen, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(matrix_routines, "is_of_intel", lambda: True)
    given = [
        (torch.ones(128, 512), 8),
        (torch.ones(512, 128).t(), 8),
        (torch.ones(512, 128).t(), 9),
    ]
    for a, columns in given:
        made = matrix_routines.product(a, torch.ones(512, columns))
        assert made.is_contiguous()
        assert made.shape == (128, columns)
    assert [shapes for _, *shapes in seen.products] == [
        [(128, 512), (512, 8)], [(8, 512), (512, 128)], [(128, 512), (512, 9)],
    ]  # fmt: skip


@pytest.mark.usefixtures("_not_of_intel")
@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_a_rehearsal_counts_the_result_before_it_is_turned(device: str):
    a, b = torch.ones(128, 512, device=device), torch.ones(512, 10, device=device)
    with Meter([a, b]) as meter:
        matrix_routines.product(a, b)
    assert meter.peak == 2 * 128 * 10 * 4
