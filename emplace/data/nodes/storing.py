"""Elements kept for later passes: in memory, in files, in folders."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple

from ...base.errors import DataLossError, NotFoundError
from ...base.files import write_text
from ...ops.io.paths import system_errors
from ...ops.io.records import masked_crc
from ..elements.plain_specs import spec_from, spec_to
from ..elements.structure import Element, Structure
from ..iteration.bound import BoundDataset
from ..iteration.node import UNKNOWN, Node, Rows, Run, as_many
from ..iteration.position import Counting, OneByOne, Placed, in_pieces, restored, saved
from .element_files import ElementWriter, FileOrElements, WrittenElements, is_written, read_elements

_RECORDS, _SPEC, _CHECK = "elements.tfrecord", "element_spec.json", "crc32c"
_SHARD = "elements-{}.tfrecord"


class Cache(Node):
    """The elements of the first complete pass, again."""

    label = "CacheDataset"
    has_symbolic_position = False
    counted = as_many

    def __init__(self, node: Node, file: Any) -> None:
        super().__init__(node)
        self.file = file
        self.structure = node.structure
        self.cardinality = node.cardinality

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [self.file]

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        file = os.fsdecode(bytes(run.raw(self.file)[()]))
        if file:
            return self._in_file(f"{file}.data", run)
        return in_pieces(_InMemory(self, run))

    @property
    def is_in_memory(self) -> bool:
        """Whether it has no file, as far as that is known by now."""
        file = self.file.static_value()
        return file is None or not bytes(file[()])

    def _in_file(self, path: str, run: Run) -> Iterator[Element]:
        structure = self.structure
        return FileOrElements(
            lambda: is_written(path), lambda: read_elements(path, structure),
            lambda: WrittenElements(path, self.input.start(run), structure, is_alone=True),
        )  # fmt: skip

    def rows(self, run: Run) -> Rows | None:
        """Rows of tensors, which are at hand already, in their order."""
        if bytes(run.raw(self.file)[()]):
            return None
        rows = self.input.rows(run)
        if rows is None or rows.whole is None or rows.steps:
            return None
        return rows


class _InMemory(Placed):
    """Hands out the elements that are kept, or those of its input, which are kept then."""

    __slots__ = ("_items", "_memory", "_node", "_run")

    def __init__(self, node: Cache, run: Run) -> None:
        self._node, self._run, self._memory = node, run, run.memory(node)
        self._items: Any = None

    def __next__(self) -> Iterator[Element]:
        items, kept = self._items, self._memory.get("elements")
        if type(items) is tuple:  # in the position that it was given
            self._items = items[0]
        elif items is not None:
            raise StopIteration
        else:
            self._items = self._keeping() if kept is None else in_pieces(OneByOne(kept))
        found: Iterator[Element] = self._items
        return found

    def _keeping(self) -> Iterator[Element]:
        return _Keeping(self._memory, self._node.input.start(self._run), self._node.cardinality)

    def save(self) -> dict[str, Any]:
        """Its position."""
        items = self._items[0] if type(self._items) is tuple else self._items
        if isinstance(items, _Keeping):
            return {"keeping": saved(items), "kept": None, "elements": None}
        elements = None if items is None else self._memory["elements"]
        return {"keeping": None, "kept": saved(items), "elements": saved(elements)}

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position."""
        if parts["keeping"] is not None:
            self._items = (restored(self._keeping(), parts["keeping"]),)
        elif parts["kept"] is not None:
            self._items = (restored(in_pieces(OneByOne(parts["elements"])), parts["kept"]),)


class _Keeping(Placed):
    """Items, which are kept when all have passed: `count` of them, if that is known."""

    __slots__ = ("count", "found", "items", "memory")
    position: ClassVar[tuple[str, ...]] = ("found", "items")

    def __init__(self, memory: dict[str, Any], items: Iterator[Element], count: int) -> None:
        self.memory, self.items, self.count = memory, items, count
        self.found: list[Element] = []

    def __next__(self) -> Element:
        try:
            values = next(self.items)
        except StopIteration:
            self.memory.setdefault("elements", self.found)
            raise
        self.found.append(values)
        if len(self.found) == self.count:  # TF: nobody need ask whether there are more
            self.memory.setdefault("elements", self.found)
        return values


class Snapshot(Node):
    """The elements of the first complete pass, which are in a folder."""

    label = "SnapshotDataset"
    counted = as_many

    def __init__(self, node: Node, path: str, compression: str, reader: Node | None) -> None:
        super().__init__(node, *([] if reader is None else [reader]))
        self.path, self.compression = path, compression
        self.structure = node.structure
        self.cardinality = node.cardinality

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        records = os.path.join(self.path, _RECORDS)
        reader = (*self.inputs, Stored(self.path, self.compression, self.structure))[1]
        return FileOrElements(
            lambda: is_written(records),
            lambda: reader.start(run),
            lambda: self._write(records, run),
        )

    def _write(self, records: str, run: Run) -> Iterator[Element]:
        with system_errors(self.path):
            os.makedirs(self.path, exist_ok=True)
        items = self.input.start(run)
        return WrittenElements(records, items, self.structure, self.compression)


class Stored(Node):
    """The elements in the folder of a snapshot."""

    label = "SnapshotDatasetReader"

    def __init__(self, path: str, compression: str, structure: Structure) -> None:
        super().__init__()
        self.path, self.compression, self.structure = path, compression, structure
        self.cardinality = UNKNOWN

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        records = os.path.join(self.path, _RECORDS)
        return Counting(lambda: read_elements(records, self.structure, self.compression))


