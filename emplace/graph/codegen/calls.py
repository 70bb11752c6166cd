"""One run of a loop as machine code: the memory of its iterations, and its results."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from ...codegen.text import APART
from ...core.tensor_list import StackedList, TensorList
from ...devices.device import HOST
from ...ops.variables.resource import Storage
from .layouts import Index, LoopLayout, Reading, reading_of
from .loop_values import (
    ArgumentSource,
    CarriedSource,
    ConstantSource,
    CounterSource,
    ElementSource,
    EmptiedListResult,
    IndexSource,
    ListGradientResult,
    ListItemSource,
    Shape,
    Source,
    StateResult,
    StoredResult,
    VariableSource,
    WrittenListResult,
)
from .maps import Unfit

_ENTRY_BYTES = 8


class LoopRun:
    """One run of a loop: its memory, and its results.

    Raises:
        Unfit: the values, other than their shapes, are not what machine code expects.
    """

    __slots__ = ("_buffers", "_fixed", "_held", "_iterations", "_layout", "_values")

    def __init__(self, layout: LoopLayout, values: Sequence[Any]) -> None:
        self._layout = layout
        self._iterations = layout.iterations
        self._values = values
        self._buffers: dict[int, torch.Tensor] = {}
        self._fixed: list[torch.Tensor] = []
        self._held: list[torch.Tensor] = []

    def run(self) -> list[Any]:
        """Runs all iterations."""
        layout, lowered = self._layout, self._layout.lowered
        self._fixed = fixed = [self._memory_of(source) for source in lowered.fixed]
        addresses = struct.pack(f"{len(fixed)}q", *[x.data_ptr() for x in fixed])
        for result in lowered.variables:
            if isinstance(result, WrittenListResult):
                self._check(result)
        table = self._table()
        scratch = _memory(lowered.program.scratch)
        layout.loop(self._iterations, addresses, table, scratch.data_ptr())
        kept = [_KEPT[type(each)](self, each) for each in lowered.kept]
        first = len(kept) - layout.frame.parts
        return [
            *[_VARIABLES[type(each)](self, each) for each in lowered.variables],
            *kept[:first], *map(_below_each_other, kept[first:]),
        ]  # fmt: skip

    # -- memory ---------------------------------------------------------------------------------

    def _memory_of(self, source: Source) -> torch.Tensor:
        if isinstance(source, CarriedSource):
            return self._values[source.place].clone(memory_format=torch.contiguous_format)  # type: ignore[no-any-return]
        return self._tensor(source).contiguous()

    def _tensor(self, source: Source) -> torch.Tensor:
        """What is the same in all iterations."""
        if isinstance(source, ConstantSource):
            return self._layout.lowered.constants[source.place]
        assert isinstance(source, (ArgumentSource, VariableSource))
        value = self._values[source.place]
        return value.read() if isinstance(source, VariableSource) else value  # type: ignore[no-any-return]

    def _table(self) -> bytes:
        """Where the memories are that differ by iteration: see `codegen/text.py`."""
        layout, buffers = self._layout, self._buffers
        entries = [0] * (2 * len(layout.lowered.each))
        _, first, step = layout.in_order
        assert step is not None
        for slot, shape, nbytes in layout.made:
            buffers[slot] = made = _memory(*shape)
            entries[2 * slot] = made.data_ptr() + first * nbytes
            entries[2 * slot + 1] = step * nbytes
        for unread in layout.unread:
            self._check_length(unread)
        for i, source in layout.given:
            entries[2 * i : 2 * i + 2] = self._entry(i, source, entries)
        return struct.pack(f"{len(entries)}q", *entries)

    def _entry(self, place: int, source: Source, entries: list[int]) -> tuple[int, int]:
        """Where the elements of a list are that the iterations read: a start and a step. Addresses
        that follow no rule go behind the other entries.
        """
        values, reading = self._elements_read(place, source)
        if reading.step is not None and isinstance(values, StackedList):
            whole = self._laid_out(values)
            nbytes = whole.stride(0) * whole.element_size()
            return whole.data_ptr() + reading.first * nbytes, reading.step * nbytes
        addresses = self._addresses(values)
        if reading.step is not None and addresses[0] and len(set(addresses)) == 1:
            return addresses[0], 0  # a weight, for example
        at = reading.at or self._layout.order.tolist()
        row = [addresses[i] if i >= 0 else 0 for i in at]
        if 0 in row:
            if isinstance(source, ElementSource):
                raise Unfit("an element that is not there")
            zeros = self._zeros(values)
            row = [address or zeros for address in row]
        entries += row
        return _ENTRY_BYTES * (len(entries) - len(row)), APART

    def _elements_read(self, place: int, source: Source) -> tuple[TensorList, Reading]:
        if isinstance(source, ElementSource):
            return self._check_length(source), self._layout.in_order
        assert isinstance(source, ListItemSource)
        values = self._values[source.source.place]
        size = length(values)
        found = self._layout.reading(place, source, size)
        return values, found or reading_of(source, self._index(source.at), size)

    def _check_length(self, source: ElementSource) -> TensorList:
        values: TensorList = self._values[source.place]
        if length(values) != self._iterations:
            raise Unfit("lists of several lengths")
        return values

    def _laid_out(self, values: StackedList) -> torch.Tensor:
        """The elements of a list, one after the other; the list keeps them so, for whoever takes
        it next, unless a budget counts what it keeps.
        """
        whole = self._dense(values.tensor)
        if not self._layout.frame.is_bounded:
            values.tensor = whole
        return whole

    def _dense(self, x: torch.Tensor) -> torch.Tensor:
        """A tensor whose numbers are one after the other, for as long as this run takes."""
        if not x.is_contiguous():
            x = x.contiguous()
            self._held.append(x)
        return x

    def _addresses(self, values: TensorList) -> list[int]:
        """The addresses of a list's elements; 0 for one that is not there."""
        shape, items = shape_of(values), values.items
        first = items[0] if items else None
        if first is not None and len(set(map(id, items))) == 1:
            return [self._dense(first).data_ptr()] * len(items)
        if any(x is not None and (x.shape != shape or x.dtype is not torch.float32) for x in items):
            raise Unfit("elements of several shapes")
        return [0 if x is None else self._dense(x).data_ptr() for x in items]

    def _zeros(self, values: TensorList) -> int:
        """The address of zeros like an element of a list."""
        shape = shape_of(values)
        assert shape is not None
        zeros = _memory(*shape).zero_()
        self._held.append(zeros)
        return zeros.data_ptr()

    def _index(self, index: IndexSource) -> Index:
        """An index, iteration by iteration."""
        if (known := self._layout.known(index)) is not None:
            return known
        values = self._values[index.place]  # type: ignore[union-attr]  # numbers are known
        if isinstance(values, StackedList):
            numbers = values.tensor.numpy()
        else:
            numbers = np.array([int(x) for x in values.items])
        return self._layout.index_of(numbers[self._layout.order])

    # -- the variables after the last iteration -------------------------------------------------

    def _state(self, result: StateResult) -> torch.Tensor:
        return self._fixed[result.slot]

    def _as_before(self, result: CarriedSource) -> Any:
        return self._values[result.place]

    def _emptied(self, result: EmptiedListResult) -> TensorList:
        before, gone = self._values[result.source.place], self._index(result.at).last
        size = length(before)
        if gone.keys() >= set(range(size)):
            return TensorList([None] * size)
        return TensorList([None if i in gone else x for i, x in enumerate(before.items)])

    def _check(self, result: WrittenListResult) -> None:
        index = self._index(result.at)
        if index.least < 0 or index.most >= length(self._values[result.source.place]):
            raise Unfit("an index that is too large")

    def _written(self, result: WrittenListResult) -> TensorList:
        before, buffer = self._values[result.source.place], self._buffers[result.made.slot]
        index = self._index(result.at)
        if index.is_order and length(before) == self._iterations:
            return StackedList(buffer)
        items = before.items.copy()
        for i, place in index.last.items():
            items[i] = buffer[place]
        return TensorList(items)

    def _added(self, result: ListGradientResult) -> TensorList:
        items = self._values[result.source.place].items.copy()
        buffer, index = self._buffers[result.made.slot], self._index(result.at)
        if not items and index.is_order:
            return StackedList(buffer)
        items += [None] * (index.most + 1 - len(items))
        order = self._layout.order
        for i, place in zip(index.numbers.tolist(), order.tolist(), strict=True):
            items[i] = buffer[place] if items[i] is None else items[i] + buffer[place]
        return TensorList(items)

    # -- lists with an element per iteration, in the order of the lists -------------------------

    def _stored(self, result: StoredResult) -> TensorList:
        return StackedList(self._buffers[result.slot])

    def _elements(self, result: ElementSource) -> TensorList:
        return self._values[result.place]  # type: ignore[no-any-return]

    def _counted(self, result: CounterSource) -> TensorList:
        return self._layout.frame.counted[result.place]

    def _repeated(self, result: Source) -> TensorList:
        return TensorList([self._tensor(result)] * self._iterations)

    def _picked(self, item: ListItemSource) -> TensorList:
        values: TensorList = self._values[item.source.place]
        index = self._index(item.at)
        if index.is_order and length(values) == self._iterations:
            return values
        places = index.numbers[self._layout.order]
        return TensorList([values.items[i] for i in places.tolist()])


