"""First values of variables whose rows or columns stand for words, from a checkpoint of other words
(`tf.compat.v1.train.VocabInfo`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..base import dtypes
from ..base.errors import NotFoundError, invalid_argument
from ..base.shapes import TensorShape
from ..classic.scopes.in_parts import PartitionInfo
from ..classic.scopes.initializers import Zeros
from ..ops.array.gathering import gather
from ..ops.array.joining import concat
from ..ops.array.making import constant
from ..ops.array.shaping import reshape
from ..ops.convert import to_tensor
from ..ops.io.paths import local
from ..ops.op import apply
from .checkpoint_files import CheckpointReader
from .save_ops import RESTORE

Numbers = np.ndarray[Any, Any]


class _Fields(NamedTuple):
    new_vocab: Any
    new_vocab_size: int
    num_oov_buckets: int
    old_vocab: Any
    old_vocab_size: int
    backup_initializer: Callable[..., Any] | None
    axis: int


class VocabInfo(_Fields):
    """What the rows or columns of a variable stand for, now and in a checkpoint
    (`tf.compat.v1.train.VocabInfo`).

    Args:
        new_vocab: the path of a text file, with a word per line.
        new_vocab_size: how many of its words the variable has.
        num_oov_buckets: how many rows or columns for other words follow.
        old_vocab: the path of the words of the checkpoint's tensor.
        old_vocab_size: how many of them it has; -1 for all.
        backup_initializer: what makes values of words that the checkpoint lacks; zeros if None.
        axis: 0 if rows stand for words, 1 if columns do.

    Raises:
        ValueError: `axis` is something else.
    """

    __slots__ = ()

    def __new__(
        cls,
        new_vocab: Any,
        new_vocab_size: int,
        num_oov_buckets: int,
        old_vocab: Any,
        old_vocab_size: int = -1,
        backup_initializer: Callable[..., Any] | None = None,
        axis: int = 0,
    ) -> VocabInfo:
        """See the class."""
        if axis not in (0, 1):
            raise ValueError(
                "The only supported values for the axis argument are 0 and 1.  Provided axis: "
                f"{axis}"
            )
        return super().__new__(
            cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size,
            backup_initializer, axis,
        )  # fmt: skip


def first_value(
    reader: CheckpointReader, name: str, info: VocabInfo, shape: Sequence[int], rows: int,
    part: PartitionInfo | None,
) -> Any:  # fmt: skip
    """A first value of a variable, or of a part of its rows: what a checkpoint has of its words.

    Args:
        reader: the checkpoint.
        name: the matrix in it, float32.
        info: the words, now and there.
        shape: that of the variable or part.
        rows: how many rows the whole variable has.
        part: which part it is; None for the whole.

    Returns:
        A float32 matrix of that shape, which the graph reads from the checkpoint.

    Raises:
        ValueError: the shape does not fit the words.
        NotFoundError: there is no such tensor or file.
        InvalidArgumentError: the checkpoint's tensor, or a file of words, does not fit.
    """
    old = _shape_of(reader, name)
    own = [int(size) for size in shape]
    if len(own) != 2:
        raise ValueError(f"Expected 2-dim shape, but received: {shape}")
    by_row = info.axis == 0
    columns = own[1] if by_row else info.new_vocab_size
    others = 0 if by_row else info.num_oov_buckets
    if own[1] != columns + others:
        raise ValueError(
            f"Expected 2nd dim of shape to be new_col_vocab_size ({columns}) + num_col_oov_buckets "
            f"({others}) = {columns + others}, but received shape: {shape}"
        )
    begin = 0 if part is None else part.single_offset(own)
    known = info.new_vocab_size if by_row else rows
    buckets = info.num_oov_buckets if by_row else 0
    if begin + own[0] > known + buckets:
        raise ValueError(
            f"Trying to initialize {own[0]} additional rows after {begin} rows have already been "
            "initialized, which would exceed expected total row count of new_row_vocab_size "
            f"({known}) + num_row_oov_buckets ({buckets}) = {known + buckets}."
        )
    loaded = max(0, min(own[0], known - begin))
    row_places = (
        _places(info, begin, loaded) if by_row else np.arange(begin, begin + loaded, dtype=np.int64)
    )
    column_places = np.arange(columns) if by_row else _places(info, 0, columns)
    if by_row and old[1] != columns:
        raise invalid_argument(
            f"Tensor {name} has shape [{old[0]},{old[1]}], where the size of its 2nd dimension is "
            f"{old[1]} instead of being equal to num_cols={columns}"
        )
    for places, size, what in ((row_places, old[0], "rows"), (column_places, old[1], "columns")):
        if places.size and int(places.max()) >= size:
            raise invalid_argument(
                f"Tensor {name} has {size} {what} in the checkpoint, fewer than its words: "
                f"{int(places.max()) + 1} or more. Say old_vocab_size, or take its own words."
            )
    initializer = info.backup_initializer or Zeros()
    value = _picked(reader, name, old, row_places, column_places, initializer)
    if own[0] > loaded:
        value = concat([value, to_tensor(initializer([own[0] - loaded, columns]))], 0)
    return concat([value, to_tensor(initializer([own[0], others]))], 1) if others else value


def _picked(
    reader: CheckpointReader, name: str, old: Sequence[int], rows: Numbers, columns: Numbers,
    made: Callable[..., Any],
) -> Any:  # fmt: skip
    """A matrix of the checkpoint's elements at these rows and columns, and new ones where a row or
    a column is -1."""
    there = (rows >= 0)[:, None] & (columns >= 0)[None, :]
    places = rows[:, None] * old[1] + columns[None, :]
    missing = int(there.size - there.sum())
    places[~there] = old[0] * old[1] + np.arange(missing)
    attrs = {
        "tensor_names": (name,), "dtypes": (dtypes.float32,), "shapes": (TensorShape(old),),
        "reshape": False,
    }  # fmt: skip
    read = apply(RESTORE, (constant(reader.prefix),), attrs)
    flat = reshape(read[0] if isinstance(read, (list, tuple)) else read, [-1])
    if missing:
        flat = concat([flat, reshape(to_tensor(made([missing, 1])), [-1])], 0)
    return gather(flat, constant(places))


def _shape_of(reader: CheckpointReader, name: str) -> list[int]:
    if not reader.has_tensor(name):
        raise NotFoundError(None, None, f"Key {name} not found in checkpoint")
    sizes = reader.get_variable_to_shape_map()[name]
    dtype = reader.get_variable_to_dtype_map()[name]
    if len(sizes) != 2 or dtype is not dtypes.float32:
        raise invalid_argument(
            f"Tensor {name} is of shape {sizes} and type {dtype.name} in the checkpoint. Words can "
            "be matched in float32 matrices alone."
        )
    return sizes


def _places(info: VocabInfo, begin: int, count: int) -> Numbers:
    """Where the checkpoint has some of the new words, -1 for those that it lacks."""
    words = _words(info.new_vocab)
    if begin + count > len(words):
        raise invalid_argument(
            f"{info.new_vocab} has {len(words)} words, fewer than the {begin + count} of the "
            "variable: lookup table size must be larger than last new vocab entry's line"
        )
    earlier = _words(info.old_vocab)
    if info.old_vocab_size >= 0:
        if info.old_vocab_size > len(earlier):
            raise invalid_argument(
                f"Invalid vocab_size in {info.old_vocab}: expected {info.old_vocab_size} but got "
                f"{len(earlier)}"
            )
        earlier = earlier[: info.old_vocab_size]
    known = {word: place for place, word in enumerate(earlier)}
    if len(known) < len(earlier):
        raise invalid_argument(f"{info.old_vocab} has a word twice.")
    found = [known.get(word, -1) for word in words[begin : begin + count]]
    return np.array(found, np.int64)


def _words(path: Any) -> list[bytes]:
    """The lines of a file."""
    place = Path(local(path))
    if not place.is_file():
        raise NotFoundError(None, None, f"{path}; No such file or directory")
    lines = place.read_bytes().split(b"\n")
    return lines[:-1] if lines and not lines[-1] else lines
