"""Running totals along an axis: cumsum, cumprod, cumulative_logsumexp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.errors import invalid_argument
from ...base.typing import Axis, TensorLike
from ...core.tensor import Tensor
from ..arguments import one_int
from ..convert import to_tensor
from ..infer import Spec
from ..op import Op, apply, op

_SCAN = "x: T, axis: host -> out: T"


def _scan(run: Callable[..., torch.Tensor], start: float) -> Callable[..., torch.Tensor]:
    """A kernel for `run(x, axis)`; an exclusive one begins with `start`."""

    def kernel(
        x: torch.Tensor, *, axis: int, exclusive: bool = False, reverse: bool = False
    ) -> torch.Tensor:
        if reverse:
            x = x.flip(axis)
        if exclusive and x.shape[axis]:
            first = torch.full_like(x.narrow(axis, 0, 1), start)
            x = torch.cat([first, x.narrow(axis, 0, x.shape[axis] - 1)], axis)
        out = run(x, axis)
        return out.flip(axis) if reverse else out

    return kernel


def _sums(x: torch.Tensor, axis: int) -> torch.Tensor:
    return torch.cumsum(x, axis, dtype=x.dtype)  # not as int64


def _products(x: torch.Tensor, axis: int) -> torch.Tensor:
    return torch.cumprod(x, axis, dtype=x.dtype)


def _scan_spec(x: Spec, *, axis: int, exclusive: bool = False, reverse: bool = False) -> Spec:
    rank = len(x.dims or ())
    if x.dims is not None and not -rank <= axis < rank:
        raise invalid_argument(
            f"ScanOp: Expected scan axis in the range [{-rank}, {rank}), but got {axis}"
        )
    return x


def _declare(name: str, kernel: Callable[..., Any], types: tuple[DType, ...]) -> Op:
    return op(name, _SCAN, kernel, _scan_spec, T=types)


CUMSUM = _declare("Cumsum", _scan(_sums, 0), dtypes.NUMBERS)
CUMPROD = _declare("Cumprod", _scan(_products, 1), dtypes.NUMBERS)
CUMULATIVE_LOGSUMEXP = _declare(
    "CumulativeLogsumexp", _scan(torch.logcumsumexp, float("-inf")), dtypes.FLOATS
)


def _scanned(
    record: Op, x: TensorLike, axis: Axis | None, exclusive: bool, reverse: bool
) -> Tensor:
    x = to_tensor(x)
    place = one_int(axis, "ScanOp: axis must be a scalar, not {shape}")
    if x.ndim is not None and isinstance(place, int):
        _scan_spec(Spec(tuple(x.shape), x.dtype), axis=place)
    attrs = {"axis": place, "exclusive": bool(exclusive), "reverse": bool(reverse)}
    return apply(record, (x,), attrs)


def cumsum(
    x: TensorLike,
    axis: Axis | None = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns running sums along an axis (`tf.cumsum`).

    Args:
        x: a tensor of numbers.
        axis: the axis.
        exclusive: leave each element out of its own sum, so that the first one is 0.
        reverse: run from the end to the start.
        name: a name in graphs.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        InvalidArgumentError: the axis is out of range.

    >>> cumsum([1, 2, 3]).numpy().tolist()
    [1, 3, 6]
    >>> cumsum([1, 2, 3], exclusive=True, reverse=True).numpy().tolist()
    [5, 3, 0]
    """
    return _scanned(CUMSUM, x, axis, exclusive, reverse)


def cumprod(
    x: TensorLike,
    axis: Axis | None = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns running products along an axis (`tf.math.cumprod`); arguments as of `cumsum`.

    Args:
        x: the tensor.
        axis: the axis.
        exclusive: True leaves each element itself out.
        reverse: True runs from the end.
        name: a name in graphs.

    >>> cumprod([1, 2, 3]).numpy().tolist()
    [1, 2, 6]
    """
    return _scanned(CUMPROD, x, axis, exclusive, reverse)


def cumulative_logsumexp(
    x: TensorLike,
    axis: Axis | None = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns running log-sum-exps along an axis (`tf.math.cumulative_logsumexp`); arguments as of
    `cumsum`. An exclusive one begins with -inf.

    Args:
        x: floats.
        axis: the axis.
        exclusive: True leaves each element itself out.
        reverse: True runs from the end.
        name: a name in graphs.

    >>> cumulative_logsumexp([-1000.0, 1000.0]).numpy().tolist()
    [-1000.0, 1000.0]
    """
    return _scanned(CUMULATIVE_LOGSUMEXP, x, axis, exclusive, reverse)
