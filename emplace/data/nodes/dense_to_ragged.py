"""Tensors turned into ragged or sparse ones, to be batched although their shapes differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from ...base.errors import DataLossError, invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import DTypeLike
from ...core.context import HOST_SCOPE, LOCAL
from ...core.tensor_spec import TensorSpec
from ...eager.target import EAGER
from ...ops.ragged.making import from_tensor
from ...ops.ragged.spec import RaggedTensorSpec
from ...ops.sparse.tensor import SparseTensorSpec
from ..elements.nesting import map_leaves
from ..elements.structure import Element, Raw, Structure
from ..iteration.iterator import host_tensor
from ..iteration.node import Node, Run, as_many
from ..iteration.position import Calls
from .batching import Batches


class ToRagged(Node):
    """Elements whose tensors of unknown size are ragged tensors."""

    is_map = True
    counted = as_many

    def __init__(self, node: Node, row_splits_dtype: DTypeLike) -> None:
        super().__init__(node)
        self.splits_dtype = row_splits_dtype
        self.structure = Structure(map_leaves(self._spec, node.structure.spec))
        self.cardinality = node.cardinality

    def _spec(self, spec: Any) -> Any:
        dims = spec.shape.sizes if isinstance(spec, TensorSpec) else None
        if dims is None or None not in dims:
            return spec
        rank = max(axis for axis, size in enumerate(dims) if size is None)
        return RaggedTensorSpec(spec.shape, spec.dtype, rank, self.splits_dtype)

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return Calls(self._converted, self.input.start(run))

    def _converted(self, values: Element) -> Element:
        made: list[Raw] = []
        old = self.input.structure.split(values)
        for (_, spec), part in zip(self.structure.leaves, old, strict=True):
            ranks = getattr(spec, "ragged_rank", 0)
            made += self._ragged(part[0], spec) if ranks and len(part) == 1 else part
        return made

    def _ragged(self, raw: Raw, spec: RaggedTensorSpec) -> list[Raw]:
        state = LOCAL.state
        before, state.target, state.scope = (state.target, state.scope), EAGER, HOST_SCOPE
        try:
            tensor = host_tensor(raw, spec.dtype)
            made = from_tensor(
                tensor, ragged_rank=spec.ragged_rank, row_splits_dtype=self.splits_dtype
            )
            return [x._value for x in made.components()]
        finally:
            state.target, state.scope = before


class SparseBatch(Node):
    """So many elements as one sparse tensor, whose rows have room for the largest."""

    label = "DenseToSparseBatchDataset"
    has_symbolic_position = False

    def __init__(self, node: Node, size: int, row_shape: list[int | None]) -> None:
        super().__init__(node)
        self.size, self.row_shape = size, row_shape
        dtype = node.structure.components[0].dtype
        self.structure = Structure(SparseTensorSpec([None, *row_shape], dtype))
        count = node.cardinality
        self.cardinality = count if count < 0 else -(-count // size)

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return Batches(self.input.start(run), self.size, False, self._joined)

    def _joined(self, elements: list[Element]) -> Element:
        rows: list[Raw] = [values[0] for values in elements]
        indices, values = [], []
        for i, row in enumerate(rows):
            places = torch.ones(row.shape, dtype=torch.bool).nonzero()
            first = torch.full((len(places), 1), i, dtype=torch.int64)
            indices.append(torch.cat([first, places], 1))
            values.append(row.reshape(-1))
        wanted = self.row_shape
        for row in rows:
            if row.ndim != len(wanted):
                raise invalid_argument(
                    f"Input element had shape ({runtime_text(row.shape)}) that is incompatible "
                    f"with the row shape ({runtime_text(wanted)})."
                )
        shape = [
            max(row.shape[axis] for row in rows) if size is None else size
            for axis, size in enumerate(self.row_shape)
        ]
        for row in rows:
            if any(has > room for has, room in zip(row.shape, shape, strict=True)):
                raise DataLossError(
                    None, None,
                    f"Input element had shape ({runtime_text(row.shape)}) that is larger than the "
                    f"row shape ({runtime_text(shape)}).",
                )  # fmt: skip
        return [torch.cat(indices), torch.cat(values), torch.tensor([len(rows), *shape])]
