"""Where elements come from: tensors, ranges, generators, random numbers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from ...base.dtypes import DType
from ...base.errors import invalid_argument
from ...base.typing import TensorLike
from ...core.context import HOST_SCOPE, LOCAL
from ...core.tensor_spec import TensorSpec
from ...eager.target import EAGER
from ...graph.function.python_functions import python_error
from ...ops.random.philox import key_and_counter, words
from ..elements.structure import Element, Raw, Structure, known_count, rows_of, spec_of
from ..iteration.node import INFINITE, UNKNOWN, Node, Rows, Run, known

_BLOCK = 256
_MOST_ROWS = 1 << 20
_NONE = torch.empty(0, dtype=torch.int64)


class Tensors(Node):
    """One element."""

    label = "TensorDataset"

    def __init__(self, element: object) -> None:
        super().__init__()
        self.structure = Structure(spec_of(element))
        self.tensors = self.structure.tensors(element)
        if not self.tensors:
            raise invalid_argument("An element must have a tensor. [Op:TensorDataset] name: ")
        self.cardinality = 1

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return self.tensors

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return iter([[run.raw(x) for x in self.tensors]])


class Slices(Node):
    """The rows of tensors."""

    label = "TensorSliceDataset"

    def __init__(self, element: object) -> None:
        super().__init__()
        whole = Structure(spec_of(element))
        if not whole.components:
            raise ValueError("Invalid `element`. `element` should not be empty.")
        if any(x.dims == () for x in whole.components):
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        self.whole = whole
        self.structure = whole.unbatched()
        self.tensors = whole.tensors(element)
        count = known_count([spec.shape for _, spec in whole.leaves if hasattr(spec, "shape")])
        self.cardinality = UNKNOWN if count is None else count

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return self.tensors

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        rows = self.rows(run)
        if rows is None:
            return iter(self.whole.rows([run.raw(x) for x in self.tensors]))
        return elements_of(rows)

    def rows(self, run: Run) -> Rows | None:
        """Its elements as rows of tensors, if that is what they are."""
        if not self.whole.is_dense:
            return None
        columns = [run.raw(x) for x in self.tensors]
        counts = {len(each) for each in columns}
        if len(counts) > 1:
            raise invalid_argument("All tensors must have the same number of rows.")
        count = counts.pop()
        return Rows(columns, iter(range(count)), count)


def elements_of(rows: Rows) -> Iterator[Element]:
    """The elements that rows stand for."""
    if rows.whole is None:
        items: Iterator[Element] = map(row_getter(rows.columns), rows.order)
    else:
        items = iter_rows(rows.columns, rows.whole)
    for step in rows.steps:
        items = step.one(items)
    return items


def iter_rows(columns: Sequence[Raw], count: int) -> Iterator[Element]:
    """The rows of tensors, one after the other; views are made in blocks, which is faster."""
    for start in range(0, count, _BLOCK):
        blocks = [rows_of(column[start : start + _BLOCK]) for column in columns]
        yield from zip(*blocks, strict=True)


def row_getter(columns: Sequence[Raw]) -> Callable[[int], Element]:
    """A function that returns a row."""
    if any(not isinstance(column, torch.Tensor) for column in columns):
        return lambda i: [
            column[i] if isinstance(column, torch.Tensor) else np.asarray(column[i], object)
            for column in columns
        ]
    if len(columns) == 1:
        only = columns[0]
        return lambda i: (only[i],)
    return lambda i: [column[i] for column in columns]


class Range(Node):
    """Integers, or numbers of another type, in equal steps."""

    label = "RangeDataset"

    def __init__(self, start: TensorLike, stop: TensorLike, step: Any, dtype: DType) -> None:
        super().__init__()
        self.bounds = start, stop, step
        self.dtype = dtype
        self.structure = Structure(spec_of_scalar(dtype))
        sizes = [known(each) for each in self.bounds]
        if None in sizes:
            self.cardinality = UNKNOWN
        else:
            if sizes[2] == 0:
                raise invalid_argument("step must be a non-zero integer.")
            count = count_of(*sizes)  # type: ignore[arg-type]
            self.cardinality = count if count < 2**63 else INFINITE  # TF: it overflows to that

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return list(self.bounds)

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        start, stop, step = [run.number(each) for each in self.bounds]
        if step == 0:
            raise invalid_argument("step must be a non-zero integer.")
        return _numbers(start, stop, step, self.dtype)

    def rows(self, run: Run) -> Rows | None:
        """Its elements as rows of tensors, if that is what they are."""
        start, stop, step = [run.number(each) for each in self.bounds]
        count = count_of(start, stop, step) if step else 0
        if step == 0 or count > _MOST_ROWS:
            return None
        numbers = torch.arange(start, stop, step) if count else _NONE
        return Rows([numbers.to(self.dtype.torch)], iter(range(len(numbers))), len(numbers))


def count_of(start: int, stop: int, step: int) -> int:
    """How many numbers a range has; `len` knows no more than 2**63 - 1."""
    return max(0, -((start - stop) // step))


def _numbers(start: int, stop: int, step: int, dtype: DType) -> Iterator[Element]:
    """The numbers of a range as scalars, made in blocks."""
    count = count_of(start, stop, step)
    for place in range(0, count, _BLOCK):
        size = min(_BLOCK, count - place)
        block = torch.arange(size, dtype=torch.int64) * step + (start + place * step)
        for each in block.to(dtype.torch).unbind(0):
            yield (each,)


class Counter(Node):
    """Numbers without an end."""

    label = "CounterDataset"

    def __init__(self, start: Any, step: Any, dtype: DType) -> None:
        super().__init__()
        self.first, self.step, self.dtype = start, step, dtype
        self.structure = Structure(spec_of_scalar(dtype))
        self.cardinality = INFINITE

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        for number in itertools.count(self.first, self.step):
            yield (torch.tensor(number, dtype=self.dtype.torch),)


class Random(Node):
    """Random integers without an end."""

    label = "RandomDataset"

    def __init__(self, seeds: Any, changes: bool, dtype: DType) -> None:
        super().__init__()
        self.seeds, self.changes = seeds, changes
        self.dtype = dtype
        self.structure = Structure(spec_of_scalar(dtype))
        self.cardinality = INFINITE

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        key, counter = tuple(self.seeds) if self.seeds else fresh_seeds()
        return self._draw(key, counter + (next_pass(run, self) << 64 if self.changes else 0))

    def _draw(self, key: int, counter: int) -> Iterator[Element]:
        while True:
            block = torch.stack(words(key, counter, _BLOCK)).reshape(-1).to(torch.int64)
            counter += _BLOCK
            for each in block.unbind(0):
                yield (each,)


def next_pass(run: Run, node: Node) -> int:
    """The number of a pass, from 0."""
    passes: Iterator[int] = run.memory(node).setdefault("passes", itertools.count())
    return next(passes)


def fresh_seeds() -> tuple[int, int]:
    """Seeds that nobody can repeat."""
    first, second = np.random.SeedSequence().generate_state(2)
    return key_and_counter(int(first), int(second))


class Generated(Node):
    """What a Python generator yields.

    Args:
        generator: makes an iterator; takes `arguments`.
        convert: makes an element, raw, of what the iterator yields.
        structure: of the elements.
        arguments: tensors.
    """

    label = "FlatMapDataset"  # TF: that is what it is made of

    def __init__(
        self, generator: Callable[..., Any], convert: Callable[[Any], Element],
        structure: Structure, arguments: Sequence[Any],
    ) -> None:  # fmt: skip
        super().__init__()
        self.generator, self.convert = generator, convert
        self.structure = structure
        self.arguments = list(arguments)
        self.cardinality = UNKNOWN

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return self.arguments

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return map(self.convert, self._values(run))

    def _values(self, run: Run) -> Iterator[Any]:
        arguments = [_array(run.raw(x)) for x in self.arguments]
        try:
            items = iter(eagerly(self.generator, *arguments))
            while True:
                value = eagerly(next, items, _END)
                if value is _END:
                    return
                yield value
        except GeneratorExit:
            raise
        except Exception as error:
            raise python_error(error) from error


_END = object()


def eagerly(function: Callable[..., Any], *arguments: Any) -> Any:
    """What Python code of the program returns in eager mode, also while a session runs."""
    state = LOCAL.state
    if state.target.is_eager:
        return function(*arguments)
    before, state.target = (state.target, state.scope), EAGER
    state.scope = HOST_SCOPE
    try:
        return function(*arguments)
    finally:
        state.target, state.scope = before


def _array(raw: Raw) -> Any:
    array = raw.numpy() if isinstance(raw, torch.Tensor) else raw
    return array if array.ndim else array[()]


def spec_of_scalar(dtype: DType) -> Any:
    """The spec of numbers."""
    return TensorSpec((), dtype)
