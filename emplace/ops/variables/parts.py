"""Variables that consist of several, and the rows of tables that do."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from ...base import dtypes
from ...base.dtypes import DType
from ...base.shapes import TensorShape
from ...base.typing import TensorLike
from ...core.ragged import RaggedTensor
from ..array.gathering import gather
from ..array.joining import concat
from ..array.making import range_, zeros_like
from ..array.partition import dynamic_partition, dynamic_stitch
from ..array.shaping import reshape, shape, size
from ..convert import to_tensor
from ..math.elementwise import add, cast, floordiv, floormod, greater_equal, subtract


class InParts:
    """What consists of variables, which stand in order along one axis."""

    is_tensor = False  # to `tf.is_tensor`
    _variable_list: list[Any]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._variable_list)


class TableInParts:
    """The rows of several variables. A lookup asks each for its own rows, so that gradients are
    slices of the variables, as for a table that is one variable.

    Args:
        parts: the variables, which differ in the number of their rows alone.
        takes_turns: whether row i is one of part i modulo their number; else the rows of a part
            follow each other, and those of the next part follow them.
    """

    def __init__(self, parts: Sequence[Any], takes_turns: bool = False) -> None:
        self._parts, self._takes_turns = list(parts), takes_turns
        counts = [part.shape.as_list()[0] for part in self._parts]
        self._starts = [0, *itertools.accumulate(counts)]
        self.shape = TensorShape([self._starts[-1], *self._parts[0].shape.as_list()[1:]])

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._parts[0].dtype  # type: ignore[no-any-return]

    def rows(self, ids: TensorLike) -> Any:
        """Some rows.

        Args:
            ids: their numbers, int32 or int64, of any shape, or ragged.

        Returns:
            A tensor of the shape of ids, followed by that of a row.

        Raises:
            InvalidArgumentError: a row is out of range (on the CPU).
        """
        ids = to_tensor(ids)
        if isinstance(ids, RaggedTensor):
            return ids.with_flat(self.rows(ids.flat_values))
        flat, count = reshape(ids, [-1]), len(self._parts)
        owner, local = self._owners(flat)
        of_parts = dynamic_partition(local, owner, count)
        places = dynamic_partition(range_(size(flat)), owner, count)
        found = [each.sparse_read(n) for each, n in zip(self._parts, of_parts, strict=True)]
        row = self.shape.as_list()[1:]
        if ids.shape.is_fully_defined():
            return reshape(dynamic_stitch(places, found), [*ids.shape.as_list(), *row])
        sizes = concat([shape(ids), to_tensor(row, dtypes.int32)], 0)
        return reshape(dynamic_stitch(places, found), sizes)

    def _owners(self, ids: Any) -> tuple[Any, Any]:
        """The number of each row's part, and that of the row in it. A row that none has is one
        that its part lacks, which then refuses it."""
        if self._takes_turns:
            count = len(self._parts)
            return cast(floormod(ids, count), dtypes.int32), floordiv(ids, count)
        owner = zeros_like(ids, dtype=dtypes.int32)
        for start in self._starts[1:-1]:
            owner = add(owner, cast(greater_equal(ids, start), dtypes.int32))
        return owner, subtract(ids, gather(to_tensor(self._starts, ids.dtype), owner))


def variables_of(variable: Any) -> list[Any]:
    """The parts of a variable in parts; else the variable alone."""
    return list(variable) if isinstance(variable, InParts) else [variable]


def opened(params: Any) -> Any:
    """The parameters of a lookup: the parts of a variable in parts; else as they are."""
    return list(params) if isinstance(params, InParts) else params


def are_variables(params: Any) -> bool:
    """Whether parameters of a lookup are several variables."""
    if not isinstance(params, (list, tuple)) or len(params) < 2:
        return False
    return all(hasattr(each, "sparse_read") and each.shape.rank for each in params)
