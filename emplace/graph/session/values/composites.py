"""Sparse and ragged tensors and slices as plain values: what sessions return and take for them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from ....core.composite import PLAIN_VALUES, CompositeTensor
from ....core.ragged import RaggedTensor
from ....ops.convert import to_tensor
from ....ops.ragged.making import as_values, make_ragged
from ....ops.sparse.tensor import SparseTensor, SparseTensorValue
from ....ops.variables.indexed_slices import IndexedSlices


class IndexedSlicesValue(NamedTuple):
    """The parts of IndexedSlices; `dense_shape` is None where it is not known."""

    values: Any
    indices: Any
    dense_shape: Any = None


class RaggedTensorValue:
    """A ragged tensor's values, an array or another such, and its row splits
    (`tf.compat.v1.ragged.RaggedTensorValue`).
    """

    def __init__(self, values: Any, row_splits: Any) -> None:
        self.values = values
        self.row_splits = row_splits

    @property
    def dtype(self) -> Any:
        """The type of the values, of NumPy."""
        return self.values.dtype

    @property
    def ragged_rank(self) -> int:
        """How many axes are ragged."""
        inner = self.values
        return 1 + (inner.ragged_rank if isinstance(inner, RaggedTensorValue) else 0)

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The sizes, None for each axis that is ragged."""
        return (len(self.row_splits) - 1, None, *self.values.shape[1:])

    @property
    def flat_values(self) -> Any:
        """The innermost values."""
        inner = self.values
        return inner.flat_values if isinstance(inner, RaggedTensorValue) else inner

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits, outermost first."""
        inner = self.values
        rest = inner.nested_row_splits if isinstance(inner, RaggedTensorValue) else ()
        return (self.row_splits, *rest)

    def to_list(self) -> list[Any]:
        """The rows as nested lists."""
        inner = self.values
        rows = inner.to_list() if isinstance(inner, RaggedTensorValue) else inner.tolist()
        ends = [int(each) for each in self.row_splits]
        return [rows[start:end] for start, end in itertools.pairwise(ends)]

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self.values!r}, row_splits={self.row_splits!r})"

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"


PLAIN_VALUES[RaggedTensorValue] = lambda value: make_ragged(
    as_values(value.values), to_tensor(value.row_splits)
)


def value_of(tensor: CompositeTensor, parts: Sequence[Any]) -> Any:
    """The value that a session returns for `tensor`, made of its components' values."""
    if isinstance(tensor, SparseTensor):
        return SparseTensorValue(*parts)
    if isinstance(tensor, IndexedSlices):
        return IndexedSlicesValue(*parts)
    if isinstance(tensor, RaggedTensor):
        flat, *splits = parts
        for row_splits in reversed(splits):
            flat = RaggedTensorValue(flat, row_splits)
        return flat
    return tuple(parts)


def parts_of(tensor: CompositeTensor, value: Any) -> Sequence[Any]:
    """The values of the components of `tensor` in a value that is fed for it; a sparse tensor may
    be fed without its shape, which then is the one that its placeholder has.

    Raises:
        ValueError: it has another number of parts.
    """
    if isinstance(value, (RaggedTensorValue, RaggedTensor)):
        return [value.flat_values, *value.nested_row_splits]
    count = len(tensor.components())
    given = list(value)
    if isinstance(tensor, IndexedSlices):
        return given[:count]
    if len(given) != count and not (isinstance(tensor, SparseTensor) and len(given) == 2):
        raise ValueError(f"{tensor!r} is fed with {count} parts, and here are {len(given)}.")
    return given
