"""Columns of numbers: as they are, by the bucket they fall into, and sequences of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

from ...base import dtypes
from ...base.dtypes import DType
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike
from ...core.tensor import Tensor
from ...ops.array.joining import stack
from ...ops.array.making import one_hot, range_
from ...ops.array.repeating import repeat, tile
from ...ops.array.searching import BUCKETIZE
from ...ops.array.shaping import reshape, shape as shape_of
from ...ops.io.features import FixedLenFeature, VarLenFeature
from ...ops.math.elementwise import add, cast, multiply
from ...ops.op import apply
from ...ops.sparse.basic import to_dense
from ...ops.sparse.tensor import SparseTensor
from .checks import callable_or_none, default_of, key_of, numbers, sizes_of_feature
from .column import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    FeatureTransformationCache,
    IdWeightPair,
    SequenceDenseColumn,
    States,
    TensorSequenceLengthPair,
)
from .lengths import sequence_lengths


class OfKey(FeatureColumn):
    """A column that is one feature of numbers."""

    key: str
    shape: tuple[int, ...]

    @property
    def name(self) -> str:
        """The key."""
        return self.key

    @property
    def parents(self) -> list[Any]:
        """The key."""
        return [self.key]

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of an example's part, or of a step."""
        return TensorShape(self.shape)


class _Numeric(NamedTuple):
    key: str
    shape: tuple[int, ...]
    default_value: Any
    dtype: DType
    normalizer_fn: Callable[..., Any] | None


