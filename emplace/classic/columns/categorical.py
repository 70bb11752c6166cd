"""Columns of categories that need no vocabulary: hashed, numbers as they are, with weights."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.typing import DTypeLike
from ...ops.array.making import constant, zeros_like
from ...ops.array.select import where
from ...ops.io.features import VarLenFeature
from ...ops.math.elementwise import add, cast, greater_equal, less, logical_or
from ...ops.sparse.tensor import SparseTensor, SparseTensorValue
from ...ops.strings.hashing import to_hash_bucket_fast
from ...ops.strings.numbers import as_string
from .checks import key_of, texts_or_integers
from .column import (
    CategoricalColumn,
    FeatureTransformationCache,
    IdWeightPair,
    States,
    as_sparse,
    dtype_mismatch,
)


class KeyedColumn(CategoricalColumn):
    """Categories that are made of one feature, `key`."""

    key: str

    @property
    def name(self) -> str:
        """The key."""
        return self.key

    @property
    def _feature_dtype(self) -> DType:
        return self.dtype  # type: ignore[attr-defined, no-any-return]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """Any number of values."""
        return {self.key: VarLenFeature(self._feature_dtype)}

    @property
    def parents(self) -> list[Any]:
        """The key."""
        return [self.key]

    def get_sparse_tensors(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> IdWeightPair:
        """The numbers of the categories, without weights."""
        return IdWeightPair(transformation_cache.get(self, state_manager), None)

    def _texts_or_integers(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> SparseTensor:
        """The feature; it is of texts if the column is, and of integers otherwise."""
        feature = as_sparse(transformation_cache.get(self.key, state_manager))
        texts_or_integers(feature.dtype, f"column_name: {self.key} input_tensor")
        if self._feature_dtype.is_integer != feature.dtype.is_integer:
            raise dtype_mismatch(self.key, self._feature_dtype, feature.dtype)
        return feature


class _Hashed(NamedTuple):
    key: str
    hash_bucket_size: int
    dtype: DType


class HashedCategoricalColumn(KeyedColumn, _Hashed):
    """See `categorical_column_with_hash_bucket`."""

    @property
    def num_buckets(self) -> int:
        """The number of buckets."""
        return self.hash_bucket_size

    def transform_feature(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> Any:
        """The hash of each value."""
        feature = self._texts_or_integers(transformation_cache, state_manager)
        values = feature.values
        texts = values if self.dtype is dtypes.string else as_string(values)
        return feature.with_values(to_hash_bucket_fast(texts, self.hash_bucket_size))


class _Identity(NamedTuple):
    key: str
    number_buckets: int
    default_value: int | None


class IdentityCategoricalColumn(KeyedColumn, _Identity):
    """See `categorical_column_with_identity`."""

    @property
    def num_buckets(self) -> int:
        """The number of categories."""
        return self.number_buckets

    @property
    def _feature_dtype(self) -> DType:
        return dtypes.int64

    def transform_feature(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> Any:
        """The feature; the default for numbers that are no category."""
        feature = as_sparse(transformation_cache.get(self.key, state_manager))
        if not feature.dtype.is_integer:
            raise ValueError(f"Invalid input, not integer. key: {self.key} dtype: {feature.dtype}")
        values = cast(feature.values, dtypes.int64)
        if self.default_value is not None:
            is_none = logical_or(less(values, 0), greater_equal(values, self.number_buckets))
            default = constant(self.default_value, dtypes.int64)
            values = where(is_none, add(zeros_like(values), default), values)
        return feature.with_values(values)


class _Weighted(NamedTuple):
    categorical_column: CategoricalColumn
    weight_feature_key: str
    dtype: DType


class WeightedCategoricalColumn(CategoricalColumn, _Weighted):
    """See `weighted_categorical_column`."""

    @property
    def name(self) -> str:
        """Those of the categories and of the weights."""
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """That of the categories, and any number of weights."""
        spec = self.categorical_column.parse_example_spec
        if self.weight_feature_key in spec:
            raise ValueError(
                f"Parse config {spec[self.weight_feature_key]} already exists for "
                f"{self.weight_feature_key}."
            )
        return {**spec, self.weight_feature_key: VarLenFeature(self.dtype)}

    @property
    def parents(self) -> list[Any]:
        """The categories, and the key of the weights."""
        return [self.categorical_column, self.weight_feature_key]

    @property
    def num_buckets(self) -> int:
        """The number of categories."""
        return self.categorical_column.num_buckets

    def transform_feature(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> Any:
        """Categories and weights, both sparse."""
        weights = transformation_cache.get(self.weight_feature_key, state_manager)
        if weights is None:
            raise ValueError(f"Missing weights {self.weight_feature_key}.")
        if isinstance(weights, SparseTensorValue):
            weights = SparseTensor.from_value(weights)
        if self.dtype is not weights.dtype.base_dtype:
            raise ValueError(f"Bad dtype, expected {self.dtype}, but got {weights.dtype}.")
        weights = as_sparse(weights, left_out=0.0)  # as TensorFlow: a weight of 0 is no weight
        if not weights.dtype.is_floating:
            weights = weights.with_values(cast(weights.values, dtypes.float32))
        ids = transformation_cache.get(self.categorical_column, state_manager)
        return ids, weights

    def get_sparse_tensors(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> IdWeightPair:
        """Categories and weights."""
        return IdWeightPair(*transformation_cache.get(self, state_manager))


def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = dtypes.string
) -> HashedCategoricalColumn:
    """Makes a column of categories by a hash of their text
    (`tf.feature_column.categorical_column_with_hash_bucket`).

    Args:
        key: the feature: texts or integers, sparse or dense; "" and -1 of dense ones are none.
        hash_bucket_size: how many categories there are; several values may share one.
        dtype: the dtype of the feature.

    Raises:
        ValueError: there are no buckets, or the feature is neither text nor integer.

    >>> categorical_column_with_hash_bucket("word", 100).num_buckets
    100
    """
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(
            f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}"
        )
    found = texts_or_integers(dtype, f"column_name: {key}")
    return HashedCategoricalColumn(key_of(key), hash_bucket_size, found)


def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> IdentityCategoricalColumn:
    """Makes a column of categories that are numbers already
    (`tf.feature_column.categorical_column_with_identity`).

    Args:
        key: the feature: integers, sparse or dense; -1 of dense ones is none.
        num_buckets: categories are below it.
        default_value: the category of numbers outside; None does not check.

    Raises:
        ValueError: there are no buckets, or the default is none of them.
    """
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(
            f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}"
        )
    return IdentityCategoricalColumn(key_of(key), num_buckets, default_value)


def weighted_categorical_column(
    categorical_column: CategoricalColumn,
    weight_feature_key: str,
    dtype: DTypeLike = dtypes.float32,
) -> WeightedCategoricalColumn:
    """Gives each category a weight (`tf.feature_column.weighted_categorical_column`).

    Args:
        categorical_column: the categories.
        weight_feature_key: the feature with the weights, in the places of the categories.
        dtype: the dtype of the weights.

    Raises:
        ValueError: weights are no numbers.
    """
    kind = None if dtype is None else as_dtype(dtype)
    if kind is None or not (kind.is_integer or kind.is_floating):
        raise ValueError(f"dtype {dtype} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, kind)