_VARIABLES: Mapping[type, Callable[[LoopRun, Any], Any]] = {
    StateResult: LoopRun._state,
    CarriedSource: LoopRun._as_before,
    WrittenListResult: LoopRun._written,
    ListGradientResult: LoopRun._added,
    EmptiedListResult: LoopRun._emptied,
}
_KEPT: Mapping[type, Callable[[LoopRun, Any], TensorList]] = {
    StoredResult: LoopRun._stored,
    ElementSource: LoopRun._elements,
    CounterSource: LoopRun._counted,
    ListItemSource: LoopRun._picked,
    ArgumentSource: LoopRun._repeated,
    VariableSource: LoopRun._repeated,
    ConstantSource: LoopRun._repeated,
}


def _memory(*shape: int) -> torch.Tensor:
    return torch.empty(shape, dtype=torch.float32, device=HOST)


def _below_each_other(values: TensorList) -> torch.Tensor:
    """The elements of a list as one matrix."""
    if isinstance(values, StackedList):
        return values.tensor.flatten(0, 1)  # type: ignore[no-any-return]
    made: torch.Tensor = torch.cat(values.items)
    return made


def length(values: TensorList) -> int:
    """How many elements a list has."""
    # `len` of a tensor goes through functions of torch's.
    return values.tensor.shape[0] if isinstance(values, StackedList) else len(values.items)


def shape_of(value: Any) -> Shape | None:
    """The shape of a tensor of float32, of the elements of a list, or of a variable; else None."""
    if type(value) is not torch.Tensor:
        if isinstance(value, StackedList):
            value = value.tensor
            return value.shape[1:] if value.dtype is torch.float32 else None
        if isinstance(value, TensorList):
            value = next((each for each in value.items if each is not None), None)
        elif isinstance(value, Storage):
            value = value.value
        if not isinstance(value, torch.Tensor):
            return None
    return value.shape if value.dtype is torch.float32 else None
