"""Crosses of features: every combination of the features of a row, as texts or as their hashes."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.context import LOCAL
from ...core.tensor import Tensor
from ..arguments import host_value
from ..array.joining import stack
from ..array.making import constant
from ..convert import to_tensor
from ..math.elementwise import cast
from ..op import CPU_ONLY, apply, op
from ..strings.hashing import fingerprints
from .tensor import SparseTensor
from .turns import met_in_order

_BITS64 = (1 << 64) - 1
_PRIME = 0xC6A4A7935BD1E995
DEFAULT_KEY = 0xDECAFCAFFE
_MOST = (1 << 63) - 1

Columns = list[list[Any]]  # the features of each row


def _mixed(value: int) -> int:
    return value ^ (value >> 47)


def _hashed_together(first: int, second: int) -> int:
    """One fingerprint out of two, as TensorFlow joins them."""
    result = first ^ _PRIME
    result ^= _mixed(second * _PRIME & _BITS64) * _PRIME & _BITS64
    result = _mixed(result * _PRIME & _BITS64) * _PRIME & _BITS64
    return _mixed(result)


def _check_parts(number: int, indices: Any, values: Any, shape: Any) -> None:
    """Raises InvalidArgumentError unless three parts are those of a sparse matrix."""
    for what, part, rank in (("indices", indices, 2), ("values", values, 1), ("shapes", shape, 1)):
        if part.ndim != rank:
            form = "a matrix" if rank == 2 else "a vector"
            raise invalid_argument(
                f"Input {what} should be {form} but received shape {runtime_text(part.shape)} at "
                f"position {number}"
            )
    if indices.shape[1] != 2:
        raise invalid_argument(
            f"Expected D2 of index to be 2 got {indices.shape[1]} at position {number}"
        )
    if len(indices) != len(values):
        raise invalid_argument(
            f"Expected size of values to be {len(indices)} got {len(values)} at position {number}"
        )
    if len(shape) != 2:
        raise invalid_argument(
            f"shape should imply a 2D tensor, but got {runtime_text(shape.tolist())} at position "
            f"{number}"
        )


def columns_of(parts: Sequence[Any], sparse: int) -> list[Columns]:
    """The features of each input by rows; the first `sparse` inputs have three parts each."""
    found, rows = [], None
    for number in range(sparse):
        indices, values, shape = parts[3 * number : 3 * number + 3]
        _check_parts(number, indices, values, shape)
        lists: Columns = [[] for _ in range(int(shape[0]))]
        rows_of_values = indices[:, 0].tolist()
        met = met_in_order(rows_of_values)
        for row, value in zip(rows_of_values[:met], values.tolist(), strict=False):
            if row < len(lists):
                lists[row].append(value)
        found.append(lists)
    for number, dense in enumerate(parts[3 * sparse :]):
        if dense.ndim != 2:
            raise invalid_argument(
                "Dense inputs should be a matrix but received shape "
                f"{runtime_text(dense.shape)} at position {number}"
            )
        found.append(dense.tolist())
    for number, lists in enumerate(found):
        rows = len(lists) if rows is None else rows
        if len(lists) != rows:
            kind, place = ("sparse", number) if number < sparse else ("dense", number - sparse)
            raise invalid_argument(
                f"Expected batch size {rows} got {len(lists)} at {kind} tensor {place}"
            )
    return found


def cross_kernel(
    *parts: Any, sparse: int, separator: bytes | None, num_buckets: int, hash_key: int
) -> tuple[torch.Tensor, Any, torch.Tensor]:
    """The places, the crosses and the shape; a separator asks for texts."""
    columns = columns_of(parts, sparse)
    if separator is None:
        columns = [as_words(lists) for lists in columns]
    places, crosses, widest = [], list[Any](), 0
    for row in range(len(columns[0]) if columns else 0):
        count = 0
        for features in itertools.product(*(lists[row] for lists in columns)):
            if separator is not None:
                crosses.append(separator.join(map(as_text, features)))
            else:
                crosses.append(crossed_hash(features, num_buckets, hash_key))
            places.append((row, count))
            count += 1
        widest = max(widest, count)
    shape = torch.tensor([len(columns[0]) if columns else 0, widest])
    indices = torch.tensor(places, dtype=torch.int64).reshape(-1, 2)
    if separator is not None:
        return indices, np.array(crosses, object).reshape(-1), shape
    return indices, torch.tensor(crosses, dtype=torch.int64), shape


def as_text(feature: bytes | int) -> bytes:
    """A feature as it stands in a cross."""
    return feature if isinstance(feature, bytes) else str(feature).encode()


def as_words(lists: Columns) -> Columns:
    """Features as words of 64 bits: texts as their fingerprints, numbers as they are."""
    flat = [feature for features in lists for feature in features]
    if not any(isinstance(feature, bytes) for feature in flat):
        return [[feature & _BITS64 for feature in features] for features in lists]
    words = iter(fingerprints(flat).tolist())
    return [list(itertools.islice(words, len(features))) for features in lists]


def crossed_hash(features: Sequence[int], num_buckets: int, hash_key: int) -> int:
    """The bucket of a combination."""
    return functools.reduce(_hashed_together, features, hash_key & _BITS64) % (num_buckets or _MOST)


CROSS = op(
    "SparseCross_", "parts: N * any -> indices: int64, values: out_type, shape: int64",
    lambda *parts, out_type, **attrs: cross_kernel(*parts, **attrs), None, device_types=CPU_ONLY,
    is_listed=False,
)  # fmt: skip


def crossed_parts(
    parts: Sequence[Tensor], sparse: int, separator: bytes | None, num_buckets: int, hash_key: int
) -> Any:
    """Indices, values and shape of the crosses of so many sparse matrices, whose three parts come
    first, and of dense ones; buckets where there is no separator.
    """
    attrs = {
        "sparse": sparse,
        "separator": separator,
        "num_buckets": num_buckets,
        "hash_key": hash_key,
        "out_type": dtypes.int64 if separator is None else dtypes.string,
    }
    return apply(CROSS, tuple(parts), attrs)


def _crossed(
    inputs: TensorLike, separator: bytes | None, num_buckets: int, hash_key: int
) -> SparseTensor:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(each, (SparseTensor, Tensor)) for each in inputs):
        raise TypeError("All inputs must be Tensor or SparseTensor.")
    sparse = [each for each in inputs if isinstance(each, SparseTensor)]
    parts = [part for x in sparse for part in (x.indices, _feature(x.values), x.dense_shape)]
    parts += [_feature(to_tensor(x)) for x in inputs if not isinstance(x, SparseTensor)]
    indices, values, shape = crossed_parts(parts, len(sparse), separator, num_buckets, hash_key)
    rows = next((x.shape[0] for x in inputs if x.shape.rank and x.shape[0] is not None), None)
    if rows is not None and not LOCAL.state.target.is_eager:  # a graph knows as much as its inputs
        shape = stack([constant(rows, dtypes.int64), shape[1]])
    return SparseTensor(indices, values, shape)


def separator_of(value: Any) -> bytes:
    """What stands between features, of a text or of a tensor that a graph knows.

    Raises:
        InvalidArgumentError: it is no scalar.
    """
    if isinstance(value, str):
        return value.encode()
    found = np.asarray(host_value(to_tensor(value)), object)
    if found.ndim:
        raise invalid_argument("Input separator should be a scalar.")
    return bytes(found[()])


def _feature(values: Tensor) -> Tensor:
    return values if values.dtype is dtypes.string else cast(values, dtypes.int64)


def cross(
    inputs: TensorLike, name: str | None = None, separator: str | None = None
) -> SparseTensor:
    """All combinations of the features of each row, as texts (`tf.sparse.cross`).

    Args:
        inputs: matrices, sparse or dense, of texts or numbers, with the same number of rows.
        name: a name in graphs.
        separator: what stands between features; "_X_" if None.

    Returns:
        A sparse matrix of strings; sparse inputs come first in each text.

    Raises:
        TypeError: an input is no matrix of these kinds.
        InvalidArgumentError: the inputs have different numbers of rows.

    >>> import emplace.tensorflow as tf
    >>> tf.sparse.cross([tf.constant([["a"]]), tf.constant([["x", "y"]])]).values.numpy().tolist()
    [b'a_X_x', b'a_X_y']
    """
    return _crossed(inputs, separator_of("_X_" if separator is None else separator), 0, 0)


def cross_hashed(
    inputs: TensorLike, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """Returns all combinations of the features of each row, as numbers of buckets
    (`tf.sparse.cross_hashed`).

    Args:
        inputs: as for `cross`.
        num_buckets: how many buckets there are; 0 for as many as int64 has.
        hash_key: what the hash begins with.
        name: a name in graphs.

    Returns:
        A sparse matrix of int64.

    Raises:
        TypeError, InvalidArgumentError: as `cross`.
    """
    return _crossed(inputs, None, num_buckets, DEFAULT_KEY if hash_key is None else hash_key)
