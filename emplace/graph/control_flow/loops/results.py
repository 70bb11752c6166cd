"""Where what a function of slices returns goes: arrays that a loop carries, and what is made of
them after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....base.dtypes import as_dtype
from ....base.typing import IntLike, TensorLike
from ....core.ragged import RaggedTensor
from ....core.tensor import Tensor
from ....core.tensor_spec import TensorSpec
from ....ops.array.joining import concat
from ....ops.array.making import range_
from ....ops.array.repeating import repeat
from ....ops.array.shaping import expand_dims, shape
from ....ops.array.tensor_array import TensorArray
from ....ops.convert import to_tensor
from ....ops.extension.types import type_of
from ....ops.math.cumulative import cumsum
from ....ops.math.elementwise import cast
from ....ops.math.reduction import reduce_max
from ....ops.ragged.making import make_ragged
from ....ops.ragged.methods import nested_row_lengths, nrows
from ....ops.ragged.spec import RaggedTensorSpec
from ....ops.sparse.tensor import SparseTensor, SparseTensorSpec


class StackedTensors:
    """Results that are tensors: one array."""

    def __init__(self, spec: Any, count: IntLike | None) -> None:
        is_spec = isinstance(spec, TensorSpec)
        dtype = spec.dtype if is_spec else as_dtype(spec)
        self.start = [TensorArray(dtype, count, element_shape=spec.shape if is_spec else None)]

    def written(self, arrays: Sequence[Any], i: Any, value: TensorLike) -> list[Any]:
        """The arrays after an iteration."""
        return [arrays[0].write(i, value)]

    def together(self, arrays: Sequence[Any], known: int | None) -> Any:
        """All iterations as one tensor."""
        made = arrays[0].stack()
        if made.shape.rank is not None:
            made.set_shape([known, *[None] * (made.shape.rank - 1)])
        return made


class RaggedRows:
    """Results that are rows of a ragged tensor: an array of their values, one of their numbers of
    rows, and one of the lengths of rows for each ragged dimension that they have themselves.
    """

    def __init__(self, spec: RaggedTensorSpec, count: IntLike | None) -> None:
        self._spec = spec
        self._dims = spec._shape
        self._rank = spec._ragged_rank
        self._splits = as_dtype(spec._row_splits_dtype)
        inner = None if self._dims.rank is None else [None, *self._dims[1 + self._rank :]]
        self.start = [
            TensorArray(spec._dtype, count, infer_shape=False, element_shape=inner),
            TensorArray(self._splits, count, element_shape=[]),
            *[
                TensorArray(self._splits, count, infer_shape=False, element_shape=[None])
                for _ in range(self._rank)
            ],
        ]

    def written(self, arrays: Sequence[Any], i: Any, value: Any) -> list[Any]:
        """The arrays after an iteration.

        Raises:
            ValueError: the value is not what the signature says.
        """
        value = value if isinstance(value, RaggedTensor) else to_tensor(value)
        self._check(value)
        if not isinstance(value, RaggedTensor):
            parts = [value, shape(value, self._splits)[0]]
        else:
            rows = nrows(value, self._splits)
            parts = [value.flat_values, rows, *nested_row_lengths(value)]
        return [array.write(i, part) for array, part in zip(arrays, parts, strict=True)]

    def _check(self, value: Any) -> None:
        if not self._spec.is_compatible_with(value):
            raise ValueError(_mismatch(self._spec, value))

    def together(self, arrays: Sequence[Any], known: int | None) -> Any:
        """All iterations as one ragged tensor."""
        flat, counts, *lengths = arrays
        if known == 0:  # there is nothing to join, and no shape that it would have
            return self._empty()
        levels = [counts.stack(), *[each.concat() for each in lengths]]
        return self._made(flat.concat(), levels)

    def _empty(self) -> Any:
        nothing = to_tensor([], self._splits)
        values = to_tensor([], self._spec._dtype)
        return self._made(values, [nothing] * (1 + self._rank))

    def _made(self, values: Tensor, levels: Sequence[Tensor]) -> Any:
        made: Any = values
        for i, lengths in reversed(list(enumerate(levels))):
            splits = concat([to_tensor([0], self._splits), cumsum(lengths)], 0)
            uniform = None if self._dims.rank is None else self._dims[i]
            made = make_ragged(made, splits, uniform)
        return made


class SparseRows:
    """Results that are rows of a sparse tensor: arrays of their indices, of their values, of how
    many elements they have, and of their shapes. The whole is as large as the largest of them.
    """

    def __init__(self, spec: SparseTensorSpec, count: Any) -> None:
        self._spec = spec
        self._count = count
        rank = spec.shape.rank
        self.start = [
            TensorArray("int64", count, infer_shape=False, element_shape=[None, rank]),
            TensorArray(spec.dtype, count, infer_shape=False, element_shape=[None]),
            TensorArray("int64", count, element_shape=[]),
            TensorArray("int64", count, element_shape=[rank]),
        ]

    def written(self, arrays: Sequence[Any], i: Any, value: Any) -> list[Any]:
        """The arrays after an iteration.

        Raises:
            ValueError: the value is not what the signature says.
        """
        if not self._spec.is_compatible_with(value):
            raise ValueError(_mismatch(self._spec, value))
        elements = shape(value.values, "int64")[0]
        parts = [value.indices, value.values, elements, value.dense_shape]
        return [array.write(i, part) for array, part in zip(arrays, parts, strict=True)]

    def together(self, arrays: Sequence[Any], known: int | None) -> Any:
        """All iterations as one sparse tensor."""
        indices, values, counts, shapes = arrays
        total = cast(to_tensor(self._count), "int64")
        rows = repeat(range_(total), counts.stack())
        largest = reduce_max(shapes.stack(), 0)
        made = SparseTensor(
            concat([expand_dims(rows, 1), indices.concat()], 1),
            values.concat(),
            concat([[total], largest], 0),
        )
        rank = self._spec.shape.rank
        if rank is not None:
            made.set_shape([known, *[None] * rank])
        return made


def _mismatch(spec: object, value: Any) -> str:
    return (
        f"Error in map_fn:\n  Expected `fn` to return a:\n    {spec}\n"
        f"  But it returned a:\n    {type_of(value)}\n    (value={value!s})\n"
        "  To fix, update the `fn_output_signature` (or `dtype`) argument to `map_fn`."
    )


def results_of(spec: Any, count: IntLike | None) -> StackedTensors | RaggedRows | SparseRows:
    """Where results of a type go.

    Args:
        spec: what a call returns: a dtype, or a spec of a tensor or of rows of a ragged or of a
            sparse one.
        count: how many calls there are, None if that is not known.
    """
    if isinstance(spec, RaggedTensorSpec):
        return RaggedRows(spec, count)
    if isinstance(spec, SparseTensorSpec):
        return SparseRows(spec, count)
    return StackedTensors(spec, count)
