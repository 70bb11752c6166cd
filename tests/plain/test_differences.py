"""Differences from means are computed where they are taken: graph/passes/differences.py."""

from __future__ import annotations

from typing import Any

import pytest
from hand_made import HandMade, on_host

from emplace.graph.passes import maps
from emplace.graph.passes.differences import with_repeated_differences
from emplace.graph.representation.graph import SymbolicTensor
from emplace.ops.linalg.products import matmul
from emplace.ops.math.elementwise import exp, multiply, square, subtract
from emplace.ops.math.reduction import reduce_mean

LARGE = (128, 64)


def _differences(*results: SymbolicTensor, kept: tuple[SymbolicTensor, ...] = ()) -> list[str]:
    """The ops of a graph in which differences are computed again, arguments aside."""
    operations = [each for each in results[0].graph.operations if each.type != "_Arg"]
    placed = on_host(operations)
    made = with_repeated_differences(operations, placed, {*map(id, (*results, *kept))}, {})
    assert all(each in placed for each in made)
    return [each.type for each in made]


def _network(taking: Any) -> tuple[SymbolicTensor, SymbolicTensor, SymbolicTensor]:
    """A product's result less its mean, which is taken near there and, as `taking` says, behind
    another product.
    """
    made = HandMade()
    x, w = made.argument(LARGE), made.argument((64, 64))
    with made.taking_ops():
        y = exp(matmul(x, w))
        difference = subtract(y, reduce_mean(y, 0, True))
        near = square(difference)
        later = matmul(near, w)
        return near, taking(later, difference), difference


def test_a_difference_is_computed_again_behind_another_product() -> None:
    near, far, _ = _network(multiply)
    first = ["MatMul", "Exp", "Mean", "Sub", "Square", "MatMul"]
    assert [x for x in _differences(near, far) if x != "Const"] == [*first, "Sub", "Mul"]


def test_once_for_all_that_take_it_there() -> None:
    near, far, _ = _network(lambda later, x: multiply(multiply(later, x), exp(x)))
    assert _differences(near, far).count("Sub") == 2


def test_who_takes_it_first_takes_it_as_it_is() -> None:
    made = HandMade()
    x, w = made.argument(LARGE), made.argument((64, 64))
    with made.taking_ops():
        y = exp(matmul(x, w))
        difference = subtract(y, reduce_mean(y, 0, True))
        far = multiply(matmul(y, w), difference)
    assert _differences(far).count("Sub") == 1


def test_what_is_wanted_is_kept() -> None:
    near, far, difference = _network(multiply)
    assert _differences(near, far, kept=(difference,)).count("Sub") == 1


def test_what_no_pass_takes_is_kept() -> None:
    near, far, _ = _network(lambda later, x: matmul(x, later, transpose_a=True))
    assert _differences(near, far).count("Sub") == 1


def test_small_ones_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maps, "LEAST_NUMBERS", 128 * 64 + 1)
    near, far, _ = _network(multiply)
    assert _differences(near, far).count("Sub") == 1


def test_what_may_be_a_variable_s_memory_is_kept() -> None:
    made = HandMade()
    x, w = made.argument(LARGE), made.argument((64, 64))
    with made.taking_ops():
        difference = subtract(x, reduce_mean(x, 0, True))
        near = square(difference)
        far = multiply(matmul(near, w), difference)
    assert _differences(near, far).count("Sub") == 1
