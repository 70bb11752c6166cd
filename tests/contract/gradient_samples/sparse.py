"""Samples of the sparse families."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from .makers import Sample, real

PLACES = np.array([[0, 1], [1, 0], [1, 2]])
OTHERS = np.array([[0, 0], [0, 1], [1, 2]])
SHAPE = (2, 3)


def of_values(**attrs: Any) -> list[Sample]:
    """Places and values in a shape of (2, 3)."""
    return [Sample((PLACES, real(3)), attrs)]


def by_element() -> list[Sample]:
    return [Sample((PLACES, real(3), real(*dims)), {"sp_shape": SHAPE}) for dims in [(2, 3), (3,)]]


def of_pair(*more: Any) -> list[Sample]:
    attrs = {"a_shape": SHAPE, "b_shape": SHAPE}
    return [Sample((PLACES, real(3), OTHERS, real(3), *more), attrs)]


def reduction() -> list[Sample]:
    axes: list[Any] = [None, (0,), (1,)]
    return [
        Sample((PLACES, real(3)), {"input_shape": SHAPE, "reduction_axes": each, "keep_dims": keep})
        for each in axes
        for keep in (False, True)
    ]


SAMPLES: dict[str, list[Sample]] = {
    "SparseToDense": [Sample((PLACES, real(3), real()), {"output_shape": SHAPE})],
    "_SparseWeights": [Sample((PLACES, np.array(SHAPE), PLACES, np.array(SHAPE), real(3)))],
    "SparseReorder": [Sample((PLACES[::-1].copy(), real(3)), {"input_shape": SHAPE})],
    "SparseTensorDenseMatMul": [
        Sample(
            (PLACES, real(3), real(*dims)),
            {"a_shape": SHAPE, "adjoint_a": a, "adjoint_b": b},
        )
        for a, b, dims in [
            (False, False, (3, 4)), (True, False, (2, 4)),
            (False, True, (4, 3)), (True, True, (4, 2)),
        ]
    ],
    "SparseFillEmptyRows": [Sample((PLACES, real(3), real()), {"dense_shape": (4, 3)})],
    "SparseAdd": of_pair(np.float64(0)),
    "SparseTensorDenseAdd": [Sample((PLACES, real(3), real(2, 3)), {"a_shape": SHAPE})],
    "SparseSparseMaximum": of_pair(),
    "SparseSparseMinimum": of_pair(),
    "SparseReduceSum": reduction(),
    "SparseReduceSumSparse": reduction(),
    "SparseReduceMax": reduction(),
    "SparseReduceMaxSparse": reduction(),
    "SparseSoftmax": of_values(sp_shape=SHAPE),
    "SparseDenseCwiseMul": by_element(),
    "SparseDenseCwiseDiv": by_element(),
    "SparseDenseCwiseAdd": by_element(),
    "SparseConcat": [
        Sample((PLACES, OTHERS, real(3), real(3)), {"shapes": (SHAPE, SHAPE), "concat_dim": axis})
        for axis in (0, 1)
    ],
    "SparseSlice": of_values(shape=SHAPE, start=(0, 0), size=(2, 2)),
    "SparseSplit": of_values(shape=SHAPE, split_dim=1, num_split=2),
}  # fmt: skip


def dense_product(
    a_indices: torch.Tensor,
    a_values: torch.Tensor,
    b: torch.Tensor,
    *,
    a_shape: Any,
    adjoint_a: bool,
    adjoint_b: bool,
) -> torch.Tensor:
    """The kernel with a dense A, which autograd differentiates twice."""
    a = torch.zeros(a_shape, dtype=b.dtype).index_put(tuple(a_indices.unbind(1)), a_values)
    return (a.mH if adjoint_a else a) @ (b.mH if adjoint_b else b)


FOR_AUTOGRAD = {"SparseTensorDenseMatMul": dense_product}
