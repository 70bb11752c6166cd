"""Kernels for element types that torch lacks them for: run in a wider type, narrow the result.

Torch has few kernels for unsigned integers of more than 8 bits, and some only for float32 and
wider. Which ones is torch's business and changes with its releases: the kernel is tried first,
and once torch has said that it is not implemented, the inputs are widened from then on. Outputs
that the signature ties to a widened input come back in the narrow type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..base import dtypes
from ..base.dtypes import DType
from ..base.typing import TensorLike
from .op import Op, expand

# uint64 has no wider integer: ops that compare or divide have a kernel of their own for it. One
# kernel for all types that minds it by itself would be widened as soon as torch lacks something
# for other attributes.
WIDER: dict[DType, torch.dtype] = {
    dtypes.uint16: torch.int32,
    dtypes.uint32: torch.int64,
    dtypes.uint64: torch.int64,
    dtypes.float16: torch.float32,
    dtypes.bfloat16: torch.float32,
}

# How torch says that it has no kernel for a type; the second is that of its linear algebra.
_LACKING = ("not implemented", "Low precision dtypes not supported")


def widening(op: Op, kernel: Callable[..., Any], given: Sequence[DType]) -> Callable[..., Any]:
    """`kernel`, able to run on these input types if a wider one can; itself if none is narrow."""
    if not any(dtype in WIDER for dtype in given):
        return kernel
    return _Widening(op, kernel, given)


class _Widening:
    """A kernel that learns whether torch has one for its narrow types."""

    __slots__ = ("_kernel", "_narrow", "_op", "_wide", "_widens")

    def __init__(self, op: Op, kernel: Callable[..., Any], given: Sequence[DType]) -> None:
        self._op = op
        self._kernel = kernel
        self._widens = False
        self._wide = [WIDER.get(dtype) for dtype in given]
        letters = [arg.type for arg, _ in expand(op.tensor_inputs, len(given))]
        self._narrow = {
            letter: dtype.torch
            for letter, dtype in zip(letters, given, strict=True)
            if dtype in WIDER
        }

    def __call__(self, *values: TensorLike, **attrs: Any) -> Any:
        if not self._widens:
            try:
                return self._kernel(*values, **attrs)
            except RuntimeError as error:  # NotImplementedError is one
                if not any(each in str(error) for each in _LACKING):
                    raise
        result = self._widened(values, attrs)
        self._widens = True
        return result

    def _widened(self, values: Sequence[Any], attrs: dict[str, Any]) -> Any:
        wide = [
            value if dtype is None else value.to(dtype)
            for value, dtype in zip(values, self._wide, strict=True)
        ]
        made = self._kernel(*wide, **attrs)
        if isinstance(made, torch.Tensor):
            return self._narrowed(made, self._op.outputs[0].type)
        if made is None:
            return None
        types = [arg.type for arg, _ in expand(self._op.outputs, len(made))]
        return [self._narrowed(y, kind) for y, kind in zip(made, types, strict=True)]

    def _narrowed(self, value: torch.Tensor, letter: str) -> torch.Tensor:
        narrow = self._narrow.get(letter)
        return value if narrow is None else value.to(narrow)
