"""Isotonic regression: the closest sequence that only falls, or only rises."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.typing import TensorLike
from ..array.shaping import transpose
from ..convert import to_tensor
from ..deferred import deferrable
from ..infer import Spec
from ..math.elementwise import cast, negative
from ..op import CPU_ONLY, apply, op


def isotonic_kernel(
    input: torch.Tensor, *, output_dtype: DType = dtypes.float32
) -> tuple[Any, Any]:
    """Falling sequences that are closest to rows, and which block of equal ones a place is in."""
    rows = input.reshape(-1, input.shape[-1]).to(torch.float64).numpy()
    fitted, blocks = np.zeros(rows.shape), np.zeros(rows.shape, np.int32)
    for i, row in enumerate(rows):
        _fit(row, fitted[i], blocks[i])
    output = torch.from_numpy(fitted).to(output_dtype.torch).reshape(input.shape)
    return output, torch.from_numpy(blocks).reshape(input.shape)


def _fit(row: Any, fitted: Any, blocks: Any) -> None:
    """Neighbours that rise are pooled, until no two pools do."""
    pools: list[list[float]] = []  # sum, count
    for each in row:
        pools.append([float(each), 1.0])
        while len(pools) > 1 and pools[-2][0] * pools[-1][1] < pools[-1][0] * pools[-2][1]:
            total, count = pools.pop()
            pools[-1][0] += total
            pools[-1][1] += count
    start = 0
    for number, (total, count) in enumerate(pools):
        end = start + int(count)
        fitted[start:end], blocks[start:end] = total / count, number
        start = end


def _isotonic_spec(input: Spec, *, output_dtype: DType = dtypes.float32) -> tuple[Spec, Spec]:
    return Spec(input.dims, output_dtype), Spec(input.dims, dtypes.int32)


ISOTONIC = op(
    "IsotonicRegression", "input: T -> output: output_dtype, segments: int32", isotonic_kernel,
    _isotonic_spec, T=dtypes.REALS, device_types=CPU_ONLY,
)  # fmt: skip


@deferrable
def isotonic_regression(
    inputs: TensorLike, decreasing: bool = True, axis: int = -1
) -> tuple[Any, Any]:
    """Returns the falling or rising sequences closest to some (`tf.nn.isotonic_regression`).

    Args:
        inputs: numbers; the squares of the differences are made small along one axis.
        decreasing: False for rising sequences.
        axis: the axis of the sequences.

    Returns:
        The sequences, floats for integers, and int32 numbers of the blocks of equal elements.
    """
    value = to_tensor(inputs)
    rank = value.shape.rank
    order = [i for i in range(rank) if i != axis % rank] + [axis % rank]
    back = [order.index(i) for i in range(rank)]
    is_float = value.dtype.is_floating
    wanted = value.dtype if is_float else dtypes.float64 if value.dtype.size > 2 else dtypes.float32
    lying = transpose(value, order)
    lying = lying if decreasing else negative(cast(lying, wanted))
    output, blocks = apply(ISOTONIC, (lying,), {"output_dtype": wanted})
    output = output if decreasing else negative(output)
    return transpose(output, back), transpose(blocks, back)
