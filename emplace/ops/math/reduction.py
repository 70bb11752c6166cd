"""Ops that take axes away: sum, mean, max, min, prod, all, any, argmax, argmin; and add_n."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import Axis, DTypeLike, TensorLike
from ...core.tensor import Tensor
from .. import infer, large
from ..arguments import one_int, one_of, static_axes
from ..array.shaping import identity
from ..array.tensor_list import add_lists
from ..convert import is_tensor_like, to_tensor, unary
from ..infer import Spec, known_dims, reduced_axes, shape_only
from ..op import Op, apply, op
from ..order import in_order, ordered
from . import unsigned

_REDUCE = "input: T, reduction_indices: host -> output: T"
Axes = tuple[int, ...] | None


def sum_kernel(input: torch.Tensor, *, axis: Axes = None, keep_dims: bool = False) -> torch.Tensor:
    """The sum over axes, in the input's own type."""
    if axis is None and not keep_dims and input.is_floating_point():
        return torch.sum(input)
    axes = reduced_axes(axis, input.ndim)
    if not axes:
        return input
    if input.is_floating_point():
        return torch.sum(input, axes, keep_dims)
    return torch.sum(input, axes, keep_dims, dtype=input.dtype)  # not as int64


def mean_kernel(input: torch.Tensor, *, axis: Axes = None, keep_dims: bool = False) -> torch.Tensor:
    """The mean over axes; integers are divided without their rest, as in TensorFlow."""
    axes = reduced_axes(axis, input.ndim)
    if not axes:
        return input
    if input.is_floating_point() or input.is_complex():
        return torch.mean(input, axes, keep_dims)
    count = max(1, torch.Size(input.shape[i] for i in axes).numel())
    if input.dtype is torch.uint64:
        total = torch.sum(unsigned.as_signed(input), axes, keep_dims)
        return unsigned.by_count(unsigned.as_unsigned(total), count)
    total = torch.sum(input, axes, keep_dims, dtype=torch.int64)
    return torch.div(total, count, rounding_mode="trunc").to(input.dtype)


def prod_kernel(input: torch.Tensor, *, axis: Axes = None, keep_dims: bool = False) -> torch.Tensor:
    """The product over axes, in the input's own type."""
    for each in sorted(reduced_axes(axis, input.ndim), reverse=True):
        if input.requires_grad:
            input = _Product.apply(input, each, keep_dims)  # type: ignore[no-untyped-call]
        else:
            input = torch.prod(input, each, keep_dims, dtype=input.dtype)
    return input


class _Product(torch.autograd.Function):
    """A product whose gradients are products of the other factors: torch's are quotients, which are
    wrong where the whole is infinite, or 0 for being small.
    """

    @staticmethod
    def forward(ctx: Any, input: torch.Tensor, axis: int, keep_dims: bool) -> torch.Tensor:
        ctx.save_for_backward(input)
        ctx.axis, ctx.keep_dims = axis, keep_dims
        return torch.prod(input, axis, keep_dims, dtype=input.dtype)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[Any, ...]:
        (input,), axis, dy = ctx.saved_tensors, ctx.axis, grads[0]
        one = torch.ones_like(input.narrow(axis, 0, min(1, input.shape[axis])))
        others = _before(input, one, axis) * _before(input.flip(axis), one, axis).flip(axis)
        return (dy if ctx.keep_dims else dy.unsqueeze(axis)) * others.conj(), None, None


def _before(input: torch.Tensor, one: torch.Tensor, axis: int) -> torch.Tensor:
    """The product of all that stands before each element on an axis."""
    if input.shape[axis] < 2:
        return one
    return torch.cat([one, torch.cumprod(input.narrow(axis, 0, input.shape[axis] - 1), axis)], axis)


def _extreme(reduce: Callable[..., torch.Tensor], lowest: bool) -> Callable[..., torch.Tensor]:
    def kernel(input: torch.Tensor, *, axis: Axes = None, keep_dims: bool = False) -> torch.Tensor:
        axes = reduced_axes(axis, input.ndim)
        if not axes:
            return input
        if any(input.shape[i] == 0 for i in axes):
            spec = infer.reduce(shape_only(input), axis=axis, keep_dims=keep_dims)
            return input.new_full(known_dims(spec), _limit(input.dtype, lowest))
        return reduce(input, axes, keep_dims)

    return kernel


def _limit(dtype: torch.dtype, lowest: bool) -> Any:
    if dtype.is_floating_point:
        return float("-inf") if lowest else float("inf")
    info = torch.iinfo(dtype)
    return info.min if lowest else info.max


