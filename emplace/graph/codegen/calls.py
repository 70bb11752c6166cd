"""One run of a loop as machine code: the memory of its iterations, and its results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from ...codegen.code import Loop
from ...core.tensor_list import StackedList, TensorList
from ...ops.variables.resource import Storage
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
    NumberSource,
    Result,
    Shape,
    Source,
    StateResult,
    StoredResult,
    VariableSource,
    WrittenListResult,
)
from .lowered import Lowered
from .maps import Unfit


class Frame(NamedTuple):
    """What is the same in all runs of a loop.

    `counters` are known values per iteration, as numbers, and `counted` the same as lists of
    tensors; `is_reversed` says that the iterations go from the last elements of lists to the first;
    the last `parts` of what is kept are wanted as one matrix, the iterations below each other.
    """

    counters: Sequence[Sequence[int]]
    counted: Sequence[TensorList]
    is_reversed: bool
    parts: int


class LoopRun:
    """One run of a loop: its memory, and its results.

    Raises:
        Unfit: the values, other than their shapes, are not what machine code expects.
    """

    def __init__(
        self, frame: Frame, lowered: Lowered, loop: Loop, iterations: int, values: Sequence[Any]
    ) -> None:
        self._frame = frame
        self._lowered = lowered
        self._loop = loop
        self._iterations = iterations
        self._values = values
        # Where each iteration's memory is among all iterations', in the order of the lists.
        self._order = np.arange(iterations)[::-1] if frame.is_reversed else np.arange(iterations)
        self._buffers: dict[int, torch.Tensor] = {}
        self._held: list[torch.Tensor] = []

    def run(self) -> list[Any]:
        """Runs all iterations."""
        lowered = self._lowered
        for slot, shape in lowered.made.items():
            self._buffers[slot] = _memory(self._iterations, *shape)
        fixed = [self._fixed(source) for source in lowered.fixed]
        table = self._table(lowered.each)
        for each in lowered.variables:
            if isinstance(each, WrittenListResult):
                self._check(each)
        addresses = np.array([x.data_ptr() for x in fixed], np.int64)
        scratch = _memory(lowered.program.scratch)
        self._loop(self._iterations, addresses.ctypes.data, table.ctypes.data, scratch.data_ptr())
        kept = [self._kept(each) for each in lowered.kept]
        first = len(kept) - self._frame.parts
        return [
            *[self._variable(each, fixed) for each in lowered.variables],
            *kept[:first], *map(_below_each_other, kept[first:]),
        ]  # fmt: skip

    # -- memory ---------------------------------------------------------------------------------

    def _fixed(self, source: Source) -> torch.Tensor:
        if isinstance(source, CarriedSource):
            return self._values[source.place].clone(memory_format=torch.contiguous_format)  # type: ignore[no-any-return]
        return self._tensor(source).contiguous()

    def _tensor(self, source: Source) -> torch.Tensor:
        """What is the same in all iterations."""
        if isinstance(source, ConstantSource):
            return self._lowered.constants[source.place]
        assert isinstance(source, (ArgumentSource, VariableSource))
        value = self._values[source.place]
        return value.read() if isinstance(source, VariableSource) else value  # type: ignore[no-any-return]

    def _table(self, sources: Sequence[Source | None]) -> Any:
        """The addresses of the memories that differ by iteration: a row each, iteration by
        iteration.
        """
        whole = [self._whole(i, source) for i, source in enumerate(sources)]
        first = np.array([0 if x is None else x.data_ptr() for x in whole], np.int64)
        steps = [0 if x is None else x.stride(0) * x.element_size() for x in whole]
        table = first[:, None] + np.multiply.outer(np.array(steps, np.int64), self._order)
        for i, source in enumerate(sources):
            if whole[i] is None:
                table[i] = self._row(source)
        return table

    def _whole(self, slot: int, source: Source | None) -> torch.Tensor | None:
        """The tensor whose slices, in the order of the lists, are a memory; None for others."""
        if source is None:
            return self._buffers[slot]
        if isinstance(source, ElementSource):
            values = self._values[source.place]
            if length(values) != self._iterations:
                raise Unfit("lists of several lengths")
            return self._dense(values) if isinstance(values, StackedList) else None
        return None

    def _dense(self, values: StackedList) -> torch.Tensor:
        whole: torch.Tensor = values.tensor.contiguous()
        self._held.append(whole)
        return whole

    def _row(self, source: Source | None) -> Any:
        """The addresses of elements of lists, iteration by iteration."""
        if isinstance(source, ElementSource):
            addresses = self._addresses(source.place)[self._order]
        else:
            assert isinstance(source, ListItemSource)
            addresses = self._items(source)
        if not addresses.all():
            addresses = np.where(addresses == 0, self._zeros(source), addresses)
        return addresses

    def _items(self, item: ListItemSource) -> Any:
        """The addresses of the elements that an iteration reads; 0 for zeros."""
        addresses = self._addresses(item.source.place)
        index = self._index(item.at)
        inside = (index >= 0) & (index < len(addresses))
        if not inside.all():
            if not item.is_gradient:
                raise Unfit("an index that is too large")
            addresses = np.append(addresses, 0)
            index = np.where(inside, index, len(addresses) - 1)
        found = addresses[index]
        if item.once:
            _, first = np.unique(index, return_index=True)
            if len(first) < len(index):
                again = np.ones(len(index), bool)
                again[first] = False
                found = np.where(again, 0, found)
        return found

    def _addresses(self, place: int) -> Any:
        """The addresses of a list's elements; 0 for one that is not there."""
        values = self._values[place]
        if isinstance(values, StackedList):
            whole = self._dense(values)
            step = whole.stride(0) * whole.element_size()
            return whole.data_ptr() + np.arange(len(whole)) * step
        shape, items = shape_of(values), values.items
        first = items[0] if items else None
        if first is not None and all(x is first for x in items):  # a weight, for example
            dense = [first.contiguous()]
            self._held += dense
            return np.full(len(items), dense[0].data_ptr())
        dense = [None if x is None else x.contiguous() for x in items]
        self._held += [x for x in dense if x is not None]
        if any(x is not None and (x.shape != shape or x.dtype is not torch.float32) for x in dense):
            raise Unfit("elements of several shapes")
        return np.array([0 if x is None else x.data_ptr() for x in dense], np.int64)

    def _zeros(self, source: ElementSource | ListItemSource) -> int:
        """The address of zeros like an element."""
        place = source.place if isinstance(source, ElementSource) else source.source.place
        if not isinstance(source, ListItemSource):
            raise Unfit("an element that is not there")
        shape = shape_of(self._values[place])
        assert shape is not None
        zeros = _memory(*shape).zero_()
        self._held.append(zeros)
        return zeros.data_ptr()

    def _index(self, index: IndexSource) -> Any:
        """An index, iteration by iteration."""
        if isinstance(index, NumberSource):
            return np.full(self._iterations, index.value)
        if isinstance(index, CounterSource):
            return np.array(self._frame.counters[index.place])
        values = self._values[index.place]
        if isinstance(values, StackedList):
            return values.tensor.numpy()[self._order]
        return np.array([int(x) for x in values.items])[self._order]

    # -- results --------------------------------------------------------------------------------

    def _variable(self, result: Result, fixed: Sequence[torch.Tensor]) -> Any:
        if isinstance(result, StateResult):
            return fixed[result.slot]
        if isinstance(result, WrittenListResult):
            return self._written(result)
        if isinstance(result, ListGradientResult):
            return self._added(result)
        if isinstance(result, EmptiedListResult):
            return self._emptied(result)
        assert isinstance(result, CarriedSource)
        return self._values[result.place]

    def _emptied(self, result: EmptiedListResult) -> TensorList:
        before, gone = self._values[result.source.place], set(self._index(result.at).tolist())
        size = length(before)
        if gone >= set(range(size)):
            return TensorList([None] * size)
        return TensorList([None if i in gone else x for i, x in enumerate(before.items)])

    def _check(self, result: WrittenListResult) -> None:
        index = self._index(result.at)
        size = length(self._values[result.source.place])
        if index.min() < 0 or index.max() >= size:
            raise Unfit("an index that is too large")

    def _written(self, result: WrittenListResult) -> TensorList:
        before, buffer = self._values[result.source.place], self._buffers[result.made.slot]
        index = self._index(result.at)
        if length(before) == self._iterations and np.array_equal(index, self._order):
            return StackedList(buffer)
        items = before.items.copy()
        for i, place in dict(zip(index.tolist(), self._order.tolist(), strict=True)).items():
            items[i] = buffer[place]
        return TensorList(items)

    def _added(self, result: ListGradientResult) -> TensorList:
        items = self._values[result.source.place].items.copy()
        buffer, index = self._buffers[result.made.slot], self._index(result.at)
        if not items and np.array_equal(index, self._order):
            return StackedList(buffer)
        items += [None] * (int(index.max()) + 1 - len(items))
        for i, place in zip(index.tolist(), self._order.tolist(), strict=True):
            items[i] = buffer[place] if items[i] is None else items[i] + buffer[place]
        return TensorList(items)

    def _kept(self, result: Result) -> TensorList:
        """A list with an element per iteration, in the order of the lists."""
        if isinstance(result, StoredResult):
            return StackedList(self._buffers[result.slot])
        if isinstance(result, ElementSource):
            return self._values[result.place]  # type: ignore[no-any-return]
        if isinstance(result, CounterSource):
            return self._frame.counted[result.place]
        if isinstance(result, ListItemSource):
            return self._picked(result)
        assert isinstance(result, (ArgumentSource, VariableSource, ConstantSource))
        return TensorList([self._tensor(result)] * self._iterations)

    def _picked(self, item: ListItemSource) -> TensorList:
        values: TensorList = self._values[item.source.place]
        index = self._index(item.at)[self._order]
        if np.array_equal(index, np.arange(length(values))):
            return values
        return TensorList([values.items[i] for i in index.tolist()])


def _memory(*shape: int) -> torch.Tensor:
    return torch.empty(shape, dtype=torch.float32, device="cpu")


def _below_each_other(values: TensorList) -> torch.Tensor:
    """The elements of a list as one matrix."""
    if isinstance(values, StackedList):
        return values.tensor.flatten(0, 1)  # type: ignore[no-any-return]
    made: torch.Tensor = torch.cat(values.items)
    return made


def length(values: TensorList) -> int:
    """How many elements a list has."""
    return len(values.tensor) if isinstance(values, StackedList) else len(values.items)


def shape_of(value: Any) -> Shape | None:
    """The shape of a tensor of float32, of the elements of a list, or of a variable; else None."""
    if isinstance(value, StackedList):
        return tuple(value.tensor.shape[1:]) if value.tensor.dtype is torch.float32 else None
    if isinstance(value, TensorList):
        value = next((each for each in value.items if each is not None), None)
    elif isinstance(value, Storage):
        value = value.value
    if isinstance(value, torch.Tensor) and value.dtype is torch.float32:
        return tuple(value.shape)
    return None
