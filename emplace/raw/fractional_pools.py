"""Rows of raw ops that pool over windows of random sizes, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ..base.errors import invalid_argument
from ..base.shapes import runtime_text
from ..core.tensor import Tensor
from ..grads.rules import pulled_back
from ..ops.infer import Spec
from ..ops.nn.fractional_pool import (
    AVG_POOL,
    MAX_POOL,
    largest_places,
    means_of_any,
    pooled,
    raw_seeds,
)
from ..ops.op import Op
from .rows import HOST_NUMBERS, Row, composed, kernel

Raw = torch.Tensor


def _pool(record: Op) -> Any:
    def run(
        value: Tensor, pooling_ratio: Sequence[float], pseudo_random: bool, overlapping: bool,
        deterministic: bool, seed: int, seed2: int,
    ) -> Any:  # fmt: skip
        seeds = raw_seeds(deterministic, seed, seed2)
        return pooled(record, value, pooling_ratio, pseudo_random, overlapping, seeds)

    return run


def max_pool_back(
    orig_input: Raw, orig_output: Raw, out_backprop: Raw, row_pooling_sequence: Raw,
    col_pooling_sequence: Raw, *, overlapping: bool = False,
) -> Raw:  # fmt: skip
    """The gradient of the largest elements: it goes to the first of equal ones.

    Raises:
        InvalidArgumentError: `orig_output` is not what the windows give.
    """
    sequences = {"row": row_pooling_sequence, "col": col_pooling_sequence}
    for name, sequence in sequences.items():
        if sequence.dim() != 1:
            raise invalid_argument(
                f"{name}_pooling_sequence must be a vector, received shape "
                f"{runtime_text(sequence.shape)}"
            )
    for name, value in {"orig_input": orig_input, "orig_output": orig_output}.items():
        if value.dim() != 4:
            raise invalid_argument(
                f"{name} should be a tensor of rank 4, got shape {runtime_text(value.shape)}"
            )
    batch, height, width, channels = orig_input.shape
    shape = (batch, len(row_pooling_sequence) - 1, len(col_pooling_sequence) - 1, channels)
    grows = all(bool((places.diff() > 0).all()) for places in sequences.values())
    if tuple(orig_output.shape) != shape or not grows:
        raise invalid_argument("tensor_out_dup is not the same as tensor_out")
    places = largest_places(
        orig_input, row_pooling_sequence, col_pooling_sequence, overlapping=overlapping
    ).reshape(batch, -1, channels)
    largest = orig_input.reshape(batch, -1, channels).gather(1, places)
    if not torch.equal(largest, orig_output.reshape(largest.shape)):
        raise invalid_argument("tensor_out_dup is not the same as tensor_out")
    if out_backprop.numel() != largest.numel():
        raise invalid_argument(
            f"out_backprop must have the elements of orig_output, {runtime_text(shape)}, got "
            f"shape {runtime_text(out_backprop.shape)}"
        )
    back = out_backprop.new_zeros(batch, height * width, channels)
    back = back.scatter_add(1, places, out_backprop.reshape(largest.shape))
    return back.reshape(orig_input.shape)


def avg_pool_back(
    out_backprop: Raw, row_pooling_sequence: Raw, col_pooling_sequence: Raw, *,
    orig_input_tensor_shape: Sequence[int], overlapping: bool = False,
) -> Raw:  # fmt: skip
    """The gradient of the means, added up as float64.

    Raises:
        InvalidArgumentError: shapes or windows do not fit.
    """
    shape = tuple(orig_input_tensor_shape)
    if len(shape) != 4:
        raise invalid_argument("original input tensor shape must be1-dimensional and 4 elements")
    if out_backprop.dim() != 4:
        raise invalid_argument("out_backprop must be 4-dimensional")
    for size in out_backprop.shape:
        if size == 0:
            raise invalid_argument("out_backprop must be positive for all dimension, got:0")
    rows = _checked("row", "Row", row_pooling_sequence, 1, out_backprop)
    cols = _checked("col", "Column", col_pooling_sequence, 2, out_backprop)
    for size in shape:
        if size < 0:
            raise invalid_argument(f"Expected a non-negative size, got {size}")
    batch, channels = out_backprop.shape[0], out_backprop.shape[3]
    if (shape[0], shape[3]) != (batch, channels):
        raise invalid_argument(
            f"out_backprop has {batch} rows of {channels} channels, the original input has shape "
            f"{runtime_text(shape)}"
        )

    def forward(value: Raw) -> tuple[Raw, ...]:
        return (means_of_any(value, rows, cols, overlapping=overlapping),)

    value = torch.zeros(shape, dtype=torch.float64, device=out_backprop.device)
    is_inner = out_backprop.requires_grad
    (back,) = pulled_back(forward, [value], [out_backprop.double()], is_inner)
    return back.to(out_backprop.dtype)


def _checked(name: str, word: str, sequence: Raw, axis: int, back: Raw) -> Raw:
    """Where the windows of an axis begin, as many as the gradient has, and where the last ends."""
    needed = back.shape[axis] + 1
    if sequence.numel() < needed:
        raise invalid_argument(
            f"Given out_backprop shape {runtime_text(back.shape)}, {name}_seq_tensor must have at "
            f"least {needed} elements, but got {sequence.numel()}"
        )
    places = sequence.flatten()
    if bool((places < 0).any()):
        width = max(len(str(place)) for place in places.tolist())
        listed = " ".join(str(place).rjust(width) for place in places.tolist())
        raise invalid_argument(f"{word} sequence tensor values must not be negative, got {listed}")
    return places[:needed]


def _max_rule(orig_input: Spec, *others: Spec, **attrs: Any) -> Spec:
    if orig_input.dims is not None and len(orig_input.dims) != 4:
        raise invalid_argument(f"Shape must be rank 4 but is rank {len(orig_input.dims)}")
    return orig_input


def _avg_rule(
    out_backprop: Spec, *sequences: Spec, orig_input_tensor_shape: Sequence[int], **attrs: Any
) -> Spec:
    return Spec(tuple(orig_input_tensor_shape), out_backprop.dtype)


ROWS: dict[str, Row] = {
    "FractionalAvgPool": composed(_pool(AVG_POOL)),
    "FractionalAvgPoolGrad": kernel(
        avg_pool_back, _avg_rule, ints="orig_input_tensor_shape", wait_reason=HOST_NUMBERS
    ),
    "FractionalMaxPool": composed(_pool(MAX_POOL)),
    "FractionalMaxPoolGrad": kernel(max_pool_back, _max_rule, wait_reason=HOST_NUMBERS),
}
