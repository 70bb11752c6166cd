"""SparseTensor: the places of the elements that are not zero, and the elements.

Operators are bound in `basic.py`, which has the ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.late_binding import LateBinding
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, ShapeLike, Structure, TensorLike
from ...core.composite import PLAIN_VALUES, CompositeTensor, consumers_of
from ...core.tensor import Tensor
from ...core.tensor_spec import TensorSpec
from ...core.type_spec import BatchableTypeSpec, register
from ..convert import to_tensor

IN_SESSION: LateBinding[[Any, Any, Any, str], Any] = LateBinding(
    "run a session", "graph/representation/default_session.py"
)


class SparseTensorValue(NamedTuple):
    """The three parts as plain values (`tf.compat.v1.SparseTensorValue`)."""

    indices: Any
    values: Any
    dense_shape: Any


class SparseTensor(CompositeTensor):
    """A tensor of mostly zeros (`tf.SparseTensor`).

    Most ops want the rows of `indices` in ascending order; `tf.sparse.reorder` sorts them.

    Args:
        indices: (N, rank), int64: where the elements stand.
        values: (N,): the elements.
        dense_shape: (rank,), int64: the shape with the zeros.

    Raises:
        ValueError: the three do not fit each other, a size is negative, or something cannot be
            a tensor.

    >>> SparseTensor([[0, 1], [1, 2]], [1.0, 2.0], [2, 3]).shape
    TensorShape([2, 3])
    """

    __module__ = "tensorflow.python.framework.sparse_tensor"  # by which libraries tell it

    is_tensor: ClassVar[bool] = True

    def __init__(self, indices: TensorLike, values: TensorLike, dense_shape: TensorLike) -> None:
        self._indices = _as_int64(indices, "indices")
        self._values = to_tensor(values)
        self._dense_shape = _as_int64(dense_shape, "dense_shape")
        self._shape = self._checked_shape(dense_shape)

    def _checked_shape(self, dense_shape: TensorLike) -> TensorShape:
        places = self._indices.shape.with_rank(2)
        elements = self._values.shape.with_rank(1)
        sizes = self._dense_shape.shape.with_rank(1)
        _check_equal(places[0], elements[0])
        _check_equal(places[1], sizes[0])
        given = dense_shape if isinstance(dense_shape, (list, tuple, TensorShape)) else None
        if given is None or not all(type(size) is int for size in given):
            given = self._dense_shape.partial_value()
            rank = len(dense_shape) if isinstance(dense_shape, (list, tuple)) else sizes[0]
            if given is None and rank is not None:
                given = [None] * rank
        if given is not None:
            given = [None if size == -1 else size for size in given]
        return TensorShape(given)

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """A SparseTensor from one, or from a `SparseTensorValue`.

        Raises:
            TypeError: it is something else.
        """
        if not isinstance(sparse_tensor_value, (SparseTensor, SparseTensorValue)):
            raise TypeError(
                f"Argument sparse_tensor_value={sparse_tensor_value} is neither a SparseTensor nor "
                "SparseTensorValue."
            )
        value = sparse_tensor_value
        return SparseTensor(value.indices, value.values, value.dense_shape)

    @property
    def indices(self) -> Any:
        """(N, rank) int64: where the elements stand."""
        return self._indices

    @property
    def values(self) -> Any:
        """(N,): the elements."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """(rank,) int64: the shape with the zeros, as a tensor."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The shape with the zeros."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._values.dtype

    @property
    def op(self) -> Any:
        """The operation of its values, in graphs."""
        return self._values.op

    @property
    def graph(self) -> Any:
        """The graph that its parts belong to."""
        return self._indices.graph

    def eval(self, feed_dict: Any = None, session: Any = None) -> SparseTensorValue:
        """Its value, by running a session.

        Args:
            feed_dict: what is fed.
            session: the session; None for the default one.

        Raises:
            ValueError: there is no session.
        """
        found: SparseTensorValue = IN_SESSION.call(self, feed_dict, session, "eval")
        return found

    def get_shape(self) -> TensorShape:
        """The shape with the zeros."""
        return self._shape

    def set_shape(self, shape: ShapeLike | None) -> None:
        """Adds what is known of the shape.

        Raises:
            ValueError: it contradicts what is known already.
        """
        self._shape = self._shape.merge_with(shape)

    def with_values(self, new_values: TensorLike) -> SparseTensor:
        """The same places with other elements.

        Raises:
            ValueError: there are not as many.
        """
        return SparseTensor.of(self._indices, to_tensor(new_values), self._dense_shape, self._shape)

    def consumers(self) -> list[Any]:
        """The operations of a graph that take a part of it: none in eager execution."""
        return consumers_of(self.components())

    @property
    def outline(self) -> Any:
        """What a trace of a function depends on besides the tensors."""
        return type(self)

    def components(self) -> tuple[Any, ...]:
        """Indices, values, dense_shape."""
        return self._indices, self._values, self._dense_shape

    def with_components(self, components: Sequence[Any]) -> SparseTensor:
        """A SparseTensor of indices, values and dense_shape."""
        return SparseTensor(*components)

    @staticmethod
    def of(indices: Any, values: Any, dense_shape: Any, shape: TensorShape) -> SparseTensor:
        """Makes one whose parts are tensors and whose shape is known: no value is read.

        Args:
            indices: int64 (n, rank), the places of the values.
            values: (n), the values there.
            dense_shape: int64 (rank), the shape.
            shape: the same, as far as it is known.

        Raises:
            ValueError: there are more or fewer places than values.
        """
        made = SparseTensor.__new__(SparseTensor)
        made._indices, made._values, made._dense_shape = indices, values, dense_shape
        made._shape = shape
        _check_equal(indices.shape.with_rank(2)[0], values.shape.with_rank(1)[0])
        return made

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices!s}, values={self._values!s}, "
            f"dense_shape={self._dense_shape!s})"
        )


