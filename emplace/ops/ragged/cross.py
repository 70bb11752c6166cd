"""Crosses of features of ragged, sparse and dense rows: every combination of those of a row."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.typing import TensorLike
from ...core.ragged import RaggedTensor
from ..arguments import host_value
from ..convert import to_tensor
from ..deferred import value_dependent
from ..math.elementwise import cast
from ..sparse.cross import DEFAULT_KEY, as_text, as_words, columns_of, crossed_hash
from ..sparse.tensor import SparseTensor, SparseTensorValue
from .making import as_values, make_ragged

_RANK = "tf.ragged.cross only supports inputs with rank=2"

Rows = list[list[Any]]


def _feature(number: int, value: Any) -> Any:
    """An input as int64 or strings."""
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        value = SparseTensor.from_value(value)
    else:
        value = as_values(value)
    if value.dtype is not dtypes.string and not value.dtype.is_integer:
        raise ValueError(f"Unexpected dtype for inputs[{number}]: {value.dtype}")
    if isinstance(value, RaggedTensor) and value.shape.rank != 2:
        raise ValueError(_RANK)
    return value if value.dtype is dtypes.string else cast(value, dtypes.int64)


def _rows(value: Any) -> Rows:
    """The features of each row."""
    if value.shape.rank != 2:
        raise invalid_argument(f"{_RANK}. [Op:RaggedCross] name: ")
    if isinstance(value, SparseTensor):
        return columns_of([host_value(part) for part in value.components()], 1)[0]
    found: Rows = value.to_list() if isinstance(value, RaggedTensor) else host_value(value).tolist()
    return found


def _crossed(
    inputs: Any, change: Callable[[Rows], Rows], combine: Callable[[Sequence[Any]], Any], kind: type
) -> Any:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    features = [_feature(number, each) for number, each in enumerate(inputs)]
    columns = [change(_rows(each)) for each in features]
    if any(len(column) != len(columns[0]) for column in columns):
        raise invalid_argument(
            "inputs must all have the same batch dimension size. [Op:RaggedCross] name: "
        )
    rows = [
        [combine(chosen) for chosen in itertools.product(*row)]
        for row in zip(*columns, strict=True)
    ]
    flat: np.ndarray[Any, Any] = np.array([made for row in rows for made in row], kind)
    ragged = [each for each in features if isinstance(each, RaggedTensor)]
    is_short = ragged and all(each.row_splits.dtype is dtypes.int32 for each in ragged)
    splits = np.cumsum([0, *map(len, rows)]).astype(np.int32 if is_short else np.int64)
    return make_ragged(to_tensor(flat), to_tensor(splits))


@value_dependent
def cross(inputs: TensorLike, name: str | None = None) -> Any:
    """Returns all ways to pick one value from each input's row, as strings (`tf.ragged.cross`).

    Args:
        inputs: matrices, ragged, sparse or dense, of texts or numbers, with as many rows.
        name: a name in graphs.

    Raises:
        ValueError: an input is no matrix of these kinds.
        InvalidArgumentError: the inputs have different numbers of rows.

    >>> import emplace.tensorflow as tf
    >>> cross([tf.ragged.constant([["a"], ["b"]]), tf.ragged.constant([["x", "y"], ["z"]])])
    <tf.RaggedTensor [[b'a_X_x', b'a_X_y'], [b'b_X_z']]>
    """
    return _crossed(inputs, list, lambda chosen: b"_X_".join(map(as_text, chosen)), object)


@value_dependent
def cross_hashed(
    inputs: TensorLike, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> Any:
    """Returns all ways to pick one value from each input's row, as numbers of buckets
    (`tf.ragged.cross_hashed`).

    Args:
        inputs: as for `cross`.
        num_buckets: how many buckets there are; 0 for as many as int64 has.
        hash_key: what the hash begins with.
        name: a name in graphs.

    Returns:
        Ragged rows of int64.

    Raises:
        ValueError, InvalidArgumentError: as `cross`.
    """
    key = DEFAULT_KEY if hash_key is None else hash_key
    return _crossed(
        inputs, as_words, lambda chosen: crossed_hash(chosen, num_buckets, key), np.int64
    )
