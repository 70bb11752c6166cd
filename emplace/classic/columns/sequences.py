"""Columns of sequences of categories: steps are an axis of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...base import dtypes
from ...base.typing import DTypeLike
from ...ops.array.joining import concat
from ...ops.sparse.basic import reshape as reshape_sparse
from ...ops.sparse.tensor import SparseTensor
from .categorical import categorical_column_with_hash_bucket, categorical_column_with_identity
from .column import CategoricalColumn, FeatureTransformationCache, IdWeightPair, States
from .vocabulary import (
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
)


class _SequenceCategorical(NamedTuple):
    categorical_column: CategoricalColumn


class SequenceCategoricalColumn(CategoricalColumn, _SequenceCategorical):
    """Categories in sequences; `embedding_column` and `indicator_column` take it."""

    @property
    def name(self) -> str:
        """That of the categories."""
        return self.categorical_column.name

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """That of the categories."""
        return self.categorical_column.parse_example_spec

    @property
    def parents(self) -> list[Any]:
        """The categories."""
        return [self.categorical_column]

    @property
    def num_buckets(self) -> int:
        """The number of categories."""
        return self.categorical_column.num_buckets

    def transform_feature(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> Any:
        """That of the categories."""
        return self.categorical_column.transform_feature(transformation_cache, state_manager)

    def get_sparse_tensors(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> IdWeightPair:
        """Categories (batch, steps, 1), and weights."""
        ids, weights = self.categorical_column.get_sparse_tensors(
            transformation_cache, state_manager
        )
        return IdWeightPair(_stepwise(ids), None if weights is None else _stepwise(weights))


def _stepwise(sparse: SparseTensor) -> SparseTensor:
    if sparse.shape.rank == 2:
        indices = concat([sparse.indices, sparse.indices[:, :1] * 0], axis=1)
        return SparseTensor(indices, sparse.values, concat([sparse.dense_shape, [1]], axis=0))
    return reshape_sparse(sparse, concat([sparse.dense_shape[:2], [-1]], axis=0))


def sequence_categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> SequenceCategoricalColumn:
    """Makes a column of sequences of `categorical_column_with_identity`
    (`tf.feature_column.sequence_categorical_column_with_identity`).

    Args:
        key: the feature, a sequence of any length per example.
        num_buckets: categories are below it.
        default_value: the category of other values.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_identity(key, num_buckets, default_value)
    )


def sequence_categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = dtypes.string
) -> SequenceCategoricalColumn:
    """Makes a column of sequences of `categorical_column_with_hash_bucket`
    (`tf.feature_column.sequence_categorical_column_with_hash_bucket`).

    Args:
        key: the feature, a sequence of any length per example.
        hash_bucket_size: how many categories there are.
        dtype: the dtype of the feature.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_hash_bucket(key, hash_bucket_size, dtype)
    )


def sequence_categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: DTypeLike = dtypes.string,
) -> SequenceCategoricalColumn:
    """Makes a column of sequences of `categorical_column_with_vocabulary_file`
    (`tf.feature_column.sequence_categorical_column_with_vocabulary_file`).

    Args:
        key: the feature, a sequence of any length per example.
        vocabulary_file: the file, one category per line.
        vocabulary_size: how many lines are used; all if None.
        num_oov_buckets: categories for other values, by their hash.
        default_value: the category of other values.
        dtype: the dtype of the feature.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_file(
            key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets
        )
    )


def sequence_categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: DTypeLike | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> SequenceCategoricalColumn:
    """Makes a column of sequences of `categorical_column_with_vocabulary_list`
    (`tf.feature_column.sequence_categorical_column_with_vocabulary_list`).

    Args:
        key: the feature, a sequence of any length per example.
        vocabulary_list: the values, in the order of their numbers.
        dtype: the dtype of the feature.
        default_value: the category of other values.
        num_oov_buckets: categories for other values, by their hash.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_list(
            key, vocabulary_list, dtype, default_value, num_oov_buckets
        )
    )
