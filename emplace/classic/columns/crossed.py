"""Columns of combinations of categories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...base import dtypes
from ...ops.io.features import VarLenFeature
from ...ops.sparse.cross import cross_hashed
from .categorical import HashedCategoricalColumn
from .column import (
    CategoricalColumn,
    FeatureColumn,
    FeatureTransformationCache,
    IdWeightPair,
    States,
)


class _Crossed(NamedTuple):
    keys: tuple[Any, ...]
    hash_bucket_size: int
    hash_key: int | None


class CrossedColumn(CategoricalColumn, _Crossed):
    """See `crossed_column`."""

    @property
    def name(self) -> str:
        """The names of what it is made of, sorted."""
        names = [each.name if isinstance(each, FeatureColumn) else each for each in _leaves(self)]
        return "_X_".join(sorted(names))

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """Those of what it is made of; any number of texts for a key."""
        spec: dict[str, Any] = {}
        for each in self.keys:
            if isinstance(each, FeatureColumn):
                spec.update(each.parse_example_spec)
            else:
                spec[each] = VarLenFeature(dtypes.string)
        return spec

    @property
    def parents(self) -> list[Any]:
        """What it is made of."""
        return list(self.keys)

    @property
    def num_buckets(self) -> int:
        """The number of buckets."""
        return self.hash_bucket_size

    def transform_feature(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> Any:
        """The hash of every combination of an example's categories."""
        features = []
        for each in _leaves(self):
            if isinstance(each, CategoricalColumn):
                ids, weights = each.get_sparse_tensors(transformation_cache, state_manager)
                if weights is not None:
                    raise ValueError(
                        "crossed_column does not support weight_tensor, but the given column "
                        f"populates weight_tensor. Given column: {each.name}"
                    )
                features.append(ids)
            elif isinstance(each, str):
                features.append(transformation_cache.get(each, state_manager))
            else:
                raise ValueError(f"Unsupported column type. Given: {each}")
        return cross_hashed(features, self.hash_bucket_size, self.hash_key)

    def get_sparse_tensors(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> IdWeightPair:
        """The buckets, without weights."""
        return IdWeightPair(transformation_cache.get(self, state_manager), None)


def _leaves(column: CrossedColumn) -> Iterator[Any]:
    """Keys and columns; those of a column that is crossed itself."""
    for each in column.keys:
        if isinstance(each, CrossedColumn):
            yield from _leaves(each)
        else:
            yield each


def crossed_column(
    keys: Sequence[Any], hash_bucket_size: int, hash_key: int | None = None
) -> CrossedColumn:
    """Makes a column of all combinations of some features' categories
    (`tf.feature_column.crossed_column`).

    Args:
        keys: two or more features of texts or integers, or columns of categories, but those by
            hash, whose buckets would be hashed again.
        hash_bucket_size: how many categories the combinations share.
        hash_key: what their hash begins with; TensorFlow's own if None.

    Raises:
        ValueError: there are no buckets, there are fewer than two features, or one of them
            cannot be crossed.

    >>> crossed_column(["day", "hour"], 1000).name
    'day_X_hour'
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, (str, CategoricalColumn)):
            raise ValueError(
                "Unsupported key type. All keys must be either string, or categorical column "
                f"except HashedCategoricalColumn. Given: {key}"
            )
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                "categorical_column_with_hash_bucket is not supported for crossing. Hashing "
                "before crossing will increase probability of collision. Instead, use the "
                f"feature name as a string. Given: {key}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)
