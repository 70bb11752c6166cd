"""What samples are made of: random numbers away from kinks, in float64."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

RNG = np.random.default_rng(7)


class Sample(NamedTuple):
    """The inputs of one call, NumPy arrays, and its attributes."""

    inputs: tuple[Any, ...]
    attrs: dict[str, Any] | None = None


def real(*shape: int) -> Any:
    """Numbers between -2 and 2, none of them near 0."""
    return np.array(RNG.uniform(0.2, 2.0, shape) * RNG.choice([-1.0, 1.0], shape))


def positive(*shape: int) -> Any:
    return np.array(RNG.uniform(0.2, 2.0, shape))


def shares(*shape: int) -> Any:
    """Rows that add up to 1."""
    rows = RNG.uniform(0.1, 1.0, shape)
    return rows / rows.sum(-1, keepdims=True)


def sliced(*key: Any) -> dict[str, Any]:
    return {"key": key}


def reductions(*shape: int) -> list[Sample]:
    axes: list[Any] = [None, (0,), (1, -1), (0, 1, 2)]
    keep = [{"axis": axis, "keep_dims": keep} for axis in axes for keep in (False, True)]
    return [Sample((real(*shape),)), *[Sample((real(*shape),), attrs) for attrs in keep]]


def pairs(make: Any) -> list[Sample]:
    """Two inputs of equal shapes and of shapes that are stretched to each other."""
    shapes: list[Any] = [((3, 4), (3, 4)), ((3, 4), (4,)), ((), (2, 3)), ((2, 1, 3), (4, 1))]
    return [Sample((make(*left), make(*right))) for left, right in shapes]
