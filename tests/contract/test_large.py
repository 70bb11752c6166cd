"""Kernels for large tensors on the host give what torch's own give."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from emplace.ops import large
from emplace.ops.array.select import SELECT
from emplace.ops.math.reduction import ARG_MAX, ARG_MIN

SIDE = 100
DTYPES = [
    torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8,
    torch.int16, torch.int32, torch.int64, torch.bool, torch.complex64, torch.complex128,
]  # fmt: skip


def numbers(dtype: torch.dtype, *shape: int, seed: int = 0) -> torch.Tensor:
    torch.manual_seed(seed)
    return torch.randint(-100, 100, shape).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    "shapes",
    [
        ((SIDE, SIDE),) * 3,
        ((SIDE, SIDE), (SIDE, SIDE), ()),
        ((SIDE, SIDE), (), (1, SIDE)),
        ((SIDE, SIDE), (3, SIDE, SIDE), (SIDE, 1)),
    ],
    ids=str,
)
def test_a_choice_is_torchs(dtype: torch.dtype, shapes: tuple[tuple[int, ...], ...]) -> None:
    condition = numbers(torch.int8, *shapes[0]) > 0
    t, e = numbers(dtype, *shapes[1], seed=1), numbers(dtype, *shapes[2], seed=2)
    before = t.clone(), e.clone()
    assert large.is_large_on_host(condition)
    made = SELECT.kernel(condition, t, e)
    assert made.dtype is dtype
    assert torch.equal(made, torch.where(condition, t, e))
    assert torch.equal(t, before[0])
    assert torch.equal(e, before[1])


def test_a_choice_keeps_nan_infinity_and_signed_zero() -> None:
    special = torch.tensor([float("nan"), float("inf"), -0.0, 0.0]).repeat(SIDE * SIDE)
    condition = torch.arange(len(special)) % 3 == 0
    made = SELECT.kernel(condition, special, special.flip(0))
    expected = torch.where(condition, special, special.flip(0))
    assert torch.equal(made.view(torch.int32), expected.view(torch.int32))


@pytest.mark.parametrize("dtype", [d for d in DTYPES if not d.is_complex], ids=str)
@pytest.mark.parametrize("dimension", [0, 1, -1])
@pytest.mark.parametrize(("op", "find"), [(ARG_MAX, np.argmax), (ARG_MIN, np.argmin)])
def test_the_first_of_equal_extremes_is_found(
    op: object, find: object, dimension: int, dtype: torch.dtype
) -> None:
    x = numbers(dtype, SIDE, SIDE)
    expected = find(x.to(torch.float64).numpy(), dimension)  # type: ignore[operator]
    assert op.kernel(x, dimension=dimension).tolist() == expected.tolist()  # type: ignore[attr-defined]


@pytest.mark.parametrize("op", [ARG_MAX, ARG_MIN], ids=lambda op: op.name)
def test_nan_is_no_extreme_of_large_tensors_either(op: object) -> None:
    x = numbers(torch.float32, SIDE, SIDE)
    x[:, 3] = float("nan")
    without = torch.cat([x[:, :3], x[:, 4:]], 1)
    small = op.kernel(without[:50], dimension=1)  # type: ignore[attr-defined]
    found = op.kernel(x, dimension=1)[:50]  # type: ignore[attr-defined]
    assert found.tolist() == (small + (small >= 3)).tolist()