def _logical(reduce: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def kernel(input: torch.Tensor, *, axis: Axes = None, keep_dims: bool = False) -> torch.Tensor:
        axes = reduced_axes(axis, input.ndim)
        return reduce(input, axes, keep_dims) if axes else input

    return kernel


max_kernel = in_order(_extreme(torch.amax, lowest=True))
min_kernel = in_order(_extreme(torch.amin, lowest=False))


def declare_reduction(name: str, kernel: Callable[..., Any], types: tuple[DType, ...]) -> Op:
    """Declares an op that takes axes away."""
    return op(name, _REDUCE, kernel, infer.reduce, T=types)


_BOOL_REDUCE = "input: bool, reduction_indices: host -> output: bool"

SUM = declare_reduction("Sum", sum_kernel, dtypes.NUMBERS)
MEAN = declare_reduction("Mean", mean_kernel, dtypes.NUMBERS)
PROD = declare_reduction("Prod", prod_kernel, dtypes.NUMBERS)
MAX = declare_reduction("Max", max_kernel, dtypes.REALS)
MIN = declare_reduction("Min", min_kernel, dtypes.REALS)
ALL = op("All", _BOOL_REDUCE, _logical(torch.all), infer.reduce)
ANY = op("Any", _BOOL_REDUCE, _logical(torch.any), infer.reduce)


def _place_of(
    find: Callable[..., Any], on_host: Callable[..., Any], worst: float
) -> Callable[..., torch.Tensor]:
    """The place of an extreme, of the first one among equals; NaN is never it."""

    def kernel(
        input: torch.Tensor, *, dimension: int, output_type: DType = dtypes.int64
    ) -> torch.Tensor:
        if input.ndim == 0:  # torch takes a scalar for a vector of one
            _place_spec(Spec((), dtypes.int64), dimension=dimension)
        if large.is_large_on_host(input):
            found = large.place(input, dimension, on_host)
            if found is not None:
                return found.to(output_type.torch)
        if input.is_floating_point():
            input = input.nan_to_num(worst, math.inf, -math.inf)
        elif input.dtype is torch.bool:
            input = input.view(torch.uint8)
        # Torch finds the extreme and its place twice as fast as the place alone.
        places: torch.Tensor = find(ordered(input), dimension).indices
        return places.to(output_type.torch)

    return kernel


def _place_spec(input: Spec, *, dimension: int, output_type: DType = dtypes.int64) -> Spec:
    dims = input.dims or ()
    if not -len(dims) <= dimension < len(dims):
        raise invalid_argument(
            f"Expected dimension in the range [{-len(dims)}, {len(dims)}), but got {dimension}"
        )
    dimension %= len(dims)
    if dims[dimension] == 0:
        raise invalid_argument(f"Reduction axis {dimension} is empty in shape {runtime_text(dims)}")
    return Spec(tuple(d for i, d in enumerate(dims) if i != dimension), output_type)


_PLACE = "input: T, dimension: host -> output: output_type"
_PLACED = (*dtypes.REALS, dtypes.bool_)
ARG_MAX = op("ArgMax", _PLACE, _place_of(torch.max, np.argmax, -math.inf), _place_spec, T=_PLACED)
ARG_MIN = op("ArgMin", _PLACE, _place_of(torch.min, np.argmin, math.inf), _place_spec, T=_PLACED)


def add_n_kernel(*inputs: torch.Tensor) -> torch.Tensor:
    """The sum of tensors of one shape."""
    if len(inputs) == 2 and inputs[0].shape == inputs[1].shape:
        return inputs[0] + inputs[1]
    add_n_spec(*map(shape_only, inputs))
    total = inputs[0] + inputs[1] if len(inputs) > 1 else inputs[0]
    for each in inputs[2:]:
        total.add_(each)
    return total


def add_n_spec(*inputs: Spec) -> Spec:
    """What a sum of tensors is like, which must be of one shape."""
    first = inputs[0].dims or ()
    for i, each in enumerate(inputs):
        if each.dims != first:
            raise invalid_argument(
                "Inputs to operation AddN of type AddN must have the same size and shape.  "
                f"Input 0: {runtime_text(first)} != input {i}: {runtime_text(each.dims or ())}"
            )
    return inputs[0]


ADD_N = op(
    "AddN", "inputs: N * T -> sum: T", add_n_kernel, add_n_spec,
    kernel_for={dtypes.variant: add_lists}, T=(*dtypes.NUMBERS, dtypes.variant),
)  # fmt: skip


def reduced(record: Op, input_tensor: TensorLike, axis: Axis | None, keepdims: bool) -> Tensor:
    """Applies an op that takes axes away.

    Raises:
        TypeError: the axis is a float.
    """
    if axis is None and not keepdims:
        return unary(record, input_tensor)
    attrs = {"axis": static_axes(axis), "keep_dims": bool(keepdims)}
    return apply(record, (to_tensor(input_tensor),), attrs)


def reduce_sum(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the sum over axes (`tf.reduce_sum`).

    Args:
        input_tensor: a tensor of numbers.
        axis: an axis or several; None for all.
        keepdims: keep reduced axes with size 1.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: an axis is out of range or named twice.

    >>> reduce_sum([[1, 2], [3, 4]], axis=0).numpy().tolist()
    [4, 6]
    """
    return reduced(SUM, input_tensor, axis, keepdims)


def reduce_mean(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the mean over axes (`tf.reduce_mean`); NaN over no elements.

    Args:
        input_tensor: the tensor.
        axis: the axis or axes that go; all of them for None.
        keepdims: True keeps the axes that go, with size 1.
        name: a name in graphs.
    """
    return reduced(MEAN, input_tensor, axis, keepdims)


def reduce_prod(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the product over axes (`tf.reduce_prod`); 1 over no elements.

    Args:
        input_tensor: the tensor.
        axis: the axis or axes that go; all of them for None.
        keepdims: True keeps the axes that go, with size 1.
        name: a name in graphs.
    """
    return reduced(PROD, input_tensor, axis, keepdims)


def reduce_max(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the largest element over axes (`tf.reduce_max`).

    Args:
        input_tensor: the tensor.
        axis: the axis or axes that go; all of them for None.
        keepdims: True keeps the axes that go, with size 1.
        name: a name in graphs.
    """
    return reduced(MAX, input_tensor, axis, keepdims)


def reduce_min(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the smallest element over axes (`tf.reduce_min`).

    Args:
        input_tensor: the tensor.
        axis: the axis or axes that go; all of them for None.
        keepdims: True keeps the axes that go, with size 1.
        name: a name in graphs.
    """
    return reduced(MIN, input_tensor, axis, keepdims)


def reduce_all(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns True where all elements are, over axes (`tf.reduce_all`).

    Args:
        input_tensor: the tensor.
        axis: the axis or axes that go; all of them for None.
        keepdims: True keeps the axes that go, with size 1.
        name: a name in graphs.
    """
    return reduced(ALL, _flags(input_tensor), axis, keepdims)


def reduce_any(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns True where any element is, over axes (`tf.reduce_any`).

    Args:
        input_tensor: the tensor.
        axis: the axis or axes that go; all of them for None.
        keepdims: True keeps the axes that go, with size 1.
        name: a name in graphs.
    """
    return reduced(ANY, _flags(input_tensor), axis, keepdims)


def _flags(value: TensorLike) -> Tensor:
    """A tensor as it is, for the op to judge; anything else as bools."""
    return to_tensor(value, None if is_tensor_like(value) else dtypes.bool_)


def argmax(
    input: TensorLike,
    axis: Axis | None = None,
    output_type: Any = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Returns the place of the largest element along an axis, 0 by default (`tf.argmax`).

    The first of equal elements counts; NaN never does.

    Args:
        input: a tensor of numbers that can be compared, or of bools.
        axis: the axis.
        output_type: the dtype of the places: int64, int32, int16 or uint16.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: the axis is out of range or empty.

    >>> argmax([[1, 5, 2]], axis=1).numpy().tolist()
    [1]
    """
    if isinstance(axis, (list, tuple)):
        raise TypeError("axis must be int or Tensor with integer datatype")
    output_type = one_of("output_type", output_type or dtypes.int64, _ARG_MAX_TYPES)
    return _place(ARG_MAX, input, axis, output_type)


def argmin(
    input: TensorLike,
    axis: Axis | None = None,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Returns the place of the smallest element along an axis, 0 by default (`tf.argmin`).

    Args:
        input: the tensor.
        axis: the axis; the first one for None.
        output_type: int32 or int64.
        name: a name in graphs.
    """
    output_type = one_of("output_type", output_type or dtypes.int64, dtypes.INDICES)
    return _place(ARG_MIN, input, axis, output_type)


_ARG_MAX_TYPES = (dtypes.int16, dtypes.uint16, dtypes.int32, dtypes.int64)


def _place(record: Op, input: TensorLike, axis: Axis | None, output_type: DType) -> Tensor:
    refusal = "dim must be a scalar, but received tensor of shape: {shape}"
    dimension = 0 if axis is None else one_int(axis, refusal)
    attrs = {"dimension": dimension, "output_type": output_type}
    return apply(record, (to_tensor(input),), attrs)


def add_n(inputs: TensorLike, name: str | None = None) -> Tensor:
    """The sum of tensors of one shape (`tf.add_n`).

    Raises:
        ValueError: there is none.
        InvalidArgumentError: shapes or dtypes differ.

    >>> add_n([[1, 2], [3, 4]]).numpy().tolist()
    [4, 6]
    """
    given = list(inputs) if isinstance(inputs, Iterable) else []
    if not given:
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype "
            "and shape."
        )
    parts = [to_tensor(each) for each in given]
    return identity(parts[0]) if len(parts) == 1 else apply(ADD_N, tuple(parts))
