"""Columns in TF 1's models: their input, a linear model of them, and what to read for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...base import dtypes
from ...core.tensor import Tensor
from ...graph.recording.scopes import name_scope
from ...ops.array.joining import concat, stack
from ...ops.array.shaping import reshape, shape as shape_of
from ...ops.convert import to_tensor
from ...ops.linalg.products import matmul
from ...ops.math.reduction import add_n
from ...ops.nn.activation import bias_add
from ...ops.sparse.basic import reshape as reshape_sparse
from ...ops.sparse.rows import safe_embedding_lookup_sparse
from ...ops.sparse.tensor import SparseTensor
from ...ops.variables.parts import variables_of
from ..scopes.collections import GraphKeys
from ..scopes.initializers import Zeros
from ..scopes.variable_scope import get_variable, variable_scope
from .column import CategoricalColumn, DenseColumn, FeatureColumn, FeatureTransformationCache
from .shared import SharedEmbeddingColumn, SharedEmbeddingColumnV1
from .state import ScopedState


def make_parse_example_spec(feature_columns: Iterable[Any]) -> dict[str, Any]:
    """Tells what `tf.io.parse_example` is to read for some columns
    (`tf.feature_column.make_parse_example_spec`).

    Args:
        feature_columns: the columns.

    Raises:
        ValueError: one of them is no column, or two read a feature in different ways.

    >>> import emplace.tensorflow as tf
    >>> price = tf.feature_column.numeric_column("price")
    >>> sorted(make_parse_example_spec([price]))
    ['price']
    """
    return _spec(feature_columns, "FeatureColumn")


def make_parse_example_spec_v1(feature_columns: Iterable[Any]) -> dict[str, Any]:
    """Tells what `tf.io.parse_example` is to read
    (`tf.compat.v1.feature_column.make_parse_example_spec`).

    Args:
        feature_columns: the columns.
    """
    return _spec(feature_columns, "_FeatureColumn")


def _spec(feature_columns: Iterable[Any], wanted: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f"All feature_columns must be {wanted} instances. Given: {column}")
        for key, value in column.parse_example_spec.items():
            if found.setdefault(key, value) != value:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. "
                    f"Given {value} and {found[key]}"
                )
    return found


def input_layer(
    features: Mapping[str, Any],
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
    cols_to_output_tensors: dict[Any, Any] | None = None,
) -> Tensor:
    """Puts the columns of a batch side by side (`tf.compat.v1.feature_column.input_layer`).

    Args:
        features: from key to tensor or sparse tensor, (batch, ...).
        feature_columns: dense columns; they are put side by side in the order of their names.
        weight_collections: further lists that tables are added to.
        trainable: False makes tables that no optimizer changes.
        cols_to_vars: a dictionary that gets the variables of each column.
        cols_to_output_tensors: a dictionary that gets the part of each column.

    Returns:
        (batch, all of them) float32.

    Raises:
        ValueError: there are no columns, two have one name, or one is not dense.
    """
    columns = _in_order(feature_columns)
    for column in columns:
        if not isinstance(column, DenseColumn):
            raise ValueError(
                "Items of feature_columns must be a _DenseColumn. You can wrap a categorical "
                "column with an embedding_column or indicator_column. "
                f"Given: {column}"
            )
    with variable_scope(None, default_name="input_layer", values=list(features.values())):
        cache = FeatureTransformationCache(features)
        state = ScopedState(_lists(weight_collections), trainable)
        parts: dict[int, Tensor] = {}
        for i, column in enumerate(columns):
            with variable_scope(None, default_name=_scope_name(column)):
                part = _part(column, cache, state)
            parts[i] = part
            if cols_to_vars is not None:
                cols_to_vars[column] = state.variables_of(column)
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = part
        _check_batch_sizes(parts.values(), columns)
        return concat(list(parts.values()), axis=1)


def _check_batch_sizes(parts: Iterable[Tensor], columns: Sequence[Any]) -> None:
    """Raises ValueError if columns have different numbers of examples, as far as is known."""
    first: tuple[Any, int] | None = None
    for column, part in zip(columns, parts, strict=True):
        size = part.shape[0]
        if size is None:
            continue
        if first is None:
            first = column, size
        elif size != first[1]:
            raise ValueError(
                "Batch size (first dimension) of each feature must be same. Batch size of columns "
                f"({first[0].name}, {column.name}): ({first[1]}, {size})"
            )


def _part(column: Any, cache: FeatureTransformationCache, state: ScopedState) -> Tensor:
    """A column's tensor as (batch, size)."""
    _refuse_shared(column)
    column.create_state(state)
    dense = column.get_dense_tensor(cache, state)
    return reshape(dense, [shape_of(dense)[0], column.variable_shape.num_elements()])


