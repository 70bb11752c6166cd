"""Logic and shifts of the bits of integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ...base import dtypes
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from .. import infer
from ..convert import matched, unary
from ..op import Op, op
from . import unsigned


def _bits(dtype: torch.dtype) -> int:
    return dtype.itemsize * 8


def _binary(name: str, kernel: Callable[..., Any], **options: Any) -> Op:
    return op(
        name, "x: T, y: T -> z: T", kernel, infer.broadcast, T=dtypes.INTEGERS, **options
    )  # fmt: skip


def _places(y: torch.Tensor, bits: int) -> torch.Tensor:
    """How far to shift: at least not at all, at most all bits but one, as in TensorFlow."""
    return y.clamp(0, bits - 1)


def left_shift_kernel(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Bits moved up; zeros come in."""
    return torch.bitwise_left_shift(x, _places(y, _bits(x.dtype)))


def right_shift_kernel(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Bits moved down; the sign comes in."""
    return torch.bitwise_right_shift(x, _places(y, _bits(x.dtype)))


def _narrow(shift: Callable[..., Any], bits: int, wide: torch.dtype) -> Callable[..., Any]:
    """A shift of unsigned integers that runs in a wider type but counts its own bits."""

    def kernel(x: torch.Tensor, y: torch.Tensor) -> Any:
        return shift(x.to(wide), _places(y.to(wide), bits)).to(x.dtype)

    return kernel


def _places64(y: torch.Tensor) -> torch.Tensor:
    bits = unsigned.as_signed(y)
    return torch.where(bits < 0, 63, bits.clamp(max=63))


def _left64(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    moved = torch.bitwise_left_shift(unsigned.as_signed(x), _places64(y))
    return unsigned.as_unsigned(moved)


def _right64(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return unsigned.shift_right(x, _places64(y))


def _by_width(shift: Callable[..., Any], on64: Callable[..., Any]) -> dict[Any, Any]:
    return {
        dtypes.uint16: _narrow(shift, 16, torch.int32),
        dtypes.uint32: _narrow(shift, 32, torch.int64),
        dtypes.uint64: on64,
    }


def population_count_kernel(x: torch.Tensor) -> torch.Tensor:
    """How many bits are 1, counted in pairs, then in fours, then in bytes."""
    bits = _bits(x.dtype)
    wide = (unsigned.as_signed(x) if x.dtype is torch.uint64 else x).to(torch.int64)
    if bits < 64:
        wide = wide & ((1 << bits) - 1)
    pairs = wide - (torch.bitwise_right_shift(wide, 1) & 0x5555555555555555)
    fours = (pairs & 0x3333333333333333) + (
        torch.bitwise_right_shift(pairs, 2) & 0x3333333333333333
    )
    by_byte = (fours + torch.bitwise_right_shift(fours, 4)) & 0x0F0F0F0F0F0F0F0F
    return torch.bitwise_right_shift(by_byte * 0x0101010101010101, 56).to(torch.uint8)


BITWISE_AND = _binary("BitwiseAnd", torch.bitwise_and)
BITWISE_OR = _binary("BitwiseOr", torch.bitwise_or)
BITWISE_XOR = _binary("BitwiseXor", torch.bitwise_xor)
LEFT_SHIFT = _binary(
    "LeftShift", left_shift_kernel, kernel_for=_by_width(torch.bitwise_left_shift, _left64)
)
RIGHT_SHIFT = _binary(
    "RightShift", right_shift_kernel, kernel_for=_by_width(torch.bitwise_right_shift, _right64)
)
INVERT = op("Invert", "x: T -> y: T", torch.bitwise_not, infer.same, T=dtypes.INTEGERS)
POPULATION_COUNT = op(
    "PopulationCount", "x: T -> y: uint8", population_count_kernel, infer.as_type(dtypes.uint8),
    T=dtypes.INTEGERS,
)  # fmt: skip


def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits that are 1 in both (`tf.bitwise.bitwise_and`).

    >>> bitwise_and([12], [10]).numpy().tolist()
    [8]
    """
    return matched(BITWISE_AND, x, y)


def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits that are 1 in one of both (`tf.bitwise.bitwise_or`)."""
    return matched(BITWISE_OR, x, y)


def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits that differ (`tf.bitwise.bitwise_xor`)."""
    return matched(BITWISE_XOR, x, y)


def invert(x: TensorLike, name: str | None = None) -> Tensor:
    """Every bit turned over (`tf.bitwise.invert`)."""
    return unary(INVERT, x)


def left_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits of x moved up by y places, at most all but one (`tf.bitwise.left_shift`)."""
    return matched(LEFT_SHIFT, x, y)


def right_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits of x moved down by y places, at most all but one (`tf.bitwise.right_shift`).

    Negative numbers stay negative.
    """
    return matched(RIGHT_SHIFT, x, y)
