"""Columns that look categories up in a table of their own, or say which of them there are."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

from ...base import dtypes
from ...base.shapes import TensorShape
from ...core.tensor import Tensor
from ...ops.array.gathering import boolean_mask
from ...ops.array.joining import concat
from ...ops.array.making import one_hot
from ...ops.array.scattering import scatter_nd
from ...ops.array.shaping import expand_dims
from ...ops.math.elementwise import greater_equal, less, logical_and
from ...ops.math.reduction import reduce_sum
from ...ops.sparse.basic import to_dense
from ...ops.sparse.rows import embedding_lookup_sparse, safe_embedding_lookup_sparse
from ...state.warm_start import init_from_checkpoint
from ..scopes.initializers import TruncatedNormal
from .checks import table_arguments
from .column import (
    CategoricalColumn,
    DenseColumn,
    FeatureTransformationCache,
    IdWeightPair,
    SequenceDenseColumn,
    States,
    TensorSequenceLengthPair,
)
from .lengths import sequence_lengths
from .sequences import SequenceCategoricalColumn


class OfCategories(DenseColumn, SequenceDenseColumn):
    """A dense column on top of categories, which may be sequences."""

    categorical_column: CategoricalColumn
    _maker = "embedding_column"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """That of the categories."""
        return self.categorical_column.parse_example_spec

    @property
    def parents(self) -> list[Any]:
        """The categories."""
        return [self.categorical_column]

    def _dense(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> Tensor:
        raise NotImplementedError

    def get_dense_tensor(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> Any:
        """One row per example.

        Raises:
            ValueError: the categories are sequences.
        """
        if isinstance(self.categorical_column, SequenceCategoricalColumn):
            raise ValueError(
                f"In {self._maker}: {self.name}. categorical_column must not be of type "
                "SequenceCategoricalColumn. Suggested fix A: If you wish to use DenseFeatures, use "
                "a non-sequence categorical_column_with_*. Suggested fix B: If you wish to create "
                "sequence input, use SequenceFeatures instead of DenseFeatures. Given (type "
                f"{type(self.categorical_column)}): {self.categorical_column}"
            )
        return self._dense(transformation_cache, state_manager)

    def get_sequence_dense_tensor(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> TensorSequenceLengthPair:
        """One row per step, and the lengths.

        Raises:
            ValueError: the categories are no sequences.
        """
        column = self.categorical_column
        if not isinstance(column, SequenceCategoricalColumn):
            raise ValueError(
                f"In {self._maker}: {self.name}. categorical_column must be of type "
                "SequenceCategoricalColumn to use SequenceFeatures. Suggested fix: Use one of "
                f"sequence_categorical_column_with_*. Given (type {type(column)}): {column}"
            )
        dense = self._dense(transformation_cache, state_manager)
        ids = column.get_sparse_tensors(transformation_cache, state_manager).id_tensor
        return TensorSequenceLengthPair(dense, sequence_lengths(ids))


def looked_up(column: Any, table: Any, pair: IdWeightPair) -> Tensor:
    """The rows of a column's categories in its table, combined."""
    ids, weights = pair
    is_plain = not column.use_safe_embedding_lookup and (ids.shape.rank or 3) <= 2
    look = embedding_lookup_sparse if is_plain else safe_embedding_lookup_sparse
    return look(table, ids, weights, combiner=column.combiner, max_norm=column.max_norm)