class Load(Node):
    """The elements of a dataset that was saved: of all shards, or of one.

    Args:
        path: the folder.
        compression: of its files.
        spec: of the elements, if the program knows it; then the folder may come later.
        shard: the number of the shard; of all, in turns, if None.
    """

    label = "LoadDataset"

    def __init__(
        self, path: str, compression: str, spec: Any = None, shard: int | None = None
    ) -> None:
        super().__init__()
        self.path, self.compression, self.shard = path, compression, shard
        if spec is not None and (shard is not None or not os.path.exists(path)):
            self.structure, self.cardinality = Structure(spec), UNKNOWN
        else:
            saved = _read_saved(path)
            self.structure = Structure(saved.spec if spec is None else spec)
            self.cardinality = saved.size

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        saved = _read_saved(self.path)
        shard = self.shard
        if shard is not None:
            return Counting(lambda: self._read(_SHARD.format(shard), saved.shards[shard]))
        if not saved.shards:
            return Counting(lambda: self._read(_RECORDS, saved.size))
        return Counting(lambda: _in_turns(self._shards(saved), os.cpu_count() or 1))

    def _shards(self, saved: Saved) -> Iterator[Iterator[Element]]:
        return (self._read(_SHARD.format(n), count) for n, count in saved.shards.items())

    def _read(self, name: str, count: int) -> Iterator[Element]:
        records = os.path.join(self.path, name)
        return read_elements(records, self.structure, self.compression, count)


class SavedShards(Node):
    """The shards of a dataset that was saved, each a dataset."""

    label = "LoadDataset"

    def __init__(self, whole: Load, structure: Structure) -> None:
        super().__init__()
        self.whole, self.structure = whole, structure
        self.cardinality = UNKNOWN

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return Counting(self._datasets)

    def _datasets(self) -> Iterator[Element]:
        whole = self.whole
        numbers: list[int | None] = list(_read_saved(whole.path).shards)
        for number in numbers or [None]:
            spec = whole.structure.spec
            yield [BoundDataset(Load(whole.path, whole.compression, spec, number), {})]


def _in_turns(readers: Iterator[Iterator[Element]], cycle: int) -> Iterator[Element]:
    """Elements of so many at a time in turns; where one ends the next one takes its place."""
    places = list(itertools.islice(readers, cycle))
    while places:
        left = []
        for items in places:
            element = next(items, None)
            while element is None:
                following = next(readers, None)
                if following is None:
                    break
                items, element = following, next(following, None)
            if element is not None:
                left.append(items)
                yield element
        places = left


def save(
    path: str, structure: Structure, elements: Iterator[Element], compression: str,
    shard_of: Callable[[Element, int], int] | None = None,
) -> None:  # fmt: skip
    """Writes elements, and what they are made of, to a folder.

    Args:
        path: the folder.
        structure: of the elements.
        elements: the elements.
        compression: of the files.
        shard_of: tells the shard of an element and of its number; all are in one file if None.
    """
    plain: dict[str, Any] = {"spec": spec_to(structure.spec)}
    with system_errors(path):
        os.makedirs(path, exist_ok=True)
    if shard_of is None:
        records = WrittenElements(os.path.join(path, _RECORDS), elements, structure, compression)
        plain["cardinality"] = sum(1 for _ in records)
    else:
        plain["shards"] = _write_shards(path, structure, elements, compression, shard_of)
        plain["cardinality"] = sum(count for _, count in plain["shards"])
    with system_errors(path):
        text = json.dumps({**plain, _CHECK: _checksum(plain)})
        write_text(os.path.join(path, _SPEC), text)


def _write_shards(
    path: str, structure: Structure, elements: Iterator[Element], compression: str,
    shard_of: Callable[[Element, int], int],
) -> list[tuple[int, int]]:  # fmt: skip
    """Writes a file for each shard; returns the number of each and how many elements it has."""
    writers: dict[int, ElementWriter] = {}
    counts: dict[int, int] = {}
    for place, values in enumerate(elements):
        shard = shard_of(values, place)
        if shard not in writers:
            name = os.path.join(path, _SHARD.format(shard))
            writers[shard] = ElementWriter(name, len(structure.components), compression)
        writers[shard].add(values)
        counts[shard] = counts.get(shard, 0) + 1
    for writer in writers.values():
        writer.finish()
    return sorted(counts.items(), key=lambda item: item[0] % 2**64)  # TF: they have no sign


def _checksum(plain: object) -> int:
    return masked_crc(json.dumps(plain, sort_keys=True).encode())


class Saved(NamedTuple):
    """What is known of a dataset that was saved.

    Fields:
        spec: of its elements.
        size: how many there are.
        shards: how many there are in each shard, by its number; empty if there is one file.
    """

    spec: Any
    size: int
    shards: dict[int, int]


def _read_saved(path: str) -> Saved:
    """What a folder says of the dataset that was saved there.

    Raises:
        DataLossError: the file that says so is damaged.
        NotFoundError: there is none.
    """
    name = os.path.join(path, _SPEC)
    if not os.path.exists(name):
        raise NotFoundError(None, None, f"tf.data snapshot element_spec file not found: {name}.")
    with system_errors(name), open(name, "rb") as file:
        data = file.read()
    try:
        plain = json.loads(data)
        check = plain.pop(_CHECK, None)  # files of older versions have none
        if check is not None and check != _checksum(plain):
            raise ValueError(check)
        shards = dict(plain.pop("shards", ()))
        if set(plain) != {"spec", "cardinality"} or type(plain["cardinality"]) is not int:
            raise ValueError(plain)
        return Saved(spec_from(plain["spec"]), plain["cardinality"], shards)
    except (ValueError, TypeError, LookupError, AttributeError):
        raise DataLossError(None, None, f"{name} is damaged: it says no spec of elements") from None
