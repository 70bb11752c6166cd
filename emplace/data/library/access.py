"""One element of a dataset by its number.

Where a transformation tells which elements of its input it needs, only those are made. A shuffle is
then one permutation of all elements, whatever the size of its buffer, which stays the same for a
dataset. Any other dataset is gone through from its first element.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import torch

from ...base.errors import FailedPreconditionError, OutOfRangeError
from ...ops.infer import Spec
from ...ops.op import CPU_ONLY, op
from ..elements.structure import Element, Structure
from ..iteration.bound import BoundDataset
from ..iteration.devices import OnDevice
from ..iteration.node import INFINITE, Node, Returned, Run
from ..iteration.resuming import Failure, Outcomes
from ..nodes.batching import Batch
from ..nodes.selecting import Repeat, Shard, Shuffle, Skip, Take
from ..nodes.storing import Cache
from ..nodes.threads import Prefetch
from ..nodes.transforms import Concatenate, Map, Passed, Zip


def element_at(node: Node, run: Run, place: int) -> Element | None:
    """The element with a number, raw, on the host; None where there is none."""
    if place < 0 or 0 <= node.cardinality <= place:
        return None
    if node.cardinality == INFINITE and not isinstance(node, Cache):
        raise FailedPreconditionError(
            None, None,
            f"Dataset of type {node.label} has infinite cardinality, which does not support random "
            "access.",
        )  # fmt: skip
    for kind, find in _FINDERS.items():
        if isinstance(node, kind) and node.cardinality >= 0:
            return find(node, run, place)
    for found in itertools.islice(Outcomes(node.start(run)), place, place + 1):
        if type(found) is Failure:
            raise found.error
        return found  # type: ignore[no-any-return]
    return None


def at_kernel(dataset: BoundDataset, index: torch.Tensor, *, structure: Structure) -> Element:
    """The element with a number.

    Raises:
        OutOfRangeError: there is none.
    """
    place, run = int(index), Run().within(dataset.bindings, dataset.kept)
    found = element_at(dataset.node, run, place)
    if found is None:
        size = dataset.node.cardinality
        raise OutOfRangeError(None, None, f"Index out of range [0, {size}):{place}")
    return found


def _components(*inputs: Spec, structure: Structure) -> tuple[Spec, ...]:
    return structure.components


AT = op(
    "GetElementAtIndex", "dataset: variant, index: int64 -> components: N * any", at_kernel,
    _components, device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip


def _same(node: Node, run: Run, place: int) -> Element | None:
    return element_at(node.input, run, place)


def _cached(node: Cache, run: Run, place: int) -> Element | None:
    kept = run.memory(node).get("elements")
    return _same(node, run, place) if kept is None else kept[place]


def _shuffled(node: Shuffle, run: Run, place: int) -> Element | None:
    return element_at(node.input, run, node.order(run)[place])


def _skipped(node: Skip, run: Run, place: int) -> Element | None:
    return element_at(node.input, run, place + run.number(node.count))


def _sharded(node: Shard, run: Run, place: int) -> Element | None:
    return element_at(node.input, run, run.number(node.index) + place * run.number(node.num_shards))


def _repeated(node: Repeat, run: Run, place: int) -> Element | None:
    return element_at(node.input, run, place % node.input.cardinality)


def _mapped(node: Map, run: Run, place: int) -> Element | None:
    values = element_at(node.input, run, place)
    if values is None:
        return None
    return node.function.called(node.function.caller(run), values, place)


def _zipped(node: Zip, run: Run, place: int) -> Element | None:
    found = [element_at(each, run, place) for each in node.inputs]
    return [value for values in found if values is not None for value in values]


def _concatenated(node: Concatenate, run: Run, place: int) -> Element | None:
    first, second = node.inputs
    if place < first.cardinality:
        return element_at(first, run, place)
    return element_at(second, run, place - first.cardinality)


def _batched(node: Batch, run: Run, place: int) -> Element | None:
    size, there = run.number(node.size), node.input.cardinality
    places = range(place * size, min(there, (place + 1) * size))
    found = [element_at(node.input, run, each) for each in places]
    return node.input.structure.stacker()([values for values in found if values is not None])


_FINDERS: dict[type[Node], Callable[[Any, Run, int], Element | None]] = {
    Map: _mapped, Shuffle: _shuffled, Skip: _skipped, Shard: _sharded, Repeat: _repeated,
    Zip: _zipped, Concatenate: _concatenated, Batch: _batched, Cache: _cached,
    **dict.fromkeys((Take, Passed, Prefetch, OnDevice, Returned), _same),
}  # fmt: skip