class NumericColumn(OfKey, DenseColumn, _Numeric):
    """See `numeric_column`."""

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """As many numbers as the shape has."""
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    def transform_feature(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> Any:
        """The normalized numbers as float32."""
        feature = transformation_cache.get(self.key, state_manager)
        if isinstance(feature, SparseTensor):
            raise ValueError(
                "The corresponding Tensor of numerical column must be a Tensor. "
                f"SparseTensor is not supported. key: {self.key}"
            )
        if self.normalizer_fn is not None:
            feature = self.normalizer_fn(feature)
        return cast(feature, dtypes.float32)

    def get_dense_tensor(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> Any:
        """The transformed feature."""
        return transformation_cache.get(self, state_manager)


class _Bucketized(NamedTuple):
    source_column: NumericColumn
    boundaries: tuple[float, ...]


class BucketizedColumn(DenseColumn, CategoricalColumn, _Bucketized):
    """See `bucketized_column`."""

    @property
    def name(self) -> str:
        """That of the source, with "_bucketized"."""
        return f"{self.source_column.name}_bucketized"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """That of the source."""
        return self.source_column.parse_example_spec

    @property
    def parents(self) -> list[Any]:
        """The source."""
        return [self.source_column]

    @property
    def _buckets(self) -> int:
        return len(self.boundaries) + 1

    @property
    def variable_shape(self) -> TensorShape:
        """The source's, with a place for each bucket."""
        return TensorShape([*self.source_column.shape, self._buckets])

    @property
    def num_buckets(self) -> int:
        """The buckets of all numbers of the source."""
        return self._buckets * self.source_column.shape[0]

    def transform_feature(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> Any:
        """The bucket of each number."""
        source = transformation_cache.get(self.source_column, state_manager)
        return apply(BUCKETIZE, (source,), {"boundaries": tuple(map(float, self.boundaries))})

    def get_dense_tensor(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> Any:
        """A 1 in the place of the bucket of each number."""
        return one_hot(transformation_cache.get(self, state_manager), self._buckets, 1.0, 0.0)

    def get_sparse_tensors(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> IdWeightPair:
        """The bucket of each number of an example, counted through all its numbers."""
        buckets = transformation_cache.get(self, state_manager)
        width = self.source_column.shape[0]
        batch = shape_of(buckets, dtypes.int64)[0]
        rows = repeat(range_(batch, dtype=dtypes.int64), width)
        columns = tile(range_(width, dtype=dtypes.int64), reshape(batch, [1]))
        first = multiply(columns, self._buckets)
        ids = add(cast(reshape(buckets, [-1]), dtypes.int64), first)
        shape = stack([batch, cast(width, dtypes.int64)])
        return IdWeightPair(SparseTensor(stack([rows, columns], axis=1), ids, shape), None)


class _SequenceNumeric(NamedTuple):
    key: str
    shape: tuple[int, ...]
    default_value: float
    dtype: DType
    normalizer_fn: Callable[..., Any] | None


class SequenceNumericColumn(OfKey, SequenceDenseColumn, _SequenceNumeric):
    """See `sequence_numeric_column`."""

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """Any number of values."""
        return {self.key: VarLenFeature(self.dtype)}

    def transform_feature(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> Any:
        """The feature, a sparse tensor, normalized."""
        feature = transformation_cache.get(self.key, state_manager)
        return feature if self.normalizer_fn is None else self.normalizer_fn(feature)

    def get_sequence_dense_tensor(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> TensorSequenceLengthPair:
        """Steps of the shape, short sequences filled up with the default."""
        sparse = transformation_cache.get(self, state_manager)
        dense = to_dense(sparse, self.default_value)
        steps: Tensor = reshape(dense, [dense.shape[0] or shape_of(dense)[0], -1, *self.shape])
        per_step = prod(self.shape) if sparse.shape.rank == 2 else 1
        return TensorSequenceLengthPair(steps, sequence_lengths(sparse, per_step))


def numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: Any = None,
    dtype: DTypeLike = dtypes.float32,
    normalizer_fn: Callable[..., Any] | None = None,
) -> NumericColumn:
    """Makes a column of real numbers (`tf.feature_column.numeric_column`).

    Args:
        key: the feature.
        shape: how many numbers an example has: a size or a list of sizes.
        default_value: what stands for a feature that an example lacks; None refuses such examples.
        dtype: the dtype of the feature, an integer or a float.
        normalizer_fn: a function from the feature to what is used of it.

    Raises:
        TypeError: a size is no integer, the default does not fit the dtype, or the function
            cannot be called.
        ValueError: a size is below 1, the dtype is no number, the default has another shape,
            or the key is no text.

    >>> numeric_column("price").parse_example_spec["price"].shape
    (1,)
    """
    sizes = sizes_of_feature(shape, key)
    kind = numbers(dtype, key)
    default = default_of(sizes, default_value, kind, key)
    function = callable_or_none(normalizer_fn)
    return NumericColumn(key_of(key), sizes, default, kind, function)


def bucketized_column(source_column: Any, boundaries: Sequence[float]) -> BucketizedColumn:
    """Makes a column of the ranges that numbers fall into (`tf.feature_column.bucketized_column`).

    Args:
        source_column: a `numeric_column` with at most one axis.
        boundaries: where ranges end, ascending; a range has its lower end and not its upper one.

    Raises:
        ValueError: the source is another column or has more axes, or the boundaries do not
            ascend.

    >>> bucketized_column(numeric_column("age"), [18, 65]).num_buckets
    3
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError(
            "source_column must be a column generated with numeric_column(). "
            f"Given: {source_column}"
        )
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries:
        raise ValueError("boundaries must not be empty.")
    is_sorted = isinstance(boundaries, (list, tuple)) and all(
        low < high for low, high in itertools.pairwise(boundaries)
    )
    if not is_sorted:
        raise ValueError("boundaries must be a sorted list.")
    return BucketizedColumn(source_column, tuple(boundaries))


def sequence_numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: float = 0.0,
    dtype: DTypeLike = dtypes.float32,
    normalizer_fn: Callable[..., Any] | None = None,
) -> SequenceNumericColumn:
    """Makes a column of sequences of numbers (`tf.feature_column.sequence_numeric_column`).

    Args:
        key: the feature, which is sparse.
        shape: the shape of a step.
        default_value: what short sequences are filled up with.
        dtype: the dtype of the feature, an integer or a float.
        normalizer_fn: a function from the feature, a sparse tensor, to what is used of it.

    Raises:
        TypeError, ValueError: as `numeric_column`.
    """
    sizes = sizes_of_feature(shape, key)
    kind = numbers(dtype, key)
    return SequenceNumericColumn(key, sizes, default_value, kind, callable_or_none(normalizer_fn))
