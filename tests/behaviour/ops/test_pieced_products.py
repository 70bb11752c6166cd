"""Products of the library's in pieces that threads take: ops/linalg/pieced_products.py."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf
from emplace.codegen import library, team
from emplace.codegen.products import pieces
from emplace.ops.linalg import matrix_routines, pieced_products

pytestmark = pytest.mark.skipif(
    not pieces.can_cut(), reason="torch lends no product here, or no machine code can be made"
)
SET_THREADS = library.threads_of_products()


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Products of any size, on any processor, are cut on three threads; it is noted which were."""
    monkeypatch.setattr(pieced_products, "are_best_here", lambda: True)
    monkeypatch.setattr(matrix_routines, "is_of_intel", lambda: True)
    monkeypatch.setattr(pieced_products, "LEAST", 1)
    monkeypatch.setattr(pieced_products, "_LEAST_PIECE", 1)
    pieced_products._cut.cache_clear()
    answers: list[bool] = []
    real = pieced_products.of_two

    def noting(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor | None:
        made = real(a, b)
        answers.append(made is not None)
        return made

    monkeypatch.setattr(pieced_products, "of_two", noting)
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield answers
    torch.set_num_threads(before)
    pieced_products._cut.cache_clear()


def _multiply(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, threads: int) -> None:
    forms = [pieces.MatrixForm(*x.shape, *x.stride()) for x in (a, b)]
    cut = pieces.cut_of(*forms, threads)
    pieces.multiply_in_pieces(cut, a.data_ptr(), b.data_ptr(), c.data_ptr(), threads)


def _lying(way: str, rows: int, columns: int) -> torch.Tensor:
    random = torch.Generator().manual_seed(rows * columns)
    if way == "turned":
        return torch.randn(columns, rows, generator=random).t()
    if way == "a part":
        return torch.randn(rows + 3, columns + 5, generator=random)[2:-1, 1:-4]
    if way == "a turned part":
        return torch.randn(columns + 5, rows + 3, generator=random)[1:-4, 2:-1].t()
    return torch.randn(rows, columns, generator=random)


WAYS = ("in order", "turned", "a part", "a turned part")
# Rows, what is summed, columns: pieces that are even, and not; one row, one column, one number.
SIZES = [(96, 40, 96), (100, 33, 7), (7, 33, 100), (1, 5, 50), (50, 5, 1), (3, 1, 2), (1, 1, 1)]


@pytest.mark.parametrize("is_crowded", [False, True])
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize(("left", "right"), [*itertools.product(WAYS, WAYS)])
def test_matrices_are_multiplied_however_they_lie(
    noted, monkeypatch, sizes, left, right, is_crowded
):
    monkeypatch.setattr(team, "is_crowded", lambda: is_crowded)
    rows, depth, columns = sizes
    a, b = _lying(left, rows, depth), _lying(right, depth, columns)
    if max(rows, columns) < 3:
        assert pieced_products.of_two(a, b) is None
        return
    made = pieced_products.of_two(a, b)
    np.testing.assert_allclose(made, a.double() @ b.double(), rtol=0, atol=1e-5 * depth**0.5)


def test_bits_do_not_depend_on_other_work(noted, monkeypatch):
    a, b = _lying("in order", 300, 500), _lying("turned", 500, 700)
    made = []
    for is_crowded in (False, True):
        monkeypatch.setattr(team, "is_crowded", lambda told=is_crowded: told)
        made.append(pieced_products.of_two(a, b))
    assert torch.equal(*made)


def test_nothing_beside_the_result_is_written(noted):
    a, b = torch.ones(40, 50), torch.ones(50, 37)
    whole = torch.full((46, 37), 7.0)
    _multiply(a, b, whole[3:43], 3)
    assert (whole[3:43] == 50).all()
    assert (whole[:3] == 7).all()
    assert (whole[43:] == 7).all()


def test_what_was_in_memory_before_does_not_matter(noted):
    result = torch.full((40, 50), torch.nan)
    _multiply(torch.ones(40, 3), torch.ones(3, 50), result, 2)
    assert (result == 3).all()


@pytest.mark.parametrize(
    "refused",
    [
        lambda x: (x.double(), x.double()),
        lambda x: (x[:, ::2], x[:50]),  # neither rows nor columns lie together
        lambda x: (x, x[:1].expand(100, 100)),  # rows lie on each other
        lambda x: (x, x[:50]),  # they do not fit
    ],
)
def test_others_multiply_what_the_library_cannot_read(noted, refused: Callable):
    assert pieced_products.of_two(*refused(torch.ones(100, 100))) is None


def test_one_thread_cuts_nothing(noted):
    torch.set_num_threads(1)
    assert pieced_products.of_two(torch.ones(100, 100), torch.ones(100, 100)) is None


def test_other_processors_cut_nothing(noted, monkeypatch):
    monkeypatch.setattr(pieced_products, "are_best_here", lambda: False)
    assert pieced_products.of_two(torch.ones(100, 100), torch.ones(100, 100)) is None


def test_the_threads_that_somebody_else_has_set_stay(noted):
    before = SET_THREADS(2)
    try:
        assert pieced_products.of_two(torch.ones(100, 100), torch.ones(100, 100)) is not None
        assert SET_THREADS(2) == 2
    finally:
        SET_THREADS(before)


@pytest.mark.parametrize("way", ["eager", "function", "compiled"])
def test_programs_get_the_same_in_every_way(noted, way):
    random = np.random.default_rng(3)
    x = tf.constant(random.normal(size=(80, 70)).astype(np.float32))
    w = tf.Variable(random.normal(size=(70, 90)).astype(np.float32))
    row = tf.Variable(random.normal(size=(90,)).astype(np.float32))

    def model(x: tf.Tensor) -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            y = tf.matmul(x, w) + row
            loss = tf.reduce_sum(y * y)
        return [y, *tape.gradient(loss, [w, row])]

    run = {
        "eager": lambda: model, "function": lambda: tf.function(model),
        "compiled": lambda: tf.function(model, jit_compile=True),
    }[way]()  # fmt: skip
    y, dw, drow = run(x)
    exact = x.numpy().astype(float) @ w.numpy().astype(float) + row.numpy()
    np.testing.assert_allclose(y, exact, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(dw, 2 * x.numpy().T.astype(float) @ exact, rtol=1e-5, atol=1e-2)
    np.testing.assert_allclose(drow, 2 * exact.sum(0), rtol=1e-5, atol=1e-3)
    assert True in noted
