"""Transformations of single elements, and of several datasets side by side or in a row."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import torch

from ...base.shapes import common
from ...core.tensor_spec import TensorSpec
from ...ops.ragged.spec import RaggedTensorSpec
from ...ops.sparse.tensor import SparseTensorSpec
from ..elements.nesting import flatten, pack_as, same_structure
from ..elements.structure import Element, Raw, Structure
from ..functions.rowwise import for_rows
from ..functions.traced import Call, Planned, Traced
from ..iteration.node import (
    INFINITE,
    UNKNOWN,
    Node,
    Numbers,
    Rows,
    RowwiseFunction,
    Run,
    as_many,
    known,
)
from ..iteration.position import (
    OneByOne,
    Opener,
    Placed,
    flattened,
    in_pieces,
    restored,
    saved,
)
from .sources import in_order


class Map(Node):
    """What a function makes of each element."""

    label = "MapDataset"
    is_map = True
    counted = as_many

    def __init__(self, node: Node, function: Traced) -> None:
        super().__init__(node)
        self.function = function
        self.structure = function.structure
        self.cardinality = node.cardinality
        self.for_rows: Planned | None = None
        self.has_looked_for_rows = False

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return list(self.function.captures)

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return self.mapped(self.input.start(run), run)

    def mapped(self, items: Iterator[Element], run: Run) -> Iterator[Element]:
        """What the function makes of items."""
        return Mapped(items, self.function, self.function.caller(run))

    def rows(self, run: Run) -> Rows | None:
        """Rows, if the function treats every row alike: it may then wait for a batch."""
        if not self.has_looked_for_rows:
            self.has_looked_for_rows, self.for_rows = True, for_rows(self.function)
        rows = None if self.for_rows is None else self.input.rows(run)
        if rows is None or self.for_rows is None:
            return None
        step = RowwiseFunction(lambda items: self.mapped(items, run), self.for_rows.call())
        return Rows(rows.columns, rows.order, rows.whole, (*rows.steps, step))


class Mapped(Placed):
    """What a function makes of each item; counts them, to say which failed."""

    __slots__ = ("call", "function", "index", "items")
    position: ClassVar[tuple[str, ...]] = ("index", "items")

    def __init__(self, items: Iterator[Element], function: Traced, call: Call) -> None:
        self.items, self.function, self.call = items, function, call
        self.index = -1

    def __next__(self) -> Element:
        values = next(self.items)
        self.index += 1
        try:
            return self.call(*values)
        except Exception as error:
            raise self.function.failure(error, self.index) from error


class Filter(Node):
    """The elements for which a function is true."""

    label = "FilterDataset"

    def __init__(self, node: Node, function: Traced) -> None:
        super().__init__(node)
        self.function = function
        self.structure = node.structure
        self.cardinality = self.counted([node.cardinality], known)
        spec = function.structure.spec
        if not isinstance(spec, TensorSpec) or not TensorSpec((), "bool").is_compatible_with(spec):
            raise ValueError(
                "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its "
                f"return type is {spec}."
            )

    def counted(self, there: Sequence[int], number: Numbers) -> int:
        """None of none; else nobody knows."""
        return 0 if there[0] == 0 else UNKNOWN

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return list(self.function.captures)

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return Filtered(self.input.start(run), self.function, self.function.caller(run))


class Filtered(Placed):
    """The items for which a function is true."""

    __slots__ = ("call", "function", "index", "items")
    position: ClassVar[tuple[str, ...]] = ("index", "items")

    def __init__(self, items: Iterator[Element], function: Traced, call: Call) -> None:
        self.items, self.function, self.call = items, function, call
        self.index = -1

    def __next__(self) -> Element:
        while True:
            values = next(self.items)
            self.index += 1
            try:
                if self.call(*values)[0]:
                    return values
            except Exception as error:
                raise self.function.failure(error, self.index) from error


class TakeWhile(Filter):
    """The elements before the first for which a function is false."""

    label = "TakeWhileDataset"

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return _While(self, run)


class _While(Placed):
    """The items before the first for which a function is false."""

    __slots__ = ("has_ended", "items", "truths")
    position: ClassVar[tuple[str, ...]] = ("has_ended", "truths")

    def __init__(self, node: Filter, run: Run) -> None:
        self.items, self.has_ended = Kept(node.input.start(run)), False
        self.truths = Mapped(self.items, node.function, node.function.caller(run))

    def __next__(self) -> Element:
        if self.has_ended or not next(self.truths)[0]:
            self.has_ended = True
            raise StopIteration
        return self.items.last


class Kept(Placed):
    """Items, of which the last is at hand."""

    __slots__ = ("items", "last")
    position: ClassVar[tuple[str, ...]] = ("items", "last")

    def __init__(self, items: Iterator[Element]) -> None:
        self.items = items
        self.last: Element = ()

    def __next__(self) -> Element:
        self.last = next(self.items)
        return self.last


class Zip(Node):
    """Elements of several datasets side by side."""

    label = "ZipDataset"

    def __init__(self, nodes: Sequence[Node], datasets: Any) -> None:
        super().__init__(*nodes)
        self.structure = Structure(pack_as(datasets, [node.structure.spec for node in nodes]))
        sizes = [node.cardinality for node in nodes]
        self.cardinality = self.counted(sizes, known)

    def counted(self, there: Sequence[int], number: Numbers) -> int:
        """As many as the shortest of its inputs has."""
        finite = [size for size in there if size != INFINITE]
        if not finite:
            return INFINITE
        return UNKNOWN if UNKNOWN in finite else min(finite)

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return _SideBySide([node.start(run) for node in self.inputs])

    def rows(self, run: Run) -> Rows | None:
        """Its elements as rows of tensors, if that is what they are."""
        found = [node.rows(run) for node in self.inputs]
        if any(rows is None or rows.whole is None or rows.steps for rows in found):
            return None
        count = min(rows.whole for rows in found if rows is not None and rows.whole is not None)
        columns = [column[:count] for rows in found if rows is not None for column in rows.columns]
        return Rows(columns, in_order(count), count)


class _SideBySide(Placed):
    """The next items of each of several iterators, as one. If one fails the others go on as well,
    so that they stay side by side.
    """

    __slots__ = ("starts",)
    position: ClassVar[tuple[str, ...]] = ("starts",)

    def __init__(self, starts: list[Iterator[Element]]) -> None:
        self.starts = starts

    def __next__(self) -> Element:
        found: list[Raw] = []
        failure: Exception | None = None
        for items in self.starts:
            try:
                found += next(items)
            except StopIteration:
                if failure is None:
                    self._finish(items)
                    raise
                break
            except Exception as error:
                failure = failure or error
        if failure is not None:
            raise failure
        return found

    def _finish(self, ended: Iterator[Element]) -> None:
        """Asks those behind one that has ended once more: a cache is full when it has ended."""
        place = next(i for i, each in enumerate(self.starts) if each is ended)
        for items in self.starts[place + 1 :]:
            with contextlib.suppress(Exception):
                next(items, None)


class Concatenate(Node):
    """Elements of one dataset behind those of another."""

    label = "ConcatenateDataset"

    def __init__(self, node: Node, other: Node) -> None:
        super().__init__(node, other)
        self.structure = Structure(common_spec(node.structure.spec, other.structure.spec))
        self.cardinality = self.counted((node.cardinality, other.cardinality), known)

    def counted(self, there: Sequence[int], number: Numbers) -> int:
        """As many as its inputs have together."""
        if INFINITE in there:
            return INFINITE
        return UNKNOWN if UNKNOWN in there else sum(there)

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        places = in_pieces(OneByOne(range(len(self.inputs))))
        return flattened(Opener(places, lambda i: self.inputs[i].start(run)))


def common_spec(one: TensorSpec, other: TensorSpec) -> Any:
    """The spec of elements of two specs.

    Raises:
        TypeError: there is none.
    """
    if not same_structure(one, other):
        raise _incompatible(one, other)
    specs, others = flatten(one), flatten(other)
    found = []
    for a, b in zip(specs, others, strict=True):
        if type(a) is not type(b) or getattr(a, "dtype", None) is not getattr(b, "dtype", None):
            raise _incompatible(one, other)
        if isinstance(a, TensorSpec) and a.shape.sizes != b.shape.sizes:
            found.append(TensorSpec(common(a.shape.sizes, b.shape.sizes), a.dtype))
        elif isinstance(a, (RaggedTensorSpec, SparseTensorSpec)):
            found.append(a.most_specific_compatible_type(b))
        else:
            found.append(a)
    return pack_as(one, found)


def _incompatible(one: object, other: object) -> TypeError:
    return TypeError(f"Incompatible dataset elements:\n  {one} vs.   {other}")


class Scan(Node):
    """What a function makes of a state and of each element; it also returns the next state."""

    label = "ScanDataset"
    counted = as_many

    def __init__(self, node: Node, state: Sequence[Any], function: Traced, made: Structure) -> None:
        super().__init__(node)
        self.state, self.function = list(state), function
        self.structure = made
        self.cardinality = node.cardinality

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [*self.state, *self.function.captures]

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return _Scanned(self, run)


class _Scanned(Placed):
    """What a function makes of a state and of each item."""

    __slots__ = ("call", "function", "index", "items", "state")
    position: ClassVar[tuple[str, ...]] = ("index", "items", "state")

    def __init__(self, node: Scan, run: Run) -> None:
        self.items, self.index = node.input.start(run), -1
        self.function, self.call = node.function, node.function.caller(run)
        self.state: Element = [run.raw(x) for x in node.state]

    def __next__(self) -> Element:
        values = next(self.items)
        self.index += 1
        try:
            made = self.call(*self.state, *values)
        except Exception as error:
            raise self.function.failure(error, self.index) from error
        count = len(self.state)
        self.state = made[:count]
        return made[count:]


class UniqueElements(Node):
    """Each element once."""

    label = "UniqueDataset"
    has_symbolic_position = False

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.structure = node.structure
        self.cardinality = UNKNOWN

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return _New(self.input.start(run))


class _New(Placed):
    """The items that are none of those before."""

    __slots__ = ("items", "seen")

    def __init__(self, items: Iterator[Element]) -> None:
        self.items = items
        self.seen: set[Any] = set()

    def __next__(self) -> Element:
        while True:
            values = next(self.items)
            key = tuple(_as_key(value) for value in values)
            if key not in self.seen:
                self.seen.add(key)
                return values

    def save(self) -> dict[str, Any]:
        """Its position."""
        return {"items": saved(self.items), "seen": list(self.seen)}

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position."""
        self.items = restored(self.items, parts["items"])
        self.seen = set(parts["seen"])


def _as_key(value: Any) -> Any:
    array = value.numpy() if isinstance(value, torch.Tensor) else value
    return tuple(array.shape), tuple(array.ravel().tolist())


class Passed(Node):
    """The elements of its input, of which more is said: options, a number."""

    follows = True
    counted = as_many

    def __init__(self, node: Node, label: str = "OptionsDataset") -> None:
        super().__init__(node)
        self.name = label
        self.structure = node.structure
        self.device = node.device
        self.cardinality = node.cardinality

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return self.input.start(run)

    def rows(self, run: Run) -> Rows | None:
        """Its elements as rows of tensors, if that is what they are."""
        return self.input.rows(run)
