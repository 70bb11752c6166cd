"""Elements kept for later passes: in memory, in files, in folders."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

from ...base.errors import DataLossError, NotFoundError
from ...base.files import write_text
from ...core.tensor_spec import TensorSpec
from ...ops.io.paths import system_errors
from ...ops.io.records import masked_crc
from ...ops.ragged.spec import RaggedTensorSpec
from ...ops.sparse.tensor import SparseTensorSpec
from ..elements.structure import Element, NoneTensorSpec, Structure
from ..iteration.node import UNKNOWN, Node, Rows, Run
from ..iteration.resuming import flattened, resumable
from .element_files import is_written, read_elements, write_elements

_RECORDS, _SPEC, _CHECK = "elements.tfrecord", "element_spec.json", "crc32c"


class Cache(Node):
    """The elements of the first complete pass, again."""

    label = "CacheDataset"

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
            path = f"{file}.data"
            if is_written(path):
                return read_elements(path, self.structure)
            return write_elements(path, self.input.start(run), self.structure, is_alone=True)
        return flattened(self._kept(run, run.memory(self)))

    def _kept(self, run: Run, memory: dict[str, Any]) -> Iterator[Iterable[Element]]:
        """The elements, kept or not, once somebody asks for the first."""
        kept = memory.get("elements")
        if kept is None:
            kept = _kept_in(memory, self.input.start(run), self.cardinality)
        yield kept

    def rows(self, run: Run) -> Rows | None:
        """Rows of tensors, which are at hand already, in their order."""
        if bytes(run.raw(self.file)[()]):
            return None
        rows = self.input.rows(run)
        if rows is None or rows.whole is None or rows.steps:
            return None
        return rows


def _kept_in(memory: dict[str, Any], items: Iterator[Element], count: int) -> Iterator[Element]:
    """Items, which are kept when all have passed: `count` of them, if that is known."""
    found: list[Element] = []

    def step() -> Element:
        try:
            values = next(items)
        except StopIteration:
            memory.setdefault("elements", found)
            raise
        found.append(values)
        if len(found) == count:  # TF: nobody need ask whether there are more
            memory.setdefault("elements", found)
        return values

    return resumable(step)


class Snapshot(Node):
    """The elements of the first complete pass, which are in a folder."""

    label = "SnapshotDataset"

    def __init__(self, node: Node, path: str, compression: str, reader: Node | None) -> None:
        super().__init__(node, *([] if reader is None else [reader]))
        self.path, self.compression = path, compression
        self.structure = node.structure
        self.cardinality = node.cardinality

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        records = os.path.join(self.path, _RECORDS)
        if is_written(records):
            reader = (*self.inputs, Stored(self.path, self.compression, self.structure))[1]
            return reader.start(run)
        with system_errors(self.path):
            os.makedirs(self.path, exist_ok=True)
        return write_elements(records, self.input.start(run), self.structure, self.compression)


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
        return read_elements(records, self.structure, self.compression)


class Load(Node):
    """The elements of a dataset that was saved."""

    label = "LoadDataset"

    def __init__(self, path: str, compression: str, spec: Any = None) -> None:
        super().__init__()
        self.path, self.compression = path, compression
        saved, self.cardinality = _read_spec(path)
        self.structure = Structure(saved if spec is None else spec)

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        records = os.path.join(self.path, _RECORDS)
        return read_elements(records, self.structure, self.compression, self.cardinality)


def save(path: str, structure: Structure, elements: Iterator[Element], compression: str) -> None:
    """Writes elements, and what they are made of, to a folder."""
    plain = {"spec": spec_to(structure.spec)}
    with system_errors(path):
        os.makedirs(path, exist_ok=True)
    records = write_elements(os.path.join(path, _RECORDS), elements, structure, compression)
    plain["cardinality"] = sum(1 for _ in records)
    with system_errors(path):
        text = json.dumps({**plain, _CHECK: _checksum(plain)})
        write_text(os.path.join(path, _SPEC), text)


def _checksum(plain: object) -> int:
    return masked_crc(json.dumps(plain, sort_keys=True).encode())


def _read_spec(path: str) -> tuple[Any, int]:
    """The spec of elements that were saved, and how many there are.

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
        if set(plain) != {"spec", "cardinality"} or type(plain["cardinality"]) is not int:
            raise ValueError(plain)
        return spec_from(plain["spec"]), plain["cardinality"]
    except (ValueError, TypeError, LookupError, AttributeError):
        raise DataLossError(None, None, f"{name} is damaged: it says no spec of elements") from None


def spec_to(spec: Any) -> Any:
    """A spec as plain values.

    Raises:
        TypeError: files cannot hold such elements.
    """
    if isinstance(spec, dict):
        return {"dict": {name: spec_to(each) for name, each in spec.items()}}
    if isinstance(spec, tuple):
        return {"tuple": [spec_to(each) for each in spec]}
    if isinstance(spec, NoneTensorSpec):
        return {"none": True}
    shape = None if spec.shape.rank is None else spec.shape.as_list()
    if isinstance(spec, TensorSpec):
        return {"tensor": [shape, spec.dtype.name]}
    if isinstance(spec, SparseTensorSpec):
        return {"sparse": [shape, spec.dtype.name]}
    if isinstance(spec, RaggedTensorSpec):
        return {"ragged": [shape, spec.dtype.name, spec.ragged_rank, spec.row_splits_dtype.name]}
    raise TypeError(f"Elements of {spec!r} cannot be saved.")


def spec_from(plain: Any) -> Any:
    """A spec of plain values."""
    ((kind, value),) = plain.items()
    if kind == "dict":
        return {name: spec_from(each) for name, each in value.items()}
    if kind == "tuple":
        return tuple(spec_from(each) for each in value)
    if kind == "tensor":
        return TensorSpec(*value)
    if kind == "sparse":
        return SparseTensorSpec(*value)
    return RaggedTensorSpec(*value) if kind == "ragged" else NoneTensorSpec()
