"""Ragged tensors: rows of different lengths, as one tensor of values and the places of the rows.

`RaggedTensor` holds its values (a tensor, or a ragged tensor where rows hold rows) and its row
splits: row `i` is `values[row_splits[i]:row_splits[i + 1]]`. What needs ops is bound to the class
in `ops/ragged/methods.py`, as operators are to tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NoReturn

import numpy as np

from ..base.dtypes import DType
from ..base.shapes import TensorShape
from ..base.typing import DTypeLike, TensorLike
from .composite import CompositeTensor, consumers_of
from .symbolic_value import SymbolicValueError, specialise_on
from .tensor import EagerTensor, to_numpy


def outline_of_rows(lengths: Sequence[int | None]) -> Any:
    """What a trace of a function depends on besides the tensors of a ragged one.

    Args:
        lengths: per partition how long its rows are, None where they may differ.
    """
    if all(length is None for length in lengths):
        return RaggedTensor
    return f"rows of {list(lengths)}"


class RaggedTensor(CompositeTensor):
    """A tensor with rows of different lengths (`tf.RaggedTensor`).

    Made by `tf.ragged.constant` and the `from_...` methods, never by calling this class.

    >>> import emplace.tensorflow as tf
    >>> tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 2, 3])
    <tf.RaggedTensor [[1, 2], [], [3]]>
    """

    __slots__ = ("_row_splits", "_values", "given_partition", "uniform_length")
    __module__ = "tensorflow.python.ops.ragged.ragged_tensor"  # by which libraries tell it

    is_tensor: ClassVar[bool] = True

    def __init__(
        self, values: Any, row_partition: Any, internal: bool = False, uniform: int | None = None
    ) -> None:
        if not internal:
            raise ValueError(
                "RaggedTensor constructor is private; please use one of the factory methods "
                "instead (e.g., RaggedTensor.from_row_lengths())"
            )
        self._values = values
        self._row_splits = row_partition
        self.uniform_length = uniform
        #: Row lengths or the row of each value, by that name, where it was made of such.
        self.given_partition: tuple[str, Any] | None = None

    @property
    def values(self) -> Any:
        """The rows' values one after the other; ragged where rows hold rows."""
        return self._values

    @property
    def row_splits(self) -> Any:
        """Where rows begin and end in `values`: an int32 or int64 tensor (rows + 1)."""
        return self._row_splits

    @property
    def flat_values(self) -> Any:
        """The values below all partitions: a tensor."""
        values = self._values
        while isinstance(values, RaggedTensor):
            values = values._values
        return values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits of all partitions, the outermost first."""
        return tuple(level._row_splits for level in self.levels())

    def levels(self) -> list[RaggedTensor]:
        """This ragged tensor and those in its values, the outermost first."""
        found, values = [], self
        while isinstance(values, RaggedTensor):
            found.append(values)
            values = values._values
        return found

    @property
    def ragged_rank(self) -> int:
        """The number of partitions."""
        return len(self.levels())

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self.flat_values.dtype  # type: ignore[no-any-return]

    @property
    def shape(self) -> TensorShape:
        """The static shape; None for dimensions in which rows may differ."""
        inner = self._values.shape
        if inner.rank is None:
            return TensorShape(None)
        return TensorShape([self._rows(), self.uniform_length, *inner[1:]])

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.shape

    @property
    def ndim(self) -> Any:
        """The number of dimensions."""
        return self.shape.rank

    def _rows(self) -> int | None:
        splits: int | None = self._row_splits.shape[0]
        return None if splits is None else splits - 1

    @property
    def outline(self) -> Any:
        """What a trace of a function depends on besides the tensors."""
        return outline_of_rows([level.uniform_length for level in self.levels()])

    def components(self) -> tuple[Any, ...]:
        """The flat values and the nested row splits."""
        return (self.flat_values, *self.nested_row_splits)

    def with_components(self, components: Sequence[Any]) -> RaggedTensor:
        """The same structure made of other tensors; nothing is checked."""
        values, *splits = components
        for level, row_splits in zip(reversed(self.levels()), reversed(splits), strict=True):
            values = RaggedTensor(values, row_splits, internal=True, uniform=level.uniform_length)
        return values  # type: ignore[no-any-return]

    def with_lengths(self, lengths: Sequence[int | None]) -> Any:
        """The same rows, said to be of other lengths; nothing is checked.

        Args:
            lengths: per partition how long its rows are, None where they may differ.
        """
        made = self.flat_values
        for level, length in zip(reversed(self.levels()), reversed(lengths), strict=True):
            made = RaggedTensor(made, level.row_splits, internal=True, uniform=length)
        return made

    def with_flat(self, flat_values: TensorLike) -> Any:
        """The same rows of other values; nothing is checked."""
        made = self.with_components((flat_values, *self.nested_row_splits))
        for level, other in zip(self.levels(), made.levels(), strict=False):
            other.given_partition = level.given_partition
        return made

    def gradient_parts(self) -> tuple[Any, ...]:
        """The flat values."""
        return (self.flat_values,)

    def with_gradient(self, gradient: Any) -> Any:
        """A ragged tensor of the gradients of the flat values."""
        return self.with_flat(gradient)

    def rewrap(self, values: TensorLike) -> RaggedTensor:
        """The outermost partition around other values; nothing is checked."""
        made = RaggedTensor(values, self._row_splits, internal=True, uniform=self.uniform_length)
        made.given_partition = self.given_partition
        return made

    def host_splits(self) -> np.ndarray[Any, Any]:
        """The row splits as a NumPy array."""
        if isinstance(self._row_splits, EagerTensor):
            return to_numpy(self._row_splits)
        known = self._row_splits.static_value()
        if known is None:
            raise SymbolicValueError("Where rows end is known only when the graph runs.")
        specialise_on(self._row_splits)
        return known  # type: ignore[no-any-return]

    def consumers(self) -> list[Any]:
        """The operations of a graph that take a part of it: none in eager execution."""
        return consumers_of(self.components())

    def to_list(self) -> list[Any]:
        """The rows as nested Python lists."""
        values = self._values
        flat = values.to_list() if isinstance(values, RaggedTensor) else to_numpy(values).tolist()
        splits = self.host_splits().tolist()
        return [flat[splits[i] : splits[i + 1]] for i in range(len(splits) - 1)]

    def numpy(self) -> np.ndarray[Any, Any]:
        """The rows as NumPy: one array where all have the same length, else an array of arrays."""
        if not isinstance(self.flat_values, EagerTensor):
            raise ValueError("RaggedTensor.numpy() is only supported in eager mode.")
        values = self._values.numpy()
        splits = self.host_splits().tolist()
        rows = [values[splits[i] : splits[i + 1]] for i in range(len(splits) - 1)]
        if not rows:
            return np.zeros((0, 0, *values.shape[1:]), dtype=values.dtype)
        if len({len(row) for row in rows}) == 1:
            return np.array(rows, dtype=values.dtype).reshape(
                len(rows), len(rows[0]), *values.shape[1:]
            )
        result = np.empty(len(rows), object)
        for i, row in enumerate(rows):
            result[i] = row
        return result

    def __tf_tensor__(self, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
        return self

    def __bool__(self) -> NoReturn:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __hash__(self) -> int:
        # One of a session's graph is a key of feeds.
        if getattr(getattr(self.flat_values, "graph", None), "is_function", True):
            raise TypeError("RaggedTensor is unhashable.")
        return id(self)

    def __repr__(self) -> str:
        if not hasattr(self.flat_values, "numpy"):  # of a graph
            return f"tf.RaggedTensor(values={self._values}, row_splits={self.row_splits})"
        return f"<tf.RaggedTensor {_text(self.numpy())}>"


def _text(value: object) -> str:
    if isinstance(value, np.ndarray):
        if value.size == 0:
            return repr(value.tolist())
        return np.array2string(value, separator=", ", formatter={"all": _text})
    return repr(value) if isinstance(value, bytes) else str(value)
