"""`tf.experimental.BatchableExtensionType`: types of the program's own that are stacked and taken
apart as tensors are, and the encoders that say how.
"""

from __future__ import annotations

from typing import Any

from ...base.shapes import TensorShape
from ...core.tensor_spec import TensorSpec
from ...core.type_spec import BatchableTypeSpec
from ..ragged.spec import RaggedTensorSpec
from ..sparse.tensor import SparseTensorSpec
from .fields import changed
from .types import ExtensionType, ExtensionTypeSpec, type_of


def batched_spec(spec: object, count: int | None) -> Any:
    """The spec of a batch of `count` values of a spec; None for an unknown number.

    Raises:
        TypeError: such values are not batched.
    """
    if isinstance(spec, BatchableExtensionTypeSpec):
        return spec.value_type.__batch_encoder__.batch(spec, count)
    if not isinstance(spec, (TensorSpec, RaggedTensorSpec, SparseTensorSpec)):
        raise TypeError(f"Unable to batch elements of {spec!r}.")
    return spec._batch(count)


def unbatched_spec(spec: object) -> Any:
    """The spec of a row of a value of a spec.

    Raises:
        TypeError: such values have no rows.
        ValueError: it is a scalar.
    """
    if isinstance(spec, BatchableExtensionTypeSpec):
        return spec.value_type.__batch_encoder__.unbatch(spec)
    if not isinstance(spec, (TensorSpec, RaggedTensorSpec, SparseTensorSpec)):
        raise TypeError(f"Unable to take elements of {spec!r} apart.")
    dims = spec.shape.sizes
    if dims is not None and not dims and isinstance(spec, TensorSpec):
        raise ValueError("Cannot unbatch an input with scalar components.")
    row = spec._unbatch()
    if not isinstance(row, RaggedTensorSpec) or row.ragged_rank >= 0:
        return row
    if row.shape.rank == 0:  # a row of a ragged tensor without ragged rows: a number
        return TensorSpec([], row.dtype)
    return RaggedTensorSpec(row.shape, row.dtype, 0, row.row_splits_dtype)


class BatchableExtensionTypeSpec(ExtensionTypeSpec, BatchableTypeSpec):
    """The type of the values of a batchable extension type."""

    def _batch(self, batch_size: int | None) -> Any:
        return batched_spec(self, batch_size)

    def _unbatch(self) -> Any:
        return unbatched_spec(self)


class ExtensionTypeBatchEncoder:
    """How values of an extension type are stacked (`tf.experimental.ExtensionTypeBatchEncoder`).

    A value is *encoded* as tensors or composites, these are stacked, and the stack is decoded. As
    it stands, a value is encoded as what its fields hold; sizes of a batch are put before shapes.
    """

    def batch(self, spec: object, batch_size: int | None) -> Any:
        """The spec of a batch of values; `batch_size` is None where it is not known."""

        def with_batch(each: object) -> Any:
            if isinstance(each, TensorShape):
                return TensorShape([batch_size]).concatenate(each)
            return batched_spec(each, batch_size) if _is_spec(each) else each

        return _changed_fields(spec, with_batch)

    def unbatch(self, spec: object) -> Any:
        """The spec of a value of a batch."""

        def without_batch(each: object) -> Any:
            if isinstance(each, TensorShape):
                return each[1:] if each.rank else each
            return unbatched_spec(each) if _is_spec(each) else each

        return _changed_fields(spec, without_batch)

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        """Returns what stands for a value: a nest of tensors and composites.

        Args:
            spec: of the value.
            value: the value.
            minimum_rank: how many leading sizes what is returned must share.
        """
        return value.components()

    def decode(self, spec: Any, encoding: Any) -> Any:
        """The value that `encode` told."""
        return spec.with_components(encoding)

    def encoding_specs(self, spec: Any) -> Any:
        """What `encode` returns for values of a spec, as specs."""
        return spec.components()


def _is_spec(value: object) -> bool:
    return isinstance(value, (TensorSpec, RaggedTensorSpec, SparseTensorSpec, ExtensionTypeSpec))


def _changed_fields(spec: Any, change: Any) -> Any:
    return type(spec)._of({name: changed(x, change) for name, x in spec._values().items()})


class BatchableExtensionType(ExtensionType):
    """An extension type whose values can be batched: by datasets and `tf.map_fn`
    (`tf.experimental.BatchableExtensionType`).

    The attribute `__batch_encoder__` of a class says how; it has an ExtensionTypeBatchEncoder.

    >>> import emplace.tensorflow as tf
    >>> class Pair(BatchableExtensionType):
    ...     a: tf.Tensor
    ...     b: tf.Tensor
    >>> [int(row.a) for row in tf.data.Dataset.from_tensor_slices(Pair([1, 2], [3, 4]))]
    [1, 2]
    """

    __batch_encoder__ = ExtensionTypeBatchEncoder()
    _spec_base = BatchableExtensionTypeSpec


def encoding_of(value: Any) -> Any:
    """What stands for a value of a batchable type."""
    return value.__batch_encoder__.encode(type_of(value), value, 0)
