"""The shape of a ragged tensor: what `tf.shape` says of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, ShapeLike, TensorLike
from ...core.composite import CompositeTensor
from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor
from ..arguments import is_symbolic
from ..array.joining import concat, stack
from ..array.making import fill
from ..array.shaping import reshape, shape
from ..convert import to_tensor
from ..debugging.assertions import assert_equal
from ..math.elementwise import cast, equal
from ..math.reduction import reduce_all
from .making import make_ragged
from .partition import RowPartition


class DynamicRaggedShape(CompositeTensor):
    """Sizes along the axes of a ragged tensor (`tf.experimental.DynamicRaggedShape`).

    `shape[i]` is a scalar tensor where all rows have the same size along axis i.

    Args:
        row_partitions: how values are divided into rows, the outermost first.
        inner_shape: the shape of what is below all partitions, a vector.
        dtype: int32 or int64; that of the partitions for None, and int64 without any.
        validate: True checks that the last partition has as many values as `inner_shape` says.
        static_inner_shape: what is known of `inner_shape` before anything runs.

    Raises:
        TypeError: `row_partitions` is no list of partitions.

    >>> DynamicRaggedShape.from_lengths([2, (1, 2), 3])
    <DynamicRaggedShape lengths=[2, (1, 2), 3] num_row_partitions=1>
    """

    def __init__(
        self,
        row_partitions: Sequence[RowPartition],
        inner_shape: TensorLike,
        dtype: DTypeLike | None = None,
        validate: bool = False,
        static_inner_shape: ShapeLike | None = None,
    ) -> None:
        if not isinstance(row_partitions, (list, tuple)):
            raise TypeError(
                f"row_partitions should be a list of row partitions. Instead, got {row_partitions}"
            )
        for part in row_partitions:
            if not isinstance(part, RowPartition):
                raise TypeError(f"row_partitions contains {part} which is not a RowPartition")
        if dtype is not None:
            index_dtype = as_dtype(dtype)
        elif row_partitions:
            index_dtype = row_partitions[0].dtype
        else:
            index_dtype = getattr(inner_shape, "dtype", dtypes.int64)
        self._partitions = tuple(part.with_dtype(index_dtype) for part in row_partitions)
        self._dtype = index_dtype
        sizes = to_tensor(inner_shape, hint=index_dtype)
        known = _known_sizes(inner_shape if static_inner_shape is None else static_inner_shape)
        if known is None:
            known = _known_sizes(sizes)
        self._sizes = sizes if sizes.dtype is index_dtype else cast(sizes, index_dtype)
        self._known = TensorShape([None] * (sizes.shape[0] or 0)) if known is None else known
        if row_partitions and self._known.rank == 0:
            raise IndexError("tuple index out of range")
        if validate and self._partitions:
            assert_equal(
                self._partitions[-1].nvals(), self._sizes[0],
                "Last row partition does not match inner_shape.",
            )  # fmt: skip

    @classmethod
    def from_lengths(
        cls,
        lengths: Sequence[Any],
        num_row_partitions: int | None = None,
        dtype: DTypeLike = dtypes.int64,
    ) -> DynamicRaggedShape:
        """Makes a shape of numbers.

        Args:
            lengths: sizes, and tuples of them where rows differ.
            num_row_partitions: how many axes after the first are divided by partitions; as few as
                can be for None.
            dtype: int32 or int64.

        Raises:
            ValueError: the sizes do not fit together, or are no numbers.
        """
        last_ragged = 0
        for axis, size in enumerate(lengths):
            if isinstance(size, (list, tuple)) and all(isinstance(one, int) for one in size):
                last_ragged = axis
            elif not isinstance(size, int):
                raise ValueError(
                    f"element of lengths should be int or tuple of ints: instead {size}"
                )
        count = last_ragged if num_row_partitions is None else num_row_partitions
        if lengths and isinstance(lengths[0], (list, tuple)):
            raise ValueError("The first of lengths is the number of rows: an int, not a tuple.")
        if count and count >= len(lengths):
            raise ValueError(
                "num_row_partitions should be less than `len(lengths)` if shape is not scalar."
            )
        if count < last_ragged:
            raise ValueError(f"num_row_partitions should be at least {last_ragged}, got {count}.")
        partitions, rows = [], lengths[0] if lengths else 0
        for size in lengths[1 : count + 1]:
            if isinstance(size, int):
                partition = RowPartition.from_uniform_row_length(
                    size, rows * size, rows, dtype=dtype
                )
                rows *= size
            else:
                if len(size) != rows:
                    raise ValueError("Shape not consistent.")
                partition = RowPartition.from_row_lengths(list(size), dtype=dtype)
                rows = sum(size)
            partitions.append(partition)
        inner = [rows, *lengths[count + 1 :]] if lengths else []
        return cls(partitions, to_tensor(inner, as_dtype(dtype)), dtype, static_inner_shape=inner)

    @classmethod
    def from_row_partitions(
        cls, row_partitions: Sequence[RowPartition], dtype: DTypeLike | None = None
    ) -> DynamicRaggedShape:
        """Makes a shape whose values are numbers.

        Args:
            row_partitions: how values are divided into rows, the outermost first.
            dtype: as of the class.

        Raises:
            ValueError: there are none.
        """
        if not row_partitions:
            raise ValueError("row_partitions cannot be empty")
        return cls(row_partitions, stack([row_partitions[-1].nvals()]), dtype)

    @classmethod
    def from_tensor(cls, t: TensorLike, dtype: DTypeLike | None = None) -> DynamicRaggedShape:
        """Makes the shape of a tensor, ragged or not.

        Args:
            t: a tensor.
            dtype: int32 or int64; that of its row splits for None, and int32 without any.
        """
        if not isinstance(t, RaggedTensor):
            t = to_tensor(t)
            return cls((), shape(t, dtype or dtypes.int32), static_inner_shape=t.shape)
        partitions = [RowPartition.of_rows(level) for level in t.levels()]
        wanted = partitions[0].dtype if dtype is None else as_dtype(dtype)
        flat = t.flat_values
        return cls(partitions, shape(flat, wanted), wanted, static_inner_shape=flat.shape)

    # What it is made of, as an argument and as a result of functions.

    @property
    def outline(self) -> Any:
        """What a trace of a function depends on besides the tensors."""
        lengths = [each.static_uniform_row_length for each in self._partitions]
        return f"DynamicRaggedShape of {self._dtype.name}, row lengths {lengths}"

    def components(self) -> tuple[Any, ...]:
        """The inner shape and the row splits."""
        return (self._sizes, *(each.row_splits() for each in self._partitions))

    def with_components(self, components: Sequence[Any]) -> DynamicRaggedShape:
        """The same kind of shape made of other tensors; nothing is checked."""
        sizes, *splits = components
        made = type(self).__new__(type(self))
        made._dtype, made._sizes = self._dtype, sizes
        made._known = _known_sizes(sizes) or TensorShape([None] * len(self._known))
        pairs = zip(self._partitions, splits, strict=True)
        made._partitions = tuple(each.with_components([those]) for each, those in pairs)
        return made

    # What it tells.

    @property
    def dtype(self) -> DType:
        """int32 or int64."""
        return self._dtype

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """How values are divided into rows, the outermost first."""
        return self._partitions

    @property
    def num_row_partitions(self) -> int:
        """The number of partitions."""
        return len(self._partitions)

    @property
    def inner_shape(self) -> Any:
        """The shape of the flat values."""
        return self._sizes

    @property
    def inner_rank(self) -> int | None:
        """The number of axes of the flat values."""
        return self._known.rank

    @property
    def rank(self) -> int | None:
        """The number of axes."""
        return None if self.inner_rank is None else self.inner_rank + len(self._partitions)

    def with_dtype(self, dtype: DTypeLike) -> DynamicRaggedShape:
        """The same shape of int32 or int64."""
        return type(self)(self._partitions, self._sizes, dtype, static_inner_shape=self._known)

    def is_uniform(self, axis: int) -> bool:
        """Whether all rows have the same size along an axis.

        Raises:
            IndexError: there is no such axis.
        """
        if self.rank is not None and axis >= self.rank:
            raise IndexError(f"Expected axis={axis} < rank={self.rank}")
        ragged = 1 <= axis <= len(self._partitions)
        return not ragged or self._partitions[axis - 1].is_uniform()

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return self._part(index)
        rank = self.rank
        if rank is not None and not -rank <= index < rank:
            raise IndexError(f"Index is too big: {index}>={rank}")
        axis = index % rank if rank is not None else index
        if not self.is_uniform(axis):
            raise ValueError(f"Index {index} is not uniform")
        if axis == 0 and self._partitions:
            return self._partitions[0].nrows()
        if 0 < axis <= len(self._partitions):
            return self._partitions[axis - 1].uniform_row_length()
        return self._sizes[axis - len(self._partitions)]

    def _part(self, index: slice) -> DynamicRaggedShape:
        """The shape of some axes that follow each other."""
        if index.step not in (None, 1):
            raise IndexError("Cannot stride through a shape")
        start, stop, _ = index.indices(self.rank or 0)
        count = len(self._partitions)
        if start == 0 and stop > count:
            inner = self._sizes[: stop - count]
            return type(self)(self._partitions, inner, self._dtype)
        if start == 0 and stop > 1:
            kept = self._partitions[: stop - 1]
            return type(self)(kept, stack([kept[-1].nvals()]), self._dtype)
        if start and not all(self.is_uniform(axis) for axis in range(stop)):
            raise ValueError("All relevant dimensions must be uniform")
        sizes = [self[axis] for axis in range(start, stop)]
        return type(self)((), stack(sizes) if sizes else to_tensor([], self._dtype), self._dtype)

    # What functions of tensors do with it in the place of a shape.

    def reshaped(self, tensor: TensorLike) -> Any:
        """The values of a tensor divided in this way (`tf.reshape`)."""
        flat = tensor.flat_values if isinstance(tensor, RaggedTensor) else tensor
        return self._divided(reshape(flat, self._sizes))

    def filled(self, value: TensorLike) -> Any:
        """One value everywhere (`tf.fill`, `tf.zeros`, `tf.ones`)."""
        return self._divided(fill(self._sizes, value))

    def _divided(self, values: TensorLike) -> Any:
        for each in reversed(self._partitions):
            values = make_ragged(values, each.row_splits(), each.static_uniform_row_length)
        return values

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """Sizes as numbers, and tuples of them where rows differ; None where only running tells.

        Args:
            ragged_lengths: False has None in the place of tuples.
        """
        if not self._partitions:
            return list(self._known)
        lengths: list[Any] = [self._partitions[0].static_nrows]
        for each in self._partitions:
            if each.is_uniform():
                lengths.append(each.static_uniform_row_length)
            elif ragged_lengths and not is_symbolic(each.row_splits()):
                lengths.append(tuple(each.row_lengths().numpy().tolist()))
            else:
                lengths.append(None)
        return lengths + list(self._known)[1:]

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, DynamicRaggedShape):
            return NotImplemented
        mine, theirs = self.components(), other.components()
        if [len(self._known), len(mine)] != [len(other._known), len(theirs)]:
            return to_tensor(False)
        flat = [concat([cast(part, dtypes.int64) for part in parts], 0) for parts in (mine, theirs)]
        if flat[0].shape[0] != flat[1].shape[0]:
            return to_tensor(False)
        return reduce_all(equal(flat[0], flat[1]))

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        shown = ", ".join(str(length) for length in self.static_lengths())
        partitions = self.num_row_partitions
        return f"<DynamicRaggedShape lengths=[{shown}] num_row_partitions={partitions}>"


def _known_sizes(sizes: object) -> TensorShape | None:
    """A shape of sizes that are known by now; None of those that are not."""
    if isinstance(sizes, TensorShape):
        return sizes
    if isinstance(sizes, (list, tuple)):
        return TensorShape([each if isinstance(each, int) else None for each in sizes])
    if not isinstance(sizes, Tensor) or is_symbolic(sizes):
        return None
    return TensorShape(sizes.numpy().tolist())


def dynamic_shape(self: RaggedTensor, out_type: DTypeLike = dtypes.int32) -> DynamicRaggedShape:
    """Its shape."""
    return DynamicRaggedShape.from_tensor(self, out_type)


RaggedTensor.dynamic_shape = dynamic_shape  # type: ignore[attr-defined]
