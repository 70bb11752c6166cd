"""`tf.nn` functions of tables in parts, which in TF 1 follow each other or take turns."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ...ops.array.gathering import gather
from ...ops.array.joining import concat
from ...ops.array.select import where
from ...ops.convert import to_tensor
from ...ops.math.elementwise import add, floordiv, floormod, less
from ...ops.nn import embedding
from ...ops.sampling import losses
from ...ops.sparse import rows
from ...ops.sparse.tensor import SparseTensor
from ...ops.variables.parts import TableInParts, are_variables, opened


def embedding_lookup(
    params: TensorLike,
    ids: TensorLike,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: TensorLike | None = None,
) -> Tensor:
    """Rows of a table (`tf.compat.v1.nn.embedding_lookup`).

    Args:
        params: the table, in parts or not, or a list of its parts.
        ids: the numbers of rows.
        partition_strategy: "div" where parts follow each other, "mod" where they take turns.
        name: ignored.
        validate_indices: ignored: numbers are always checked.
        max_norm: rows with a larger l2 norm are scaled down to it; None for no bound.

    Raises:
        ValueError: `partition_strategy` is something else.
    """
    params = _table(params, partition_strategy)
    return embedding.embedding_lookup(params, _places(params, ids, partition_strategy), max_norm)


def _table(params: Any, partition_strategy: str) -> Any:
    """What is looked up in: variables whose rows take turns as one table."""
    params = opened(params)
    is_table = are_variables(params) and _take_turns(params, partition_strategy)
    return TableInParts(params, takes_turns=True) if is_table else params


def _take_turns(params: TensorLike, partition_strategy: str) -> bool:
    """Whether rows that follow each other are in different parts."""
    if not isinstance(params, (list, tuple)) or len(params) < 2 or partition_strategy == "div":
        return False
    if partition_strategy != "mod":
        raise ValueError(
            f"Only `partition_strategy` in ('mod', 'div') is supported, got {partition_strategy!r}."
        )
    return True


def _places(params: TensorLike, ids: Any, partition_strategy: str) -> Any:
    """Where rows are in parts that are laid behind each other; what no part has stays outside."""
    if not _take_turns(params, partition_strategy):
        return ids
    ids = to_tensor(ids)
    sizes = [part.shape[0] for part in params]  # type: ignore[union-attr]
    starts = to_tensor([sum(sizes[:i]) for i in range(len(sizes))], ids.dtype)
    turn, row = floormod(ids, len(sizes)), floordiv(ids, len(sizes))
    is_there = less(row, gather(to_tensor(sizes, ids.dtype), turn))
    places = where(is_there, add(gather(starts, turn), row), to_tensor(sum(sizes), ids.dtype))
    return where(less(ids, 0), ids, places)


def nce_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: TensorLike | None = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str | None = "nce_loss",
) -> Tensor:
    """Tells true classes from drawn ones (`tf.compat.v1.nn.nce_loss`); see `tf.nn.nce_loss`."""
    return losses.nce(
        _lookup(partition_strategy), weights, biases, labels, inputs, num_sampled, num_classes,
        num_true, sampled_values, remove_accidental_hits,
    )  # fmt: skip


def sampled_softmax_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: TensorLike | None = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str | None = "sampled_softmax_loss",
    seed: int | None = None,
) -> Tensor:
    """The cross entropy over true and drawn classes (`tf.compat.v1.nn.sampled_softmax_loss`)."""
    return losses.sampled_softmax(
        _lookup(partition_strategy), weights, biases, labels, inputs, num_sampled, num_classes,
        num_true, sampled_values, remove_accidental_hits, seed,
    )  # fmt: skip


def _lookup(partition_strategy: str) -> Any:
    return functools.partial(embedding_lookup, partition_strategy=partition_strategy)


def embedding_lookup_sparse(
    params: TensorLike,
    sp_ids: TensorLike,
    sp_weights: Sequence[Any] | SparseTensor | None,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: TensorLike | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Returns rows of a table, combined (`tf.compat.v1.nn.embedding_lookup_sparse`).

    Args:
        params: the table, in parts or not, or a list of its parts.
        sp_ids: sparse numbers of rows.
        sp_weights: what each of them weighs; None for 1.
        partition_strategy: "div" where parts follow each other, "mod" where their rows take turns.
        name: a name in graphs.
        combiner: "sum", "mean" or "sqrtn".
        max_norm: rows with a larger l2 norm are scaled down to it; None for no bound.
        allow_fast_lookup: taken and ignored.
    """
    table, ids = _in_order(params, sp_ids, partition_strategy)
    return rows.embedding_lookup_sparse(table, ids, sp_weights, combiner or "mean", max_norm)


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: SparseTensor | None = None,
    combiner: str = "mean",
    default_id: Any = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: TensorLike | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Returns rows of a table, combined, where rows may have no ids
    (`tf.compat.v1.nn.safe_embedding_lookup_sparse`).

    Args:
        embedding_weights: the table, in parts or not, or a list of its parts.
        sparse_ids: sparse numbers of rows.
        sparse_weights: what each of them weighs; None for 1.
        combiner: "sum", "mean" or "sqrtn".
        default_id: the row that stands for no ids; zeros if None.
        name: a name in graphs.
        partition_strategy: "div" where parts follow each other, "mod" where their rows take turns.
        max_norm: rows with a larger l2 norm are scaled down to it; None for no bound.
        allow_fast_lookup: taken and ignored.
    """
    table, ids = _in_order(embedding_weights, sparse_ids, partition_strategy)
    if default_id is not None and ids is not sparse_ids:
        default_id = _places(embedding_weights, default_id, partition_strategy)
    return rows.safe_embedding_lookup_sparse(
        table, ids, sparse_weights, combiner, default_id, max_norm
    )


def _in_order(params: Any, sp_ids: Any, partition_strategy: str) -> tuple[Any, Any]:
    """The parts of a table one behind the other, and ids of rows of that."""
    params = _table(params, partition_strategy)
    if not _take_turns(params, partition_strategy):
        return params, sp_ids
    places = _places(params, sp_ids.values, partition_strategy)
    return concat([to_tensor(part) for part in params], 0), sp_ids.with_values(places)
