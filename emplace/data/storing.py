"""Elements kept for later passes: in memory, in files, in folders."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..base.errors import NotFoundError
from ..core.tensor_spec import TensorSpec
from ..ops.io.records import TFRecordWriter, read_records
from ..ops.io.tensor_proto import parse_kernel, serialize_kernel
from ..ops.ragged.spec import RaggedTensorSpec
from ..ops.sparse.tensor import SparseTensorSpec
from .node import Node, Rows, Run
from .structure import Element, NoneTensorSpec, Structure

_PARTIAL = ".partial"
_RECORDS, _SPEC = "elements.tfrecord", "element_spec.json"


def write_elements(
    path: str, elements: Iterable[Element], compression: str = ""
) -> Iterator[Element]:
    """Passes elements on and writes them to a file, which is complete when all have passed."""
    with TFRecordWriter(path + _PARTIAL, compression or None) as writer:
        for values in elements:
            for value in values:
                writer.write(serialize_kernel(value)[()])
            yield values
    os.replace(path + _PARTIAL, path)


def read_elements(path: str, structure: Structure, compression: str = "") -> Iterator[Element]:
    """The elements in a file."""
    records = read_records(path, compression)
    kinds = [each.dtype for each in structure.components]
    for first in records:
        parts = [first, *[next(records) for _ in kinds[1:]]]
        yield [
            parse_kernel(np.array(part, object), out_type=dtype)
            for part, dtype in zip(parts, kinds, strict=True)
        ]


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
            if os.path.exists(path):
                return read_elements(path, self.structure)
            return write_elements(path, self.input.start(run))
        return self._fill(run, run.memory(self))

    def _fill(self, run: Run, memory: dict[str, Any]) -> Iterator[Element]:
        kept = memory.get("elements")
        if kept is not None:
            yield from kept
            return
        found = []
        for values in self.input.start(run):
            found.append(values)
            yield values
        memory.setdefault("elements", found)

    def rows(self, run: Run) -> Rows | None:
        """Rows of tensors, which are at hand already, in their order."""
        if bytes(run.raw(self.file)[()]):
            return None
        rows = self.input.rows(run)
        if rows is None or rows.whole is None or rows.steps:
            return None
        return rows


class Snapshot(Node):
    """The elements of the first complete pass, which are in a folder."""

    label = "SnapshotDataset"

    def __init__(self, node: Node, path: str, compression: str) -> None:
        super().__init__(node)
        self.path, self.compression = path, compression
        self.structure = node.structure
        self.cardinality = node.cardinality

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        if os.path.exists(os.path.join(self.path, _RECORDS)):
            return read_elements(
                os.path.join(self.path, _RECORDS), self.structure, self.compression
            )
        os.makedirs(self.path, exist_ok=True)
        records = os.path.join(self.path, _RECORDS)
        return write_elements(records, self.input.start(run), self.compression)


class Load(Node):
    """The elements of a dataset that was saved."""

    label = "LoadDataset"

    def __init__(self, path: str, compression: str, spec: Any = None) -> None:
        super().__init__()
        self.path, self.compression = path, compression
        found = _read_spec(path)
        self.structure = Structure(spec_from(found["spec"]) if spec is None else spec)
        self.cardinality = found["cardinality"]

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return read_elements(os.path.join(self.path, _RECORDS), self.structure, self.compression)


def save(path: str, structure: Structure, elements: Iterable[Element], compression: str) -> None:
    """Writes elements, and what they are made of, to a folder."""
    os.makedirs(path, exist_ok=True)
    records = write_elements(os.path.join(path, _RECORDS), elements, compression)
    count = sum(1 for _ in records)
    with open(os.path.join(path, _SPEC), "w", encoding="utf-8") as file:
        json.dump({"spec": spec_to(structure.spec), "cardinality": count}, file)


def _read_spec(path: str) -> Any:
    name = os.path.join(path, _SPEC)
    if not os.path.exists(name):
        raise NotFoundError(None, None, f"tf.data snapshot element_spec file not found: {name}.")
    with open(name, encoding="utf-8") as file:
        return json.load(file)


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
