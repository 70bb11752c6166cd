"""Several columns of categories that look up one table."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import Any, NamedTuple

from ...base import dtypes
from ...base.shapes import TensorShape
from ...core.context import LOCAL
from ...core.tracking import AutoTrackable
from ...state.warm_start import init_from_checkpoint
from ..scopes.collections import add_to_collection, get_collection, outer_graph
from ..scopes.initializers import TruncatedNormal
from ..scopes.variable_scope import get_variable
from .categorical import WeightedCategoricalColumn
from .checks import table_arguments
from .column import CategoricalColumn, States
from .sequences import SequenceCategoricalColumn
from .tables import RowsOfState, RowsOfTable


class SharedEmbeddingColumnCreator(AutoTrackable):
    """Makes the columns of one call of `shared_embeddings`, and their table in each graph."""

    def __init__(
        self,
        dimension: int,
        initializer: Any,
        ckpt_to_load_from: str | None,
        tensor_name_in_ckpt: str | None,
        num_buckets: int,
        trainable: bool,
        name: str = "shared_embedding_column_creator",
        use_safe_embedding_lookup: bool = True,
    ) -> None:
        self._dimension, self._num_buckets, self._name = dimension, num_buckets, name
        self._initializer, self._trainable = initializer, trainable
        self._checkpoint = ckpt_to_load_from, tensor_name_in_ckpt
        self._use_safe_embedding_lookup = use_safe_embedding_lookup
        self._tables: dict[int, Any] = {}

    def __call__(
        self, categorical_column: CategoricalColumn, combiner: str, max_norm: float | None
    ) -> SharedEmbeddingColumn:
        """One of the columns."""
        return SharedEmbeddingColumn(
            categorical_column, self, combiner, max_norm, self._use_safe_embedding_lookup
        )

    @property
    def embedding_weights(self) -> Any:
        """The table of the graph at hand."""
        graph = outer_graph()
        if id(graph) not in self._tables:
            table = get_variable(
                self._name, (self._num_buckets, self._dimension), dtypes.float32,
                initializer=self._initializer, trainable=self._trainable,
            )  # fmt: skip
            path, name = self._checkpoint
            if path is not None:
                init_from_checkpoint(path, {name: table})
            self._tables[id(graph)] = (graph, table)
        return self._tables[id(graph)][1]

    @property
    def dimension(self) -> int:
        """The size of a row."""
        return self._dimension


class _SharedFields(NamedTuple):
    categorical_column: CategoricalColumn
    shared_embedding_column_creator: SharedEmbeddingColumnCreator
    combiner: str
    max_norm: float | None
    use_safe_embedding_lookup: bool = True


class SharedEmbeddingColumn(RowsOfTable, _SharedFields):
    """See `shared_embeddings`."""

    _suffix = "shared_embedding"

    @property
    def variable_shape(self) -> TensorShape:
        """The size of a row."""
        return TensorShape([self.shared_embedding_column_creator.dimension])

    def _table(self, state_manager: States) -> Any:
        return self.shared_embedding_column_creator.embedding_weights


class _SharedFieldsV1(NamedTuple):
    categorical_column: CategoricalColumn
    dimension: int
    combiner: str
    initializer: Any
    shared_embedding_collection_name: str
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    use_safe_embedding_lookup: bool = True


class SharedEmbeddingColumnV1(RowsOfState, _SharedFieldsV1):
    """See `shared_embedding_columns`: the table is in a list of the graph."""

    _suffix = "shared_embedding"

    def create_state(self, state_manager: States) -> None:
        """Makes the table, or takes that of the columns before."""
        shape = TensorShape([self.categorical_column.num_buckets, self.dimension])
        made = get_collection(self.shared_embedding_collection_name)
        if len(made) > 1:
            raise ValueError(
                f"Collection {made} can only contain one variable. Suggested fix A: Choose a "
                "unique name for this collection. Suggested fix B: Do not add any variables to "
                "this collection. The feature_column library already adds a variable under the "
                "hood."
            )
        if made:
            if made[0].shape != shape:
                raise ValueError(
                    f"Shared embedding collection {self.shared_embedding_collection_name} "
                    f"contains variable {made[0].name} of unexpected shape {made[0].shape}. "
                    f"Expected shape is {shape}. Suggested fix A: Choose a unique name for this "
                    "collection. Suggested fix B: Do not add any variables to this collection. "
                    "The feature_column library already adds a variable under the hood."
                )
            state_manager.add_variable(self, made[0], "embedding_weights")
            return
        table = state_manager.create_variable(
            self, name="embedding_weights", shape=shape, dtype=dtypes.float32,
            trainable=self.trainable, use_resource=True, initializer=self.initializer,
        )  # fmt: skip
        add_to_collection(self.shared_embedding_collection_name, table)


def shared_embeddings(
    categorical_columns: Iterable[CategoricalColumn],
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> list[SharedEmbeddingColumn]:
    """Makes columns of rows of one table (`tf.feature_column.shared_embeddings`), in graphs.

    Args:
        categorical_columns: columns of one kind and with as many categories.
        dimension: the size of a row.
        combiner: what becomes of an example's rows: "mean", "sqrtn" or "sum".
        initializer: what makes the table; a truncated normal distribution if None.
        shared_embedding_collection_name: the table's name; one after the columns if None.
        ckpt_to_load_from: a checkpoint that has the table.
        tensor_name_in_ckpt: its name there.
        max_norm: rows that are longer are scaled down to it.
        trainable: whether optimizers change the table.
        use_safe_embedding_lookup: whether examples without categories are allowed.

    Raises:
        RuntimeError: eager mode.
        ValueError: the columns differ in kind or size, or an argument is wrong (see
            `embedding_column`).
    """
    columns = list(categorical_columns)
    size, name = _common(
        columns, dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt,
        shared_embedding_collection_name, "CategoricalColumn",
    )  # fmt: skip
    creator = SharedEmbeddingColumnCreator(
        dimension, initializer or _default_initializer(dimension), ckpt_to_load_from,
        tensor_name_in_ckpt, size, trainable, name, use_safe_embedding_lookup,
    )  # fmt: skip
    return [creator(column, combiner, max_norm) for column in columns]


def shared_embedding_columns(
    categorical_columns: Iterable[CategoricalColumn],
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> list[SharedEmbeddingColumnV1]:
    """Makes columns of rows of one table, for `input_layer`
    (`tf.compat.v1.feature_column.shared_embedding_columns`).

    Args:
        categorical_columns: columns of one kind and with as many categories.
        dimension: the size of a row.
        combiner: what becomes of an example's rows: "mean", "sqrtn" or "sum".
        initializer: what makes the table; a truncated normal distribution if None.
        shared_embedding_collection_name: the table's name; one after the columns if None.
        ckpt_to_load_from: a checkpoint that has the table.
        tensor_name_in_ckpt: its name there.
        max_norm: rows that are longer are scaled down to it.
        trainable: whether optimizers change the table.
        use_safe_embedding_lookup: whether examples without categories are allowed.

    Raises:
        RuntimeError, ValueError: as `shared_embeddings`.
    """
    columns = list(categorical_columns)
    _, name = _common(
        columns, dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt,
        shared_embedding_collection_name, "_CategoricalColumn",
    )  # fmt: skip
    table = initializer or _default_initializer(dimension)
    return [
        SharedEmbeddingColumnV1(
            column, dimension, combiner, table, name, ckpt_to_load_from, tensor_name_in_ckpt,
            max_norm, trainable, use_safe_embedding_lookup,
        )
        for column in columns
    ]  # fmt: skip


def _default_initializer(dimension: int) -> TruncatedNormal:
    return TruncatedNormal(mean=0.0, stddev=1 / sqrt(dimension))


def _common(
    columns: list[CategoricalColumn], dimension: int, initializer: Any, checkpoint: str | None,
    tensor_name: str | None, name: str | None, kind: str,
) -> tuple[int, str]:  # fmt: skip
    """What the columns share: the number of categories, and the table's name."""
    if LOCAL.state.target.is_eager:
        raise RuntimeError(
            "shared_embedding_columns are not supported when eager execution is enabled."
        )
    table_arguments(dimension, checkpoint, tensor_name, initializer, "")
    ordered = sorted(columns, key=lambda column: column.name)
    first = ordered[0]
    if not isinstance(first, CategoricalColumn):
        raise ValueError(
            f"All categorical_columns must be subclasses of {kind}. "
            f"Given: {first}, of type: {type(first)}"
        )
    size, first = first.num_buckets, _innermost(first)
    for column in map(_innermost, ordered[1:]):
        if not isinstance(column, type(first)):
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same type, "
                "or be weighted_categorical_column or sequence column of the same type. Given "
                f"column: {first} of type: {type(first)} does not match given column: {column} of "
                f"type: {type(column)}"
            )
        if size != column.num_buckets:
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same "
                f"number of buckets. Given column: {first} with buckets: {size} does not match "
                f"column: {column} with buckets: {column.num_buckets}"
            )
    return size, name or "_".join(column.name for column in ordered) + "_shared_embedding"


def _innermost(column: Any) -> Any:
    while isinstance(column, (WeightedCategoricalColumn, SequenceCategoricalColumn)):
        column = column.categorical_column
    return column
