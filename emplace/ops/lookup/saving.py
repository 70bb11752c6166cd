"""What a saver of TF 1 writes of a table that changes."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from ...base.dtypes import DType
from ...core.context import LOCAL
from ..op import apply
from .table_ops import IMPORT

_SAVEABLES = "saveable_objects"  # TF 1's list: GraphKeys.SAVEABLE_OBJECTS


class TableSaveSpec(NamedTuple):
    """A tensor that a saver writes: `tensor()`, under a name."""

    tensor: Any
    name: str
    dtype: DType
    slice_spec: str = ""
    device: str = ""


class TableSaveable:
    """A table as what a saver can write (`tf.compat.v1.train.Saver`).

    Attributes:
        op: the table.
        name: its name in a checkpoint, before "-keys" and "-values".
        specs: the tensors that are written.
    """

    def __init__(self, table: Any, name: str) -> None:
        self.op, self.name = table, name
        dtypes = table.key_dtype, table.value_dtype
        self.specs = [
            TableSaveSpec(functools.partial(self._part, i), f"{name}-{what}", dtype)
            for i, (what, dtype) in enumerate(zip(("keys", "values"), dtypes, strict=True))
        ]
        self._exported: tuple[Any, Any] | None = None

    def _part(self, i: int) -> Any:
        """All keys or all values; a graph has one operation for both."""
        if LOCAL.state.target.is_eager:
            return self.op.export()[i]
        if self._exported is None:
            self._exported = self.op.export()
        return self._exported[i]

    def restore(self, restored_tensors: Any, restored_shapes: Any = None) -> Any:
        """Puts what was written into the table, in the place of what it holds."""
        return apply(IMPORT, (self.op.resource_handle, *restored_tensors))


def let_savers_know(table: Any, name: str) -> None:
    """Adds a table of a session's graph to what its savers write; of several tables of one name
    the later ones get a number.
    """
    target: Any = LOCAL.state.target
    if target.is_eager or target.graph.is_function:
        return
    taken = {each.name for each in target.graph.get_collection(_SAVEABLES)}
    free, number = name, 0
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    target.graph.add_to_collection(_SAVEABLES, TableSaveable(table, free))


def saveable_of(table: Any, name: str) -> TableSaveable:
    """What a saver writes of a table that it is handed: the one in its graph's list, if there."""
    target: Any = LOCAL.state.target
    listed = [] if target.is_eager else target.graph.get_collection(_SAVEABLES)
    mine = [each for each in listed if isinstance(each, TableSaveable) and each.op is table]
    return mine[0] if mine else TableSaveable(table, name)
