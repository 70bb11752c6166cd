"""Elements joined to batches, and batches taken apart."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import torch

from ...base.errors import DataLossError, invalid_argument
from ...base.typing import IntsLike, TensorLike
from ...core.tensor_spec import TensorSpec
from ...ops.host_values import full_of
from ...ops.infer import Spec
from ..elements.structure import Element, Raw, Structure
from ..iteration.node import INFINITE, UNKNOWN, Node, Numbers, Rows, Run, known
from ..iteration.position import OneByOne, Opener, Placed, StarCalls, flattened, in_pieces
from ..iteration.resuming import Failure, Outcomes


def batch_count(elements: int, size: int | None, drops: bool) -> int:
    """How many batches elements make."""
    if elements in (INFINITE, UNKNOWN):
        return elements
    if size is None:
        return UNKNOWN
    return elements // size if drops else -(-elements // size)


class Batch(Node):
    """So many elements as one, stacked."""

    label = "BatchDataset"

    def __init__(
        self, node: Node, size: TensorLike, drops: bool, is_parallel: bool = False
    ) -> None:
        super().__init__(node)
        self.size, self.drops = size, drops
        # TF: a batch right behind a map is made together with it.
        self.counts_errors = node.is_map and not is_parallel
        count = known(size)
        self.structure = node.structure.batched(count if drops else None)
        self.cardinality = self.counted([node.cardinality], known)

    def counted(self, there: Sequence[int], number: Numbers) -> int:
        """How many batches there are."""
        return batch_count(there[0], number(self.size), self.drops)

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [self.size]

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        size = run.number(self.size)
        rows = self.input.rows(run)
        if rows is None:
            stack = self.input.structure.stacker()
            kind = WholeBatches if self.counts_errors else Batches
            return kind(self.input.start(run), size, self.drops, stack)
        if rows.whole is None:
            made: Iterator[Element] = Batches(rows.order, size, self.drops, gatherer(rows.columns))
        else:
            made = RowBatches(rows, size, self.drops)
        for step in rows.steps:
            made = StarCalls(step.many, made)
        return made


class Batches(Placed):
    """Items joined in groups."""

    __slots__ = ("drops", "items", "join", "size")
    position: ClassVar[tuple[str, ...]] = ("items",)

    def __init__(
        self, items: Iterator[Any], size: int, drops: bool, join: Callable[[list[Any]], Element]
    ) -> None:
        self.items, self.size, self.drops, self.join = items, size, drops, join

    def __next__(self) -> Element:
        found = self.found()
        if not found or (self.drops and len(found) < self.size):
            raise StopIteration
        return self.join(found)

    def found(self) -> list[Any]:
        """The items of the next batch. One that fails ends it."""
        return list(itertools.islice(self.items, self.size))


class WholeBatches(Batches):
    """Items joined in groups. One that fails takes its place in a batch, which fails."""

    __slots__ = ()

    def found(self) -> list[Any]:
        """The items of the next batch."""
        found = list(itertools.islice(Outcomes(self.items), self.size))
        for each in found:
            if type(each) is Failure:
                raise each.error
        return found


def gatherer(columns: Sequence[Raw]) -> Callable[[list[int]], Element]:
    """A function that returns rows of some numbers."""
    takers = [_taker(column) for column in columns]

    def gather(places: list[int]) -> Element:
        index = np.array(places)
        return [take(index) for take in takers]

    return gather


def _taker(column: Raw) -> Callable[[Any], Raw]:
    """NumPy copies rows faster than torch, and in this thread."""
    if not isinstance(column, torch.Tensor):
        return lambda index: column[index]
    dtype, rest = column.dtype, column.shape[1:]
    try:
        array = column.numpy()
    except TypeError:  # a dtype that NumPy does not know
        return lambda index: column.index_select(0, torch.from_numpy(index))

    def take(index: Any) -> Raw:
        made = torch.empty((len(index), *rest), dtype=dtype)
        array.take(index, 0, made.numpy(), "clip")
        return made

    return take


class RowBatches(Placed):
    """Batches of rows in their order: views."""

    __slots__ = ("at", "columns", "end", "size")
    position: ClassVar[tuple[str, ...]] = ("at",)

    def __init__(self, rows: Rows, size: int, drops: bool) -> None:
        assert rows.whole is not None
        self.columns, self.size, self.at = rows.columns, size, 0
        self.end = rows.whole - rows.whole % size if drops else rows.whole

    def __next__(self) -> Element:
        start = self.at
        if start >= self.end:
            raise StopIteration
        self.at = end = start + self.size
        return [column[start:end] for column in self.columns]


class PaddedBatch(Node):
    """So many elements as one, stacked, each filled up to a common shape."""

    label = "PaddedBatchDataset"

    def __init__(
        self,
        node: Node,
        size: TensorLike,
        shapes: Sequence[Any],
        values: Sequence[Raw],
        drops: bool,
        structure: Structure,
    ) -> None:
        super().__init__(node)
        self.size, self.drops = size, drops
        self.shapes, self.values = list(shapes), list(values)
        self.structure = structure
        self.cardinality = self.counted([node.cardinality], known)

    def counted(self, there: Sequence[int], number: Numbers) -> int:
        """How many batches there are."""
        return batch_count(there[0], number(self.size), self.drops)

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [self.size, *self.shapes, *self.values]

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        shapes = [run.raw(x).tolist() for x in self.shapes]
        wrong = next((size for sizes in shapes for size in sizes if size < -1), None)
        if wrong is not None:
            raise invalid_argument(f"Dimension {wrong} must be >= -1")
        values = [run.raw(x) for x in self.values]

        def join(elements: list[Element]) -> Element:
            columns = zip(*elements, strict=True)
            return [
                padded(column, shape, value, place)
                for place, (column, shape, value) in enumerate(
                    zip(columns, shapes, values, strict=True)
                )
            ]

        return Batches(self.input.start(run), run.number(self.size), self.drops, join)


def padded(values: Sequence[Raw], shape: Sequence[int], filler: Raw, place: int) -> Raw:
    """Raw values as one, each filled up to `shape`, in which -1 is the longest of them.

    Args:
        values: of one component of the elements.
        shape: what they are filled up to.
        filler: a scalar.
        place: the number of the component, for errors.

    Raises:
        DataLossError: one is longer.
        InvalidArgumentError: one has another rank.
    """
    for value in values:
        if value.ndim != len(shape):
            raise invalid_argument(
                "All elements in a batch must have the same rank as the padded shape for "
                f"component{place}: expected rank {len(shape)} but got element with rank "
                f"{value.ndim}"
            )
    dims = [
        max(value.shape[axis] for value in values) if size < 0 else size
        for axis, size in enumerate(shape)
    ]
    full = (len(values), *dims)
    whole: Raw
    if isinstance(values[0], torch.Tensor):
        whole = filler.expand(full).clone()
    else:
        whole = full_of(full, filler[()])
    for i, value in enumerate(values):
        if any(size > most for size, most in zip(value.shape, dims, strict=True)):
            raise DataLossError(
                None, None, "Attempted to pad to a smaller size than the input element."
            )
        whole[(i, *[slice(size) for size in value.shape])] = value if value.ndim else value[()]
    return whole


class Unbatch(Node):
    """The rows of each element."""

    label = "UnbatchDataset"

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.structure = node.structure.unbatched()
        _check_rows(node.structure)
        self.cardinality = self.counted([node.cardinality], known)

    def counted(self, there: Sequence[int], number: Numbers) -> int:
        """How many rows there are."""
        first = self.input.structure.components[0].dims
        (count,), size = there, first[0] if first else None
        if count in (INFINITE, UNKNOWN) or size is None:
            return INFINITE if count == INFINITE and size != 0 else UNKNOWN
        return count * size

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return flattened(rows_in_turn(self.input, run))


def _check_rows(structure: Structure) -> None:
    """Raises an error where tensors of an element are known to have different numbers of rows."""
    dense = [spec for _, spec in structure.leaves if isinstance(spec, TensorSpec)]
    found = dict.fromkeys(spec.shape[0] for spec in dense if spec.shape.rank)
    sizes = [size for size in found if size is not None]
    if len(sizes) > 1:
        raise ValueError(
            "`unbatch()` is only supported for datasets of elements whose components have a "
            f"matching leading dimension. Encountered both {sizes[0]} and {sizes[1]}."
        )


def rows_in_turn(node: Node, run: Run) -> Opener:
    """Opens the rows of each element of a node."""
    rows = node.structure.rows
    return Opener(node.start(run), lambda values: in_pieces(OneByOne(rows(values))))


class Rebatch(Node):
    """Batches of other sizes."""

    label = "RebatchDataset"
    has_symbolic_position = False

    def __init__(self, node: Node, sizes: IntsLike, drops: bool, structure: Structure) -> None:
        super().__init__(node)
        self.sizes, self.drops = sizes, drops
        self.structure = structure
        self.cardinality = INFINITE if node.cardinality == INFINITE else UNKNOWN

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [self.sizes]

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        sizes = np.atleast_1d(run.raw(self.sizes).numpy()).tolist()
        return Rebatched(self, flattened(rows_in_turn(self.input, run)), sizes)


class Rebatched(Placed):
    """Rows joined in groups of several sizes in turns."""

    __slots__ = ("drops", "empty", "has_ended", "rows", "sizes", "stack", "turn")
    position: ClassVar[tuple[str, ...]] = ("rows", "turn", "has_ended")

    def __init__(self, node: Rebatch, rows: Iterator[Element], sizes: list[int]) -> None:
        self.rows, self.sizes, self.turn, self.drops = rows, sizes, 0, node.drops
        self.has_ended = False
        self.stack = node.structure.unbatched().stacker()
        self.empty = [_no_rows(each) for each in node.structure.components]

    def __next__(self) -> Element:
        size = self.sizes[self.turn % len(self.sizes)]
        self.turn += 1
        if self.has_ended:
            raise StopIteration
        if size == 0:  # TF: an empty batch, until a batch has met the end
            return self.empty
        found = list(itertools.islice(self.rows, size))
        self.has_ended = len(found) < size
        if not found or (self.drops and len(found) < size):
            raise StopIteration
        return self.stack(found)


def _no_rows(component: Spec) -> Raw:
    """A batch without elements."""
    dims = (0, *[size or 0 for size in (component.dims or ())[1:]])
    dtype = component.dtype.torch
    return np.empty(dims, object) if dtype is None else torch.empty(dims, dtype=dtype)
