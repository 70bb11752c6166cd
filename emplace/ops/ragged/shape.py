"""The shape of a ragged tensor: what `tf.shape` says of one."""

from __future__ import annotations

from typing import Any

from ...base import dtypes
from ...base.dtypes import as_dtype
from ...base.typing import DTypeLike, TensorLike
from ...core.ragged import RaggedTensor
from ..array.making import fill
from ..array.shaping import shape
from ..convert import to_tensor
from ..math.elementwise import cast
from .methods import nrows, row_lengths


class DynamicRaggedShape:
    """Sizes along the axes of a ragged tensor (`tf.experimental.DynamicRaggedShape`).

    `shape[i]` is a scalar tensor where all rows have the same size along axis i.
    """

    def __init__(self, value: RaggedTensor, dtype: Any) -> None:
        self._value = value
        self._levels = value.levels()
        self.dtype = dtype

    @property
    def rank(self) -> int | None:
        """The number of axes."""
        return self._value.shape.rank

    @property
    def num_row_partitions(self) -> int:
        """The number of partitions."""
        return len(self._levels)

    @property
    def inner_shape(self) -> Any:
        """The shape of the flat values."""
        return shape(self._value.flat_values, self.dtype)

    def is_uniform(self, axis: int) -> bool:
        """Whether all rows have the same size along an axis."""
        ragged = 1 <= axis <= len(self._levels)
        return not ragged or self._levels[axis - 1].uniform_length is not None

    def __getitem__(self, index: int) -> Any:
        rank = self.rank
        if rank is not None and not -rank <= index < rank:
            raise IndexError(f"Index is too big: {index}>={rank}")
        axis = index % rank if rank is not None else index
        if not self.is_uniform(axis):
            raise ValueError(f"Index {index} is not uniform")
        if axis == 0:
            return cast(nrows(self._value), self.dtype)
        if axis <= len(self._levels):
            size: Any = self._levels[axis - 1].uniform_length
            return to_tensor(size, self.dtype)
        return self.inner_shape[axis - len(self._levels)]

    def with_filled(self, number: TensorLike) -> RaggedTensor:
        """Returns a ragged tensor of this shape, the same scalar everywhere (`tf.fill`)."""
        made: RaggedTensor = self._value.with_flat(fill(self.inner_shape, number))
        return made

    def static_lengths(self) -> list[Any]:
        """Sizes as numbers, and tuples of them where rows differ."""
        lengths: list[Any] = [int(nrows(self._value))]
        inner: list[Any] = self._value.flat_values.shape.as_list()[1:]
        for axis, level in enumerate(self._levels, 1):
            if self.is_uniform(axis):
                lengths.append(level.uniform_length)
            else:
                lengths.append(tuple(row_lengths(level).numpy().tolist()))
        return lengths + inner

    def __repr__(self) -> str:
        shown = ", ".join(str(length) for length in self.static_lengths())
        partitions = self.num_row_partitions
        return f"<DynamicRaggedShape lengths=[{shown}] num_row_partitions={partitions}>"


def dynamic_shape(self: RaggedTensor, out_type: DTypeLike = dtypes.int32) -> DynamicRaggedShape:
    """Its shape."""
    return DynamicRaggedShape(self, as_dtype(out_type))


RaggedTensor.dynamic_shape = dynamic_shape  # type: ignore[attr-defined]
