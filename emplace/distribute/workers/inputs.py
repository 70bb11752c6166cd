"""Datasets for the replicas of one of several workers.

A dataset of batches for all replicas is divided as `tf.data.experimental.AutoShardPolicy` says. All
workers take as many steps: one whose part has ended goes on with empty batches until the last one's
has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from ...data.dataset.dataset import Dataset
from ...data.dataset.options import AutoShardPolicy
from ...data.elements.nesting import map_leaves
from ...data.elements.row_parts import part_of, row_count
from ...data.elements.structure import Element, Structure
from ...data.iteration.node import INFINITE, UNKNOWN, Node, Run
from ...data.library.batch_sizes import batch_sizes_for_worker, compute_batch_size
from ..inputs.inputs import (
    DistributedDataset,
    InTurn,
    Shared,
    distributed,
    may_distribute,
    rows_known,
)
from ..strategies.strategy import Strategy
from .files import by_hint, reads_files, some_files
from .processes.link import link


def shared_among_workers(
    dataset: Any, strategy: Strategy, count: int, number: int, options: Any
) -> DistributedDataset:
    """A worker's part of a dataset of batches for all replicas.

    Args:
        dataset: the batches, the same on all workers.
        strategy: whose replicas.
        count: how many workers there are.
        number: which one this is.
        options: a `tf.distribute.InputOptions`.

    Raises:
        AttributeError: it is no dataset.
        IndexError: its elements are no batches.
        NotImplementedError: a pipeline for each replica is asked for.
        NotFoundError: it is to be divided by file, and reads none.
    """
    if not may_distribute(dataset, options):
        return dataset  # type: ignore[no-any-return]
    map_leaves(rows_known, dataset.element_spec)
    made = _part(dataset, len(strategy.replica_devices), count, number)
    return distributed(made, strategy, options)


def _part(dataset: Dataset, own: int, count: int, number: int) -> Node:
    node, policy = dataset.node, _policy(dataset)
    if policy is AutoShardPolicy.DATA:
        return _by_data(node, own, count, number)
    if policy is AutoShardPolicy.FILE:
        node = some_files(node, count, number)
    elif policy is AutoShardPolicy.HINT:
        node = by_hint(node, count, number)
    size = compute_batch_size(dataset)
    if int(size.numpy()) < 0:
        return Agreed(InTurn(_Pieces(node, own * count), own, keeps=True))
    sizes = batch_sizes_for_worker(size, count, own, number)
    return Agreed(InTurn(Dataset.of_node(node).rebatch(sizes).node, own, keeps=True))


def _policy(dataset: Dataset) -> AutoShardPolicy:
    """How a dataset is divided; what is left to us is decided."""
    policy = dataset.options().experimental_distribute.auto_shard_policy
    if policy is not AutoShardPolicy.AUTO:
        return policy  # type: ignore[no-any-return]
    return AutoShardPolicy.FILE if reads_files(dataset.node) else AutoShardPolicy.DATA


def _by_data(node: Node, own: int, count: int, number: int) -> Node:
    """Of the parts of each batch every `count`-th, as in TensorFlow. All workers have as many."""
    made = Shared(node, own * count, range(number, own * count, count))
    return made if node.cardinality != UNKNOWN else Agreed(made)


def for_worker(made: Any, strategy: Any, options: Any) -> DistributedDataset:
    """The dataset that a function made for this worker: an element for each replica in turn."""
    return distributed(
        Agreed(InTurn(made.node, len(strategy.replica_devices), keeps=True)), strategy, options
    )


class _Pieces(Node):
    """Each element in so many parts, one after the other."""

    label = "RebatchDataset"

    def __init__(self, node: Node, count: int) -> None:
        super().__init__(node)
        self.count = count
        self.structure = node.structure
        self.cardinality = node.cardinality * count if node.cardinality > 0 else node.cardinality

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        leaves = self.structure.leaves
        for raws in self.input.start(run):
            parts = self.structure.split(raws)
            rows = row_count(leaves, parts)
            share = -(-rows // self.count)
            for i in range(self.count):
                first, end = min(i * share, rows), min((i + 1) * share, rows)
                yield [
                    raw
                    for (_, spec), part in zip(leaves, parts, strict=True)
                    for raw in part_of(spec, part, first, end)
                ]


class Agreed(Node):
    """The elements of its input, until those of all workers have ended. Then empty ones follow on
    a worker that has fewer.
    """

    label = "OptionsDataset"

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.structure, self.cardinality = node.structure, node.cardinality

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        items = self.input.start(run)
        return items if self.cardinality == INFINITE else self._agreed(items)

    def _agreed(self, items: Iterator[Element]) -> Iterator[Element]:
        last: Element | None = None
        is_over = False
        while True:
            found = None if is_over else next(items, None)
            is_over = found is None
            last = last if found is None else found
            running = link().sum(torch.tensor([0 if is_over else 1]), "inputs")
            if not int(running[0]):
                return
            yield self._empty(last) if found is None else found

    def _empty(self, last: Element | None) -> Element:
        """An element of no examples, like the last one if there was one."""
        if last is None:
            return [_nothing(each) for each in self.structure.components]
        structure = self.structure
        return [
            raw
            for (_, spec), part in zip(structure.leaves, structure.split(last), strict=True)
            for raw in _no_rows(spec, part)
        ]


def _no_rows(spec: Any, part: Element) -> Element:
    """A leaf of a value for each replica, without rows."""
    made: list[Any] = []
    start = 0
    for each in spec.value_specs:
        end = start + len(Structure(each).components)
        made += part_of(each, part[start:end], 0, 0)
        start = end
    return made


def _nothing(component: Any) -> Any:
    dims = (0, *[size or 0 for size in (component.dims or ())[1:]])
    dtype = component.dtype.torch
    return np.empty(dims, object) if dtype is None else torch.empty(dims, dtype=dtype)
