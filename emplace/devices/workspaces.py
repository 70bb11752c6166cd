"""What torch's own kernels for the host take while they run, beyond their inputs and results.

A row per operation of torch whose kernel takes much; `benchmarks/memory/workspaces.py` measures
them from outside. Kernels of hardware have workspaces of their vendor's, which nobody tells.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

_aten = torch.ops.aten
_Rule = Callable[[Sequence[Any], Any], int]


def workspace_bytes(func: Any, args: Sequence[Any], made: object) -> int:
    """The bytes that the kernel of an operation of torch took besides.

    Args:
        func: the operation, an overload of `torch.ops`.
        args: what it was given.
        made: what it returned.
    """
    first = next((x for x in args if isinstance(x, torch.Tensor)), None)
    if first is None or first.device.type not in _HOST:
        return 0
    rule = _RULES.get(func.overloadpacket)
    if rule is not None:
        return rule(args, made)
    if torch.Tag.pointwise in func.tags and isinstance(made, torch.Tensor):
        return _conversions(args, made)
    return 0


def _conversions(args: Sequence[Any], made: torch.Tensor) -> int:
    """Inputs of an elementwise kernel in the dtype in which it computes: the host's kernels convert
    those of other dtypes as wholes.
    """
    tensors = [x for x in args if isinstance(x, torch.Tensor) and x.dim()]
    common = made.dtype
    if len(tensors) < 2 or common.is_complex:
        return 0
    if common is torch.bool:  # of a comparison
        common = functools.reduce(torch.promote_types, (x.dtype for x in tensors))
    return sum(x.numel() * common.itemsize for x in tensors if x.dtype is not common)


_HOST = ("cpu", "meta")


def _bytes(*values: torch.Tensor | None) -> int:
    return sum(x.numel() * x.element_size() for x in values if x is not None)


def _again(args: Sequence[Any], made: object) -> int:
    """As much as the first input."""
    return _bytes(args[0])


def _in_order(args: Sequence[Any], made: object) -> int:
    """As much as the first input, if its elements do not lie in order."""
    return 0 if args[0].is_contiguous() else _bytes(args[0])


def _of_rows(bytes_each: int) -> _Rule:
    """So many bytes for each element of one row, by the dimension that comes next."""

    def rule(args: Sequence[Any], made: object) -> int:
        x = args[0]
        return bytes_each * int(x.shape[_dimension(args)] if x.dim() else 1)

    return rule


def _dimension(args: Sequence[Any]) -> int:
    numbers = [each for each in args[1:] if isinstance(each, int) and not isinstance(each, bool)]
    return numbers[-1] if numbers else -1


def _with_places(args: Sequence[Any], made: object) -> int:
    """A copy, and a place for each element."""
    return _bytes(args[0]) + 8 * int(args[0].numel())


def _columns(args: Sequence[Any], made: Any) -> int:
    """The patches of all images as columns, where the library for networks lacks the type."""
    x, weight = args[:2]
    if x.dtype in _FAST:
        return 0
    small = x if args[6] else made
    size = math.prod(weight.shape[2:]) * math.prod(small.shape[2:]) * x.shape[0]
    return int(size * weight.shape[1] * args[8] * x.element_size())


_FAST = (torch.float32, torch.bfloat16, torch.float16)

_RULES: dict[Any, _Rule] = {
    _aten.convolution: _columns,
    _aten._softmax: _in_order,
    _aten._log_softmax: _in_order,
    _aten.logsumexp: _again,
    _aten.linalg_inv_ex: _again,
    _aten.linalg_matrix_exp: lambda args, made: 10 * _bytes(args[0]),
    _aten.kthvalue: _with_places,
    _aten.median: _again,
    _aten.nanmedian: _again,
    _aten.where: lambda args, made: 0,
    _aten.masked_fill: lambda args, made: 0,
    _aten.masked_fill_: lambda args, made: 0,
    _aten.sort: _of_rows(8),
    _aten.topk: lambda args, made: 16 * args[0].shape[args[2] if len(args) > 2 else -1],
}