def _as_int64(value: TensorLike, what: str) -> Tensor:
    try:
        return to_tensor(value, dtypes.int64)
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None


def _check_equal(a: int | None, b: int | None) -> None:
    if a is not None and b is not None and a != b:
        raise ValueError(f"Dimensions {a} and {b} are not compatible")


@register("tf.SparseTensorSpec")
class SparseTensorSpec(BatchableTypeSpec):
    """The shape and dtype of sparse tensors (`tf.SparseTensorSpec`).

    >>> SparseTensorSpec([None, 3]).is_compatible_with(SparseTensor([[0, 1]], [1.0], [2, 3]))
    True
    """

    value_type = SparseTensor

    def __init__(self, shape: ShapeLike | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        self.shape = TensorShape(shape)
        self.dtype = as_dtype(dtype)

    @classmethod
    def from_value(cls, value: TensorLike) -> SparseTensorSpec:
        """The spec of a sparse tensor.

        Raises:
            TypeError: it is something else.
        """
        if not isinstance(value, (SparseTensor, SparseTensorValue)):
            raise TypeError("Expected SparseTensor or SparseTensorValue.")
        if not isinstance(value, SparseTensor):
            value = SparseTensor.from_value(value)
        return cls(value.shape, value.dtype)

    def _batch(self, batch_size: int | None) -> SparseTensorSpec:
        return SparseTensorSpec(TensorShape([batch_size]).concatenate(self.shape), self.dtype)

    def _unbatch(self) -> SparseTensorSpec:
        if self.shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        return SparseTensorSpec(self.shape[1:], self.dtype)

    def _to_components(self, value: SparseTensor) -> list[Any]:
        return [value.indices, value.values, value.dense_shape]

    @property
    def component_count(self) -> int:
        """Places, values and the shape."""
        return 3

    def components(self) -> tuple[TensorSpec, ...]:
        """What is known of places, values and the shape."""
        rank = self.shape.rank
        return (
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], self.dtype),
            TensorSpec([rank], dtypes.int64),
        )

    def with_components(self, components: Sequence[Any]) -> SparseTensor:
        """A sparse tensor of this type."""
        made = SparseTensor(*components)
        made.set_shape(self.shape)
        return made

    def _serialize(self) -> tuple[Any, ...]:
        return self.shape, self.dtype

    def is_compatible_with(self, spec_or_value: Structure) -> bool:
        """True if a sparse tensor, or those of another spec, may have this shape and type."""
        other = spec_or_value
        if isinstance(other, SparseTensor):
            other = SparseTensorSpec.from_value(other)
        return (
            isinstance(other, SparseTensorSpec)
            and self.dtype is other.dtype
            and self.shape.is_compatible_with(other.shape)
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SparseTensorSpec)
            and self.dtype is other.dtype
            and self.shape == other.shape
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"SparseTensorSpec({self.shape!r}, {self.dtype!r})"


SparseTensor._type_spec = property(SparseTensorSpec.from_value)


PLAIN_VALUES[SparseTensorValue] = SparseTensor.from_value
