"""Where elements come from: tensors, ranges, generators, random numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import torch

from ...base.dtypes import DType
from ...base.errors import invalid_argument
from ...base.typing import TensorLike
from ...core.tensor_spec import TensorSpec
from ...eager.target import eagerly
from ...graph.function.python_functions import python_error
from ..elements.structure import Element, Raw, Structure, known_count, rows_of, spec_of
from ..iteration.node import INFINITE, UNKNOWN, Node, Numbers, Rows, Run, known
from ..iteration.position import Blocks, Calls, OneByOne, Placed, in_pieces, not_saved
from ..iteration.seeds import Samples, needed_for, samples_at, samples_of_pass, seeds_of

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
        return in_pieces(OneByOne([[run.raw(x) for x in self.tensors]]))


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

    def number_in(self, run: Run) -> int:
        """How many rows there are."""
        if self.cardinality != UNKNOWN:
            return self.cardinality
        return len(self.whole.rows([run.raw(x) for x in self.tensors]))

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return self.tensors

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        rows = self.rows(run)
        if rows is None:
            return in_pieces(OneByOne(self.whole.rows([run.raw(x) for x in self.tensors])))
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
        return Rows(columns, in_order(count), count)


def elements_of(rows: Rows) -> Iterator[Element]:
    """The elements that rows stand for."""
    if rows.whole is None:
        items: Iterator[Element] = Calls(row_getter(rows.columns), rows.order)
    else:
        items = iter_rows(rows.columns, rows.whole)
    for step in rows.steps:
        items = step.one(items)
    return items


def in_order(count: int) -> Iterator[int]:
    """The numbers of rows in their order."""
    return in_pieces(OneByOne(range(count)))


def iter_rows(columns: Sequence[Raw], count: int) -> Iterator[Element]:
    """The rows of tensors, one after the other; views are made in blocks, which is faster."""
    return in_pieces(
        Blocks(count, _BLOCK, lambda start, end: [rows_of(each[start:end]) for each in columns])
    )


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
        if known(step) == 0:
            raise invalid_argument("step must be a non-zero integer.")
        self.cardinality = self.counted((), known)

    def counted(self, there: Sequence[int], number: Numbers) -> int:
        """How many numbers there are."""
        sizes = [number(each) for each in self.bounds]
        if None in sizes:
            return UNKNOWN
        count = count_of(*sizes)  # type: ignore[arg-type]
        return count if count < 2**63 else INFINITE  # TF: it overflows to that

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
        return Rows([numbers.to(self.dtype.torch)], in_order(len(numbers)), len(numbers))


def count_of(start: int, stop: int, step: int) -> int:
    """How many numbers a range has; `len` knows no more than 2**63 - 1."""
    return max(0, -((start - stop) // step))


def _numbers(start: int, stop: int, step: int, dtype: DType) -> Iterator[Element]:
    """The numbers of a range as scalars, made in blocks."""

    def block(first: int, end: int) -> list[Sequence[Any]]:
        numbers = torch.arange(end - first, dtype=torch.int64) * step + (start + first * step)
        return [numbers.to(dtype.torch).unbind(0)]

    return in_pieces(Blocks(count_of(start, stop, step), _BLOCK, block))


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
        return _EqualSteps(self)


class _EqualSteps(Placed):
    """Numbers in equal steps."""

    __slots__ = ("at", "node")
    position: ClassVar[tuple[str, ...]] = ("at",)

    def __init__(self, node: Counter) -> None:
        self.node, self.at = node, 0

    def __next__(self) -> Element:
        number = self.node.first + self.at * self.node.step
        self.at += 1
        return (torch.tensor(number, dtype=self.node.dtype.torch),)


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
        return _RandomNumbers(self, run)

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return needed_for(self.seeds)

    def settle(self, run: Run) -> None:
        """Draws the seeds."""
        seeds_of(run, self)


class _RandomNumbers(Placed):
    """Random numbers, made in blocks."""

    __slots__ = ("block", "node", "run", "samples")

    def __init__(self, node: Random, run: Run) -> None:
        self.node, self.run = node, run
        self.samples: Samples | None = None
        self.block: list[torch.Tensor] = []  # the next one last

    def __next__(self) -> Element:
        if not self.block:
            if self.samples is None:
                self.samples = samples_of_pass(
                    self.run, self.node, self.node.changes or not self.node.seeds
                )
            self.block = list(torch.from_numpy(self.samples.take(_BLOCK)).unbind(0))[::-1]
        return (self.block.pop(),)

    def save(self) -> dict[str, Any]:
        """Its position."""
        samples = self.samples
        return {"samples": None if samples is None else samples.save(len(self.block))}

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position."""
        place = parts["samples"]
        self.samples, self.block = None if place is None else samples_at(place), []


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
        return _Generated(self, run)

    def outer_state(self) -> str | None:
        """TensorFlow's name for the op that calls the generator."""
        return "PyFunc"


class _Generated(Placed):
    """What a Python generator yields."""

    __slots__ = ("items", "node")

    def __init__(self, node: Generated, run: Run) -> None:
        self.node = node
        self.items = _values(node, run)

    def __next__(self) -> Element:
        return self.node.convert(next(self.items))

    def save(self) -> dict[str, Any]:
        """Nobody can tell how far Python code has come.

        Raises:
            UnimplementedError: always.
        """
        raise not_saved("GeneratorDataset")


def _values(node: Generated, run: Run) -> Iterator[Any]:
    """What the generator of a node yields; a function, for the generator must not know its walk."""
    arguments = [_array(run.raw(x)) for x in node.arguments]
    try:
        items = iter(eagerly(node.generator, *arguments))
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


def _array(raw: Raw) -> Any:
    array = raw.numpy() if isinstance(raw, torch.Tensor) else raw
    return array if array.ndim else array[()]


def spec_of_scalar(dtype: DType) -> Any:
    """The spec of numbers."""
    return TensorSpec((), dtype)
