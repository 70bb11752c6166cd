"""What multiplies the channels of a convolution's result multiplies its filter instead, where that
has fewer numbers: batch normalization with known statistics, as predictions have it, then is part
of the convolution.

Whatever changes a variable is seen by the next call: the filter is scaled in each, or kept for as
long as nothing has changed (`kept_values.py`).
"""

from __future__ import annotations

from ...base import dtypes
from ...base.shapes import num_elements
from ...ops.infer import Spec
from ...ops.math.elementwise import ADD, MUL
from ..representation.graph import Operation, SymbolicTensor
from .replacing import Replacing, is_per_channel, operation_like

_SUMS = frozenset({"AddV2", "Add", "BiasAdd"})
_CONVOLUTION = "Conv2D"
#: Ops without which there is nothing to do.
NEEDED = frozenset({_CONVOLUTION, "Mul"})
_TYPES = (dtypes.float32, dtypes.float64)
#: A result of fewer numbers takes less time to scale than the filter takes to prepare.
LEAST_NUMBERS = 1 << 13
# To scale a filter costs as much per number as to scale a result does. It must save most of that.
_LEAST_SHARE = 2


def scale_filters(block: Replacing) -> None:
    """Puts factors of channels into filters, where operations are convolutions and products."""
    for operation in block.operations():
        if operation.record.name == "Mul":
            _scale_filter(block, operation)


def _scale_filter(block: Replacing, product: Operation) -> None:
    """(conv(x, w) + b) * s + t is conv(x, w * s) + (b * s + t), and likewise without b and t."""
    for y, factor in (product.inputs, product.inputs[::-1]):
        made = block.only_maker(y, product)
        bias = None
        total = None
        if made is not None and _is_sum(made):
            total, bias = made, made.inputs[1]
            made = block.only_maker(made.inputs[0], made)
        if made is None or not _is_worth(made, product) or not _is_row(factor, y):
            continue
        if bias is not None and not _is_row(bias, y):
            continue
        gone = [made] if total is None else [made, total]
        _replace(block, product, made, gone, factor, bias)
        return


def _is_sum(operation: Operation) -> bool:
    """Whether it adds something to what it is given first, over the last axis."""
    if operation.record.name not in _SUMS or len(operation.inputs) != 2:
        return False
    return bool(operation.attrs.get("data_format", "NHWC") == "NHWC")


def _is_worth(made: Operation, product: Operation) -> bool:
    """Whether this is a convolution whose filter is cheaper to scale than its result."""
    if made.record.name != _CONVOLUTION or made.attrs.get("data_format", "NHWC") != "NHWC":
        return False
    y, filter = made.outputs[0], made.inputs[1]
    if y.dtype not in _TYPES or not y.is_fully_known or not filter.is_fully_known:
        return False
    if product.outputs[0].dims != y.dims:
        return False
    numbers = num_elements(y.dims)
    return numbers >= max(LEAST_NUMBERS, _LEAST_SHARE * num_elements(filter.dims))


def _is_row(x: SymbolicTensor, y: SymbolicTensor) -> bool:
    """Whether a tensor has a number for each channel of images, and says nothing else."""
    dims, whole = x.dims, y.dims
    if dims is None or whole is None or x.dtype is not y.dtype:
        return False
    return is_per_channel(dims, whole)


def _replace(
    block: Replacing, product: Operation, made: Operation, gone: list[Operation],
    factor: SymbolicTensor, bias: SymbolicTensor | None,
) -> None:  # fmt: skip
    x, filter = made.inputs
    (y,) = product.outputs
    scaled = operation_like(MUL, (filter, factor), {}, product, [Spec(filter.dims, y.dtype)])
    inputs = (x, scaled.outputs[0])
    if bias is None:
        again = operation_like(made.record, inputs, made.attrs, made, [y])
        block.replace(product, gone, scaled, again)
        return
    again = operation_like(made.record, inputs, made.attrs, made, [Spec(y.dims, y.dtype)])
    longer = factor if len(factor.dims or ()) >= len(bias.dims or ()) else bias
    row = operation_like(MUL, (bias, factor), {}, product, [Spec(longer.dims, y.dtype)])
    later = _later_sum(block, y)
    if later is None:
        total = operation_like(ADD, (again.outputs[0], row.outputs[0]), {}, product, [y])
        block.replace(product, gone, scaled, row, again, total)
        return
    added = later.inputs[1]
    longer = added if len(added.dims or ()) >= len(longer.dims or ()) else longer
    both = operation_like(ADD, (row.outputs[0], added), {}, later, [Spec(longer.dims, y.dtype)])
    total = operation_like(ADD, (again.outputs[0], both.outputs[0]), {}, later, later.outputs)
    block.replace(later, [*gone, product], scaled, row, both, again, total)


def _later_sum(block: Replacing, y: SymbolicTensor) -> Operation | None:
    """What adds a number per channel to a value that nobody else takes."""
    takers = block.takers(y)
    if len(takers) != 1:
        return None
    (taker,) = takers
    if not _is_sum(taker) or taker.inputs[0] is not y or not _is_row(taker.inputs[1], y):
        return None
    maker = block.maker(y)
    is_here = maker is not None and block.is_beside(maker, taker)
    return taker if is_here and taker.outputs[0].dims == y.dims else None
