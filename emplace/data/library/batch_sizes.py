"""How large the batches of a dataset are, and how workers share them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import dtypes
from ...ops.arguments import host_value
from ...ops.convert import to_tensor
from ..dataset.dataset import Dataset
from ..iteration.node import Node, known
from ..nodes.batching import Batch, PaddedBatch
from ..nodes.dense_to_ragged import SparseBatch, ToRagged
from ..nodes.transforms import Concatenate, Passed, Zip

_UNKNOWN = -1
# What leaves batches as they are.
_PASSING = {
    "PrefetchDataset", "ShuffleDataset", "RepeatDataset", "TakeDataset", "SkipDataset",
    "CacheDataset", "FilterDataset", "ShardDataset", "AssertCardinalityDataset",
    "CopyToDeviceDataset",
}  # fmt: skip


def compute_batch_size(dataset: Dataset) -> Any:
    """How many rows a batch of a dataset has: an int64 scalar, -1 if that is not known."""
    components = dataset.node.structure.components
    sizes = {each.dims[0] if each.dims else None for each in components}
    size = sizes.pop() if len(sizes) == 1 else None
    return to_tensor(_size(dataset.node) if size is None else size, dtypes.int64)


def _size(node: Node) -> int:
    """What the last batching says."""
    if isinstance(node, (Batch, PaddedBatch, SparseBatch)):
        size = known(node.size)
        return _UNKNOWN if size is None else size
    if isinstance(node, (Zip, Concatenate)):
        sizes = {_size(each) for each in node.inputs}
        return sizes.pop() if len(sizes) == 1 else _UNKNOWN
    if node.label in _PASSING or isinstance(node, (Passed, ToRagged)):
        return _size(node.input)
    return _UNKNOWN


def batch_sizes_for_worker(
    global_batch_size: Any, num_workers: int, num_replicas_per_worker: int, worker_index: int
) -> Any:
    """How batches are cut for the replicas of one of several machines, so that all of them together
    take one batch in each step.

    Returns:
        The sizes, which take turns: an int64 vector of one number for each replica of all machines.
    """
    count = num_workers * num_replicas_per_worker
    least, more = divmod(int(host_value(to_tensor(global_batch_size))), count)
    sizes = least + (np.arange(count) < more).astype(np.int64)
    return to_tensor(np.roll(sizes, -worker_index * num_replicas_per_worker))