class RowsOfTable(OfCategories):
    """A dense column of the rows of a table, one for each category."""

    _suffix: str

    @property
    def name(self) -> str:
        """That of the categories, with what the column makes of them."""
        return f"{self.categorical_column.name}_{self._suffix}"

    def transform_feature(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> Any:
        """That of the categories."""
        return transformation_cache.get(self.categorical_column, state_manager)

    def _table(self, state_manager: States) -> Any:
        raise NotImplementedError

    def _dense(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> Tensor:
        pair = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        return looked_up(self, self._table(state_manager), pair)


class RowsOfState(RowsOfTable):
    """A dense column of the rows of a table that the state of a layer holds."""

    dimension: int
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None

    @property
    def variable_shape(self) -> TensorShape:
        """The size of a row."""
        return TensorShape([self.dimension])

    def _table(self, state_manager: States) -> Any:
        table = state_manager.get_variable(self, name="embedding_weights")
        if self.ckpt_to_load_from is not None:
            init_from_checkpoint(self.ckpt_to_load_from, {self.tensor_name_in_ckpt: table})
        return table


class _Embedding(NamedTuple):
    categorical_column: CategoricalColumn
    dimension: int
    combiner: str
    initializer: Any
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    use_safe_embedding_lookup: bool = True


class EmbeddingColumn(RowsOfState, _Embedding):
    """See `embedding_column`."""

    _suffix = "embedding"

    def create_state(self, state_manager: States) -> None:
        """Makes the table."""
        state_manager.create_variable(
            self, name="embedding_weights",
            shape=(self.categorical_column.num_buckets, self.dimension), dtype=dtypes.float32,
            trainable=self.trainable, use_resource=True, initializer=self.initializer,
        )  # fmt: skip


class _Indicator(NamedTuple):
    categorical_column: CategoricalColumn


class IndicatorColumn(OfCategories, _Indicator):
    """See `indicator_column`."""

    _maker = "indicator_column"

    @property
    def name(self) -> str:
        """That of the categories, with "_indicator"."""
        return f"{self.categorical_column.name}_indicator"

    @property
    def variable_shape(self) -> TensorShape:
        """A place for each category."""
        size = self.categorical_column.num_buckets
        is_sequence = isinstance(self.categorical_column, SequenceCategoricalColumn)
        return TensorShape([size] if is_sequence else [1, size])

    def transform_feature(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> Any:
        """How often each category stands in an example, or what it weighs."""
        column = self.categorical_column
        ids, weights = column.get_sparse_tensors(transformation_cache, state_manager)
        size = column.num_buckets
        if weights is None:
            return reduce_sum(one_hot(to_dense(ids, -1), size, 1.0, 0.0), axis=-2)
        is_one = logical_and(greater_equal(ids.values, 0), less(ids.values, size))
        places = concat([ids.indices[:, :-1], expand_dims(ids.values, 1)], axis=1)
        shape = concat([ids.dense_shape[:-1], [size]], axis=0)
        picked = boolean_mask(weights.values, is_one)
        return scatter_nd(boolean_mask(places, is_one), picked, shape)

    def _dense(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> Tensor:
        return transformation_cache.get(self, state_manager)  # type: ignore[no-any-return]


def embedding_column(
    categorical_column: CategoricalColumn,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> EmbeddingColumn:
    """Makes a column of rows of a table, one for each category
    (`tf.feature_column.embedding_column`).

    Args:
        categorical_column: the categories.
        dimension: the size of a row.
        combiner: what becomes of an example's rows: "mean", "sqrtn" or "sum".
        initializer: what makes the table; a truncated normal distribution if None.
        ckpt_to_load_from: a checkpoint that has the table.
        tensor_name_in_ckpt: its name there.
        max_norm: rows that are longer are scaled down to it.
        trainable: whether optimizers change the table.
        use_safe_embedding_lookup: whether examples without categories and negative numbers are
            allowed.

    Raises:
        ValueError: rows have no size, half of a place in a checkpoint is given, or the
            initializer is no function.
    """
    who = f" Embedding of column_name: {getattr(categorical_column, 'name', categorical_column)}"
    table_arguments(dimension, ckpt_to_load_from, tensor_name_in_ckpt, initializer, who)
    if initializer is None:
        initializer = TruncatedNormal(mean=0.0, stddev=1 / sqrt(dimension))
    return EmbeddingColumn(
        categorical_column, dimension, combiner, initializer, ckpt_to_load_from,
        tensor_name_in_ckpt, max_norm, trainable, use_safe_embedding_lookup,
    )  # fmt: skip


def indicator_column(categorical_column: CategoricalColumn) -> IndicatorColumn:
    """Makes a column with a place for each category, which counts it
    (`tf.feature_column.indicator_column`).

    Args:
        categorical_column: the categories.

    Raises:
        ValueError: it is another column.
    """
    if not isinstance(categorical_column, CategoricalColumn):
        raise ValueError(
            "Unsupported input type. Input must be a CategoricalColumn. "
            f"Given: {categorical_column}"
        )
    return IndicatorColumn(categorical_column)
