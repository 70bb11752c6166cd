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
from ..dataset.base import FromVariant
from ..elements.structure import Element, Structure
from ..iteration.bound import BoundDataset
from ..iteration.devices import OnDevice
from ..iteration.node import INFINITE, Node, Returned, Run
from ..iteration.resuming import Failure, Outcomes
from ..nodes.batching import Batch
from ..nodes.mixing import Counted, elements_shown, miscounted
from ..nodes.selecting import Repeat, Shard, Shuffle, Skip, Take
from ..nodes.sources import Range, Slices, Tensors, row_getter
from ..nodes.storing import Cache
from ..nodes.threads import Prefetch
from ..nodes.transforms import Concatenate, Map, Passed, Zip

#: Makes an element, raw, on the host, of its number, which one of the elements has.
Find = Callable[[int], Element | None]


def finder(node: Node, run: Run) -> Find:
    """What finds an element of a node by its number, raw, on the host; None where there is none.

    Raises:
        FailedPreconditionError: the elements have no end.
    """
    count = node.number_in(run)
    if count == INFINITE and not isinstance(node, Cache):
        raise FailedPreconditionError(
            None, None,
            f"Dataset of type {node.label} has infinite cardinality, which does not support random "
            "access.",
        )  # fmt: skip
    make = next((make for kind, make in FINDERS.items() if isinstance(node, kind)), _passing_over)
    find = (make if count >= 0 else _passing_over)(node, run)
    return lambda place: None if place < 0 or 0 <= count <= place else find(place)


def at_kernel(dataset: BoundDataset, index: torch.Tensor, *, structure: Structure) -> Element:
    """The element with a number.

    Raises:
        OutOfRangeError: there is none.
    """
    place, run = int(index), Run().within(dataset.bindings, dataset.kept)
    found = finder(dataset.node, run)(place)
    if found is None:
        size = dataset.node.number_in(run)
        raise OutOfRangeError(None, None, f"Index out of range [0, {size}):{place}")
    return found


def _components(*inputs: Spec, structure: Structure) -> tuple[Spec, ...]:
    return structure.components


AT = op(
    "GetElementAtIndex", "dataset: variant, index: int64 -> components: N * any", at_kernel,
    _components, device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip


def _passing_over(node: Node, run: Run) -> Find:
    """Goes through all elements before it."""

    def find(place: int) -> Element | None:
        for found in itertools.islice(Outcomes(node.start(run)), place, place + 1):
            if type(found) is Failure:
                raise found.error
            return found  # type: ignore[no-any-return]
        return None

    return find


def _same(node: Node, run: Run) -> Find:
    return finder(node.input, run)


def _bound(node: FromVariant, run: Run) -> Find:
    ((inner, pass_of_inner),) = node.within(run)
    return finder(inner, pass_of_inner)


def _numbered(node: Range, run: Run) -> Find:
    start, _, step = [run.number(each) for each in node.bounds]
    torch_type = node.dtype.torch
    return lambda place: (torch.tensor(start + place * step, dtype=torch.int64).to(torch_type),)


def _only(node: Tensors, run: Run) -> Find:
    return lambda place: [run.raw(x) for x in node.tensors]


def _rows(node: Slices, run: Run) -> Find:
    rows = node.rows(run)
    if rows is not None:
        return row_getter(rows.columns)
    return node.whole.rows([run.raw(x) for x in node.tensors]).__getitem__


def _cached(node: Cache, run: Run) -> Find:
    """Finds what is kept, and keeps what it finds until that is all."""
    memory, find, count = run.memory(node), _same(node, run), node.number_in(run)

    def cached(place: int) -> Element | None:
        if "elements" in memory:
            return memory["elements"][place]  # type: ignore[no-any-return]
        found = memory.setdefault("found", {})
        if place not in found:
            found[place] = find(place)
        values: Element | None = found[place]
        if len(found) == count:
            memory["elements"] = [found[each] for each in range(count)]
            del memory["found"]
        return values

    return cached


def _shuffled(node: Shuffle, run: Run) -> Find:
    order, find = node.order(run), finder(node.input, run)
    return lambda place: find(order[place])


def _skipped(node: Skip, run: Run) -> Find:
    count, find = run.number(node.count), finder(node.input, run)
    return lambda place: find(place + count)


def _sharded(node: Shard, run: Run) -> Find:
    first, shards, find = run.number(node.index), run.number(node.num_shards), _same(node, run)
    return lambda place: find(first + place * shards)


def _repeated(node: Repeat, run: Run) -> Find:
    count, find = node.input.number_in(run), finder(node.input, run)
    return lambda place: find(place % count)


def _mapped(node: Map, run: Run) -> Find:
    find, function, call = finder(node.input, run), node.function, node.function.caller(run)

    def mapped(place: int) -> Element | None:
        values = find(place)
        return None if values is None else function.called(call, values, place)

    return mapped


def _zipped(node: Zip, run: Run) -> Find:
    finds = [finder(each, run) for each in node.inputs]

    def zipped(place: int) -> Element:
        found = [find(place) for find in finds]
        return [value for values in found if values is not None for value in values]

    return zipped


def _concatenated(node: Concatenate, run: Run) -> Find:
    first, second = [finder(each, run) for each in node.inputs]
    count = node.inputs[0].number_in(run)
    return lambda place: first(place) if place < count else second(place - count)


def _batched(node: Batch, run: Run) -> Find:
    size, there = run.number(node.size), node.input.number_in(run)
    find, stack = finder(node.input, run), node.input.structure.stacker()

    def batched(place: int) -> Element:
        places = range(place * size, min(there, (place + 1) * size))
        found = [find(each) for each in places]
        return stack([values for values in found if values is not None])

    return batched


def _counted(node: Counted, run: Run) -> Find:
    find, there = finder(node.input, run), node.input.number_in(run)

    def counted(place: int) -> Element:
        found = find(place)
        if found is None:
            raise miscounted(run.number(node.count), f"only {elements_shown(there)}")
        return found

    return counted


FINDERS: dict[type[Node], Callable[[Any, Run], Find]] = {
    Map: _mapped, Shuffle: _shuffled, Skip: _skipped, Shard: _sharded, Repeat: _repeated,
    Zip: _zipped, Concatenate: _concatenated, Batch: _batched, Cache: _cached, Range: _numbered,
    Tensors: _only, Slices: _rows, FromVariant: _bound, Counted: _counted,
    **dict.fromkeys((Take, Passed, Prefetch, OnDevice, Returned), _same),
}  # fmt: skip
