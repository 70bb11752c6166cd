"""The type of a ragged tensor: shape, dtype and partitions (`tf.RaggedTensorSpec`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, ShapeLike, Structure
from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor
from ...core.tensor_spec import TensorSpec
from ...core.type_spec import BatchableTypeSpec, register


@register("tf.RaggedTensorSpec")
class RaggedTensorSpec(BatchableTypeSpec):
    """What is known of a ragged tensor before it exists (`tf.RaggedTensorSpec`).

    Args:
        shape: the static shape; None for dimensions in which rows may differ.
        dtype: the type of the values.
        ragged_rank: the number of partitions; all but one dimension if None.
        row_splits_dtype: int32 or int64.

    Raises:
        ValueError: ragged_rank is not below the rank, or neither is known.

    >>> RaggedTensorSpec([None, None], "int32").ragged_rank
    1
    """

    __slots__ = ("_dtype", "_flat_values_spec", "_ragged_rank", "_row_splits_dtype", "_shape")

    @property
    def value_type(self) -> Any:
        """The class of its values: without partitions they are tensors."""
        return RaggedTensor if self._ragged_rank > 0 else Tensor

    def __init__(
        self,
        shape: ShapeLike | None = None,
        dtype: DTypeLike = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: DTypeLike = dtypes.int64,
        flat_values_spec: Any = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._row_splits_dtype = as_dtype(row_splits_dtype)
        self._flat_values_spec = flat_values_spec
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
        if rank is not None and ragged_rank >= rank:
            raise ValueError(
                f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank})."
            )
        self._ragged_rank = ragged_rank

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """The type of a ragged tensor."""
        return cls(value.shape, value.dtype, value.ragged_rank, value.row_splits.dtype)

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        """The number of partitions."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> DType:
        """The type of the row splits."""
        return self._row_splits_dtype

    def _batch(self, batch_size: int | None) -> RaggedTensorSpec:
        outer = TensorShape([batch_size])
        return RaggedTensorSpec(
            outer.concatenate(self._shape), self._dtype, self._ragged_rank + 1,
            self._row_splits_dtype,
        )  # fmt: skip

    def _unbatch(self) -> RaggedTensorSpec:
        """TF: rows of a tensor have -1 ragged axes, so that their batches have 0 again."""
        dims = self._shape.sizes
        return RaggedTensorSpec(
            None if dims is None else dims[1:], self._dtype, self._ragged_rank - 1,
            self._row_splits_dtype,
        )  # fmt: skip

    def _to_components(self, value: Any) -> list[Any]:
        """The values, and where their rows end."""
        return [value.values, value.row_splits]

    @property
    def component_count(self) -> int:
        """The values, and the splits of each partition."""
        return 1 + self._ragged_rank

    def components(self) -> tuple[TensorSpec, ...]:
        """What is known of the flat values and of the splits of each partition."""
        dims, rank = self._shape.sizes, self._ragged_rank
        flat = None if dims is None else (None, *dims[rank + 1 :]) if rank else dims
        splits = [TensorSpec([None], self._row_splits_dtype) for _ in range(rank)]
        if rank and dims is not None and dims[0] is not None:
            splits[0] = TensorSpec([dims[0] + 1], self._row_splits_dtype)
        return (TensorSpec(flat, self._dtype), *splits)

    def with_components(self, components: Sequence[Any]) -> Any:
        """A ragged tensor of this type; without partitions a tensor."""
        made, *splits = components
        for row_splits, length in zip(reversed(splits), reversed(self.row_lengths()), strict=True):
            made = RaggedTensor(made, row_splits, internal=True, uniform=length)
        return made

    def row_lengths(self) -> list[int | None]:
        """Per partition how long its rows are, None where they may differ."""
        dims, rank = self._shape.sizes, self._ragged_rank
        return [None] * rank if dims is None else list(dims[1 : rank + 1])

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype

    @property
    def flat_values_spec(self) -> Any:
        """The type of flat values that are no tensor; None here."""
        return self._flat_values_spec

    def is_compatible_with(self, spec_or_value: Structure) -> bool:
        """True if the value, or any value of the type, is one of this type."""
        other = spec_or_value
        if not self._ragged_rank and isinstance(other, Tensor | TensorSpec):
            return TensorSpec(self._shape, self._dtype).is_compatible_with(other)
        if isinstance(other, RaggedTensor):
            other = RaggedTensorSpec.from_value(other)
        return (
            isinstance(other, RaggedTensorSpec)
            and self._rest() == other._rest()
            and self._shape.is_compatible_with(other.shape)
        )

    def _rest(self) -> tuple[Any, ...]:
        return self._dtype, self._ragged_rank, self._row_splits_dtype

    def _key(self) -> tuple[Any, ...]:
        dims = None if self._shape.rank is None else tuple(self._shape.as_list())
        return dims, *self._rest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RaggedTensorSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self._key()[0], self._dtype.name, self._ragged_rank))

    def __repr__(self) -> str:
        return (
            f"RaggedTensorSpec({self._shape!r}, {self._dtype!r}, {self._ragged_rank}, "
            f"{self._row_splits_dtype!r})"
        )


RaggedTensor._type_spec = property(RaggedTensorSpec.from_value)