def _refuse_shared(column: object) -> None:
    if isinstance(column, SharedEmbeddingColumn):
        raise ValueError(
            "SharedEmbeddingColumns are not supported in `linear_model` or `input_layer`. Please "
            "use `DenseFeatures` or `LinearModel` instead."
        )


def _scope_name(column: Any) -> str:
    """The scope of a column's variables; columns that share a table share it."""
    if isinstance(column, SharedEmbeddingColumnV1):
        return column.shared_embedding_collection_name
    return column.name  # type: ignore[no-any-return]


def _lists(weight_collections: Any) -> list[str]:
    found = list(weight_collections or [])
    return [*found, *[k for k in (GraphKeys.GLOBAL_VARIABLES, "model_variables") if k not in found]]


def _in_order(feature_columns: Any) -> list[Any]:
    """The columns by name.

    Raises:
        ValueError: there are none, one is no column, or two have one name.
    """
    if isinstance(feature_columns, FeatureColumn):
        feature_columns = [feature_columns]
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    columns = list(feature_columns)
    by_name: dict[str, Any] = {}
    for column in columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                "Items of feature_columns must be a _FeatureColumn. "
                f"Given (type {type(column)}): {column}."
            )
        if column.name in by_name:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and "
                f"{by_name[column.name]}. This usually means that these columns refer to same base "
                "feature. Either one must be discarded or a duplicated but renamed item must be "
                "inserted in features dict."
            )
        by_name[column.name] = column
    if not columns:
        raise ValueError("feature_columns must not be empty.")
    return sorted(columns, key=lambda column: column.name)


def linear_model(
    features: Mapping[str, Any],
    feature_columns: Any,
    units: int = 1,
    sparse_combiner: str = "sum",
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
) -> Tensor:
    """Makes a linear model of some columns, its weights 0 at first
    (`tf.compat.v1.feature_column.linear_model`).

    Args:
        features: from key to tensor or sparse tensor, (batch, ...).
        feature_columns: dense columns and columns of categories.
        units: how many numbers are predicted per example.
        sparse_combiner: what becomes of the weights of an example's categories: "sum", "mean"
            or "sqrtn".
        weight_collections: further lists that variables are added to.
        trainable: False makes variables that no optimizer changes.
        cols_to_vars: a dictionary that gets the variables of each column, and "bias".

    Returns:
        (batch, units) float32.

    Raises:
        ValueError: there are no columns, two have one name, or one is neither dense nor of
            categories.
    """
    columns = _in_order(feature_columns)
    for column in columns:
        if not isinstance(column, (DenseColumn, CategoricalColumn)):
            raise ValueError(
                "Items of feature_columns must be either a _DenseColumn or _CategoricalColumn. "
                f"Given: {column}"
            )
    collections = _lists(weight_collections)
    with variable_scope(None, default_name="linear_model", values=list(features.values())):
        cache = FeatureTransformationCache(features)
        sums = []
        for column in columns:
            _refuse_shared(column)
            state = ScopedState(collections, trainable)
            with variable_scope(None, default_name=_scope_name(column)):
                sums.append(_weighted_sum(column, cache, state, units, sparse_combiner))
            if cols_to_vars is not None:
                cols_to_vars[column] = state.variables_of(column)
        bias = get_variable(
            "bias_weights", [units], dtypes.float32, Zeros(), trainable=trainable,
            collections=collections,
        )  # fmt: skip
        if cols_to_vars is not None:
            cols_to_vars["bias"] = variables_of(bias)
        _check_batch_sizes(sums, columns)
        with name_scope("weighted_sum_no_bias"):
            total = add_n(sums)
        return bias_add(total, bias, name="weighted_sum")


def _weighted_sum(
    column: Any, cache: FeatureTransformationCache, state: ScopedState, units: int, combiner: str
) -> Tensor:
    """What one column adds to the predictions, (batch, units)."""
    if isinstance(column, CategoricalColumn):
        column.create_state(state)
        ids, weights = column.get_sparse_tensors(cache, state)
        table = _weights(column, state, column.num_buckets, units)
        ids = _by_example(ids)
        weights = None if weights is None else _by_example(weights)
        return safe_embedding_lookup_sparse(table, ids, weights, combiner=combiner)
    _refuse_shared(column)
    table = _weights(column, state, column.variable_shape.num_elements(), units)
    return matmul(_part(column, cache, state), table)


def _by_example(sparse: SparseTensor) -> SparseTensor:
    if sparse.shape.rank == 2:
        return sparse
    return reshape_sparse(sparse, stack([sparse.dense_shape[0], to_tensor(-1, dtypes.int64)]))


def _weights(column: FeatureColumn, state: ScopedState, size: int | None, units: int) -> Any:
    return state.create_variable(
        column, "weights", [size, units], dtypes.float32, initializer=Zeros()
    )
