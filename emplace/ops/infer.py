"""Shape rules: what an op returns, told from the shapes and dtypes of its inputs alone.

A rule takes a `Spec` per input and the attributes by keyword, exactly as the kernel takes values,
and returns a Spec or a tuple of them. It raises InvalidArgumentError, in TensorFlow's words,
where the shapes do not fit. Budgets ask rules before a kernel runs; failed kernels ask them for
the text of the error; graphs will ask them for static shapes, so dimensions may be unknown.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from ..base import dtypes, shapes
from ..base.dtypes import DType
from ..base.errors import invalid_argument
from ..base.shapes import Dims, runtime_text


class Spec(NamedTuple):
    """The shape and dtype of one tensor. `dims` is None where not even the rank is known."""

    dims: Dims | None
    dtype: DType


Rule = Callable[..., Any]


def same(*inputs: Spec, **attrs: Any) -> Spec:
    """The result looks like the first input."""
    return inputs[0]


def broadcast(x: Spec, y: Spec, **attrs: Any) -> Spec:
    """Both inputs stretched to each other, with the first one's dtype."""
    if x.dims is None or y.dims is None:
        return Spec(None, x.dtype)
    dims = shapes.broadcast(x.dims, y.dims)
    if dims is None:
        raise invalid_argument(
            f"Incompatible shapes: {runtime_text(x.dims)} vs. {runtime_text(y.dims)}"
        )
    return Spec(dims, x.dtype)


def compare(x: Spec, y: Spec, **attrs: Any) -> Spec:
    """Both inputs stretched to each other, as bool."""
    return Spec(broadcast(x, y).dims, dtypes.bool_)


def nothing(*inputs: Spec, **attrs: Any) -> tuple[Spec, ...]:
    """No outputs."""
    return ()


def as_type(dtype: DType) -> Rule:
    """A rule: the first input's shape with this dtype."""

    def rule(x: Spec, *others: Spec, **attrs: Any) -> Spec:
        return Spec(x.dims, dtype)

    return rule


def cast(x: Spec, *, DstT: DType, **attrs: Any) -> Spec:  # noqa: N803  # TensorFlow's name
    """The input's shape with the dtype of the attribute."""
    return Spec(x.dims, DstT)


def filled(value: Spec, *, dims: Sequence[int]) -> Spec:
    """A shape given as an attribute, with the value's dtype."""
    return Spec(tuple(dims), value.dtype)


def made(*, shape: Sequence[int], dtype: DType, **attrs: Any) -> Spec:
    """Shape and dtype given as attributes."""
    return Spec(tuple(shape), dtype)


def reduce(
    x: Spec, *, axis: tuple[int, ...] | None = None, keep_dims: bool = False, **attrs: Any
) -> Spec:
    """The input without the reduced axes, or with size 1 there."""
    if x.dims is None:
        return Spec((), x.dtype) if axis is None and not keep_dims else x
    axes = reduced_axes(axis, len(x.dims))
    if keep_dims:
        return Spec(tuple(1 if i in axes else d for i, d in enumerate(x.dims)), x.dtype)
    return Spec(tuple(d for i, d in enumerate(x.dims) if i not in axes), x.dtype)


@functools.lru_cache
@functools.lru_cache(4096)
def reduced_axes(axis: tuple[int, ...] | None, rank: int) -> tuple[int, ...]:
    """The axes to reduce, counted from the front; all of them for None.

    Raises:
        InvalidArgumentError: an axis is out of range or named twice.
    """
    if axis is None:
        return tuple(range(rank))
    axes = []
    for each in axis:
        if not -rank <= each < rank:
            raise invalid_argument(
                f"Invalid reduction dimension ({each} for input with {rank} dimension(s)"
            )
        axes.append(each % rank)
    if len(set(axes)) < len(axes):
        twice = next(each for each in axes if axes.count(each) > 1)
        raise invalid_argument(
            "Invalid reduction arguments: Axes contains duplicate dimension: " + str(twice)
        )
    return tuple(axes)


def matmul(a: Spec, b: Spec, *, transpose_a: bool = False, transpose_b: bool = False) -> Spec:
    """(..., m, k) x (..., k, n) -> (..., m, n), leading dimensions broadcast."""
    if a.dims is None or b.dims is None:
        return Spec(None, a.dtype)
    if len(a.dims) < 2 or len(b.dims) < 2:
        name, short = ("In[0]", a) if len(a.dims) < 2 else ("In[1]", b)
        raise invalid_argument(f"{name} ndims must be >= 2: {len(short.dims or ())}")
    m, k = reversed(a.dims[-2:]) if transpose_a else a.dims[-2:]
    other, n = reversed(b.dims[-2:]) if transpose_b else b.dims[-2:]
    if k is not None and other is not None and k != other:
        raise invalid_argument(
            f"Matrix size-incompatible: In[0]: {runtime_text(a.dims)}, "
            f"In[1]: {runtime_text(b.dims)}"
        )
    return Spec((*batch_dims(a.dims, b.dims), m, n), a.dtype)


def batch_dims(a: Dims, b: Dims) -> Dims:
    """What stands in front of two stacks of matrices, stretched to each other.

    Raises:
        InvalidArgumentError: it does not fit.
    """
    batch = shapes.broadcast(a[:-2], b[:-2])
    if batch is None:
        raise invalid_argument(
            "In[0] and In[1] must have compatible batch dimensions: "
            f"{runtime_text(a)} vs. {runtime_text(b)}"
        )
    return batch


def by_kernel(kernel: Callable[..., Any]) -> Rule:
    """A rule for fully known shapes: the kernel itself on torch's meta device, which has shapes
    and no values.
    """

    def rule(*inputs: Spec, **attrs: Any) -> Any:
        values = [
            torch.empty(spec.dims, dtype=spec.dtype.torch, device="meta")  # type: ignore[arg-type]
            for spec in inputs
        ]
        result = kernel(*values, **attrs)
        if isinstance(result, torch.Tensor):
            return _spec_of(result)
        return tuple(_spec_of(value) for value in result)

    return rule


def _spec_of(value: torch.Tensor) -> Spec:
    return Spec(tuple(value.shape), dtypes.as_dtype(value.dtype))


def shape_only(value: torch.Tensor) -> Spec:
    """The shape of a raw value, for a rule that a kernel asks; the dtype means nothing."""
    return Spec(tuple(value.shape), dtypes.float32)


def known_dims(spec: Spec) -> tuple[int, ...]:
    """The dimensions of a spec that is fully known."""
    assert spec.dims is not None
    return tuple(size for size in spec.dims if size is not None)


def as_specs(result: Any) -> tuple[Spec, ...]:
    """What a rule returned, always as a tuple."""
    return (result,) if isinstance(result, Spec) else tuple(result)
