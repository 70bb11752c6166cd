"""Rows of raw ops of several subjects that few programs call by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ..base.errors import invalid_argument
from ..core.tensor import Tensor
from ..data.dataset.dataset import Dataset
from ..data.library.batch_sizes import compute_batch_size
from ..ops.array.gathering import gather
from ..ops.array.shaping import identity
from ..ops.ragged.making import from_nested_row_splits
from .datasets import as_dataset
from .rows import Row, composed, kernel


def _as_sparse(rt_nested_splits: Sequence[Tensor], rt_dense_values: Tensor) -> Any:
    made = from_nested_row_splits(rt_dense_values, list(rt_nested_splits)).to_sparse()
    return made.indices, made.values, made.dense_shape


def _gathered(
    params_nested_splits: Sequence[Tensor],
    params_dense_values: Tensor,
    indices: Tensor,
    **given: Any,
) -> Any:
    made: Any = gather(
        from_nested_row_splits(params_dense_values, list(params_nested_splits)), indices
    )
    return list(made.nested_row_splits), made.flat_values


def nearest_kernel(points: torch.Tensor, centers: torch.Tensor, *, k: int) -> Any:
    """The numbers of the nearest centers, and the squares of their distances."""
    if points.shape[1] != centers.shape[1]:
        raise invalid_argument(
            "Expected point_dimensions == center_dimensions: "
            f"{points.shape[1]} vs {centers.shape[1]}."
        )
    squares = (points[:, None, :] - centers[None, :, :]).square().sum(-1)
    found = torch.sort(squares, dim=1, stable=True)
    count = min(k, centers.shape[0])
    return found.indices[:, :count], found.values[:, :count]


def _batch_size(input_dataset: Tensor) -> Any:
    as_dataset(input_dataset)
    return compute_batch_size(Dataset.of_node(input_dataset._value.node))  # type: ignore[attr-defined]


def _same(input: Tensor, **given: Any) -> Tensor:
    return identity(input)


ROWS: dict[str, Row] = {
    "ComputeBatchSize": composed(_batch_size),
    "DebugGradientIdentity": composed(_same),
    "DebugIdentityV2": composed(_same),
    "NearestNeighbors": kernel(nearest_kernel, scalars="k"),
    "RaggedGather": composed(_gathered),
    "RaggedTensorToSparse": composed(_as_sparse),
}
