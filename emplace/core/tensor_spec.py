"""`tf.TensorSpec`: shape and dtype of a tensor that does not exist yet."""

from __future__ import annotations

from typing import Any

from ..base.dtypes import DType, as_dtype, float32
from ..base.shapes import TensorShape, covers
from ..base.typing import DTypeLike, ShapeLike
from .tensor import Tensor
from .type_spec import BatchableTypeSpec, register


@register("tf.TensorSpec")
class TensorSpec(BatchableTypeSpec):
    """What an argument must look like (`tf.TensorSpec`).

    Args:
        shape: the shape; None for unknown sizes, or for an unknown rank.
        dtype: the dtype.
        name: the name of the argument in graphs.

    >>> TensorSpec([None, 3], "float32").is_compatible_with(TensorSpec([2, 3], "float32"))
    True
    """

    __slots__ = ("_dtype", "_name", "_shape")

    value_type = Tensor

    def __init__(
        self, shape: ShapeLike | None, dtype: DTypeLike = float32, name: str | None = None
    ) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @property
    def shape(self) -> TensorShape:
        """The shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name."""
        return self._name

    def _to_components(self, value: Any) -> Any:
        """What a tensor is made of: itself."""
        return value

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of a tensor."""
        own = getattr(tensor, "_name", None)
        if own is None and hasattr(tensor, "op"):
            own = tensor.op.name
        return cls(tensor.shape, tensor.dtype, name or own)

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        """The same spec under a name."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a spec or a tensor fits this one."""
        other = spec_or_value
        return self._dtype is as_dtype(other.dtype) and self._shape.is_compatible_with(other.shape)

    def most_specific_compatible_type(self, other: Any) -> TensorSpec:
        """The narrowest spec that covers both.

        Raises:
            ValueError: the dtypes or the names differ, or the other one is no spec of tensors.
        """
        if type(other) is not type(self) or (self._dtype, self._name) != (other.dtype, other.name):
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        mine, theirs = self._shape.sizes, other.shape.sizes
        if mine is None or theirs is None or len(mine) != len(theirs):
            return TensorSpec(None, self._dtype, self._name)
        dims = [a if a == b else None for a, b in zip(mine, theirs, strict=True)]
        return TensorSpec(dims, self._dtype, self._name)

    def is_subtype_of(self, other: object) -> bool:
        """Whether all values of this spec are values of the other one; if it has a name, under
        this name.
        """
        return (
            isinstance(other, TensorSpec)
            and self._dtype is other._dtype
            and (not self._name or self._name == other._name)
            and covers(other._shape.sizes, self._shape.sizes)
        )

    @property
    def component_count(self) -> int:
        """How many tensors a value of it is made of."""
        return 1

    def _with_tensor_ranks_only(self) -> TensorSpec:
        rank = self._shape.rank
        return TensorSpec(None if rank is None else [None] * rank, self._dtype, self._name)

    def _without_tensor_names(self) -> TensorSpec:
        return TensorSpec(self._shape, self._dtype)

    def _batch(self, batch_size: int | None) -> TensorSpec:
        dims = self._shape.sizes
        return TensorSpec(None if dims is None else (batch_size, *dims), self._dtype)

    def _unbatch(self) -> TensorSpec:
        dims = self._shape.sizes
        if dims is not None and not dims:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        return TensorSpec(None if dims is None else dims[1:], self._dtype)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TensorSpec)
            and self._dtype is other._dtype
            and self._shape.sizes == other._shape.sizes
            and self._name == other._name
        )

    def __hash__(self) -> int:
        return hash((self._dtype.name, self._shape.sizes, self._name))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name

    def __reduce__(self) -> Any:
        return TensorSpec, (self._shape.sizes, self._dtype.name, self._name)


def spec_of(value: Any) -> TensorSpec:
    """The spec of a tensor."""
    return TensorSpec(value.shape, value.dtype)
