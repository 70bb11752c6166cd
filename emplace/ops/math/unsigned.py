"""Kernels for unsigned integers in ops where the same bits read as int64 would give another answer.

Torch has hardly any kernels for uint64. Additions, products and bitwise logic do not care how the
bits are read, so they run as int64; what compares, divides or shifts to the right does care.
So does what divides or takes the root of a sum of uint16 or uint32, which wraps around in its own
type and would not in a wider one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..order import LEAST, ordered, restored

#: Torch does not calculate with these; sums and differences do not care how the bits are read.
SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}


def as_signed(x: torch.Tensor) -> torch.Tensor:
    """The same bits, read as int64."""
    return x.view(torch.int64)


def as_unsigned(x: torch.Tensor) -> torch.Tensor:
    """The same bits, read as uint64."""
    return x.view(torch.uint64)


def compared(compare: Callable[..., Any]) -> Callable[..., Any]:
    """A comparison of uint64 values."""

    def kernel(x: torch.Tensor, y: torch.Tensor) -> Any:
        return compare(ordered(x), ordered(y))

    return kernel


def extreme(choose: Callable[..., Any]) -> Callable[..., Any]:
    """The larger, the smaller or the bounded of uint64 values."""

    def kernel(*values: torch.Tensor) -> torch.Tensor:
        return restored(choose(*map(ordered, values)))

    return kernel


def divide(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The quotient of uint64 values, without its rest."""
    return as_unsigned(_divided(x, y)[0])


def modulo(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """What a division of uint64 values leaves."""
    return as_unsigned(_divided(x, y)[1])


def _divided(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Quotient and rest as int64: half of x divided as signed values, doubled and corrected by
    at most 1. A divisor in the upper half fits once or not at all.
    """
    a, b = as_signed(x), as_signed(y)
    half = torch.bitwise_right_shift(a, 1) & ~LEAST
    small = torch.where(b < 0, 1, b)
    quotient = torch.div(half, small, rounding_mode="trunc") * 2
    rest = a - quotient * b
    more = (rest ^ LEAST) >= (b ^ LEAST)
    fits = (a ^ LEAST) >= (b ^ LEAST)
    quotient = torch.where(b < 0, fits.to(torch.int64), quotient + more.to(torch.int64))
    return quotient, a - quotient * b


def shift_right(x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """uint64 values shifted to the right by 0 to 63 bits, zeros coming in from the left."""
    moved = torch.bitwise_right_shift(as_signed(x), places)
    kept = torch.where(places == 0, -1, ~(LEAST >> (places - 1).clamp(min=0)))
    return as_unsigned(moved & kept)


def signed_bits(x: torch.Tensor) -> torch.Tensor:
    """The same bits as signed numbers of the same size, whose sums and products wrap around as
    those of the unsigned numbers do; anything else as it is.
    """
    signed = SIGNED.get(x.dtype)
    return x if signed is None else x.view(signed)


def by_count(total: torch.Tensor, count: int | torch.Tensor) -> torch.Tensor:
    """Whole numbers divided by how many they are the sum of, without the rest, in their type."""
    if total.dtype is torch.uint64:
        if isinstance(count, int):
            count = torch.full((), count, dtype=torch.int64, device=total.device)
        return divide(total, as_unsigned(count.expand_as(total).contiguous()))
    wide = total.long() if total.dtype in SIGNED else total
    return torch.div(wide, count, rounding_mode="trunc").to(total.dtype)
