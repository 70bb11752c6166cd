"""Rows of tables by number: `tf.nn.embedding_lookup`."""

from __future__ import annotations

from typing import Any

from ...base import dtypes
from ...base.typing import TensorLike
from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor
from ..array.gathering import gather
from ..array.joining import concat
from ..convert import tensors, to_tensor
from ..math.clipping import clip_by_norm
from ..variables.parts import TableInParts, are_variables, opened


def embedding_lookup(
    params: TensorLike | None,
    ids: TensorLike,
    max_norm: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns rows of a table, or of several that follow each other (`tf.nn.embedding_lookup`).

    Args:
        params: a table of shape (rows, ...), in parts or not, or a list of its parts.
        ids: the numbers of the rows, int32 or int64, of any shape.
        max_norm: rows with a larger l2 norm are scaled down to it; None for no bound.
        name: a name in graphs.

    Returns:
        A tensor of the shape of ids, followed by that of a row.

    Raises:
        ValueError: params are empty.
        InvalidArgumentError: a number is out of range (on the CPU).

    >>> embedding_lookup([[1.0, 2.0], [3.0, 4.0]], [1, 0]).numpy().tolist()
    [[3.0, 4.0], [1.0, 2.0]]
    """
    ids = to_tensor(ids)
    if isinstance(ids, RaggedTensor):
        _check_ragged(params, ids)
    table = _table(params)
    rows = table.rows(ids) if isinstance(table, TableInParts) else gather(table, ids)
    return rows if max_norm is None else _bounded(rows, ids.shape.rank, max_norm)


def _check_ragged(params: TensorLike | None, ids: RaggedTensor) -> None:
    """TensorFlow has words of its own for rows of ids.

    Raises:
        ValueError: there are no parameters, or the ids are no integers.
    """
    if isinstance(params, (list, tuple)) and not params:
        raise ValueError("params should not be empty.")
    if ids.dtype not in dtypes.INDICES:
        raise ValueError(
            f"The values contained by the inputs have type {ids.dtype!r} and cannot be processed. "
            "All values should be indices, either of type `int32` or `int64`."
        )


def _table(params: TensorLike | None) -> Any:
    if params is None or (isinstance(params, (list, tuple)) and not params):
        raise ValueError(f"params must be specified. Received: {params}")
    params = opened(params)
    if are_variables(params):
        return TableInParts(params)  # type: ignore[arg-type]
    if not isinstance(params, (list, tuple)) or not hasattr(params[0], "shape"):
        return params
    return params[0] if len(params) == 1 else concat(tensors(params), 0)


def _bounded(rows: Any, rank: int, max_norm: TensorLike) -> Any:
    if isinstance(rows, RaggedTensor):
        flat = rows.flat_values
        axes = list(range(rank - rows.ragged_rank, flat.shape.rank))
        bounded = clip_by_norm(flat, max_norm, axes)
        return rows.with_flat_values(bounded)  # type: ignore[attr-defined]
    return clip_by_norm(rows, max_norm, list(range(rank, rows.shape.rank)))
