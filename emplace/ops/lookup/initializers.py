"""What fills a table: pairs of tensors, or the lines of a file."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.errors import OutOfRangeError, invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import DTypeLike, TensorLike
from ...core.tensor import Tensor
from ..convert import to_tensor
from ..io.paths import as_text, local, system_errors


class TableInitializer:
    """Keys and values of a table (`TableInitializerBase`)."""

    def __init__(self, key_dtype: DTypeLike, value_dtype: DTypeLike) -> None:
        self._key_dtype: DType = as_dtype(key_dtype)
        self._value_dtype: DType = as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The dtype of keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of values."""
        return self._value_dtype

    def initialize(self, table: Any) -> Tensor:
        """Fills a table."""
        raise NotImplementedError


class KeyValueTensorInitializer(TableInitializer):
    """Pairs of keys and values (`tf.lookup.KeyValueTensorInitializer`).

    Args:
        keys: a tensor.
        values: a tensor of the same shape.
        key_dtype: the dtype of keys, if `keys` is no tensor.
        value_dtype: the dtype of values, if `values` is no tensor.
        name: a name in graphs.
    """

    def __init__(
        self,
        keys: TensorLike,
        values: TensorLike,
        key_dtype: DTypeLike | None = None,
        value_dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> None:
        self._keys = to_tensor(keys, None if key_dtype is None else as_dtype(key_dtype))
        self._values = to_tensor(values, None if value_dtype is None else as_dtype(value_dtype))
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: Any) -> Any:
        """Fills a table with the pairs."""
        return table.fill(self._keys, self._values)


class TextFileIndex:
    """What of a line is a key or a value (`tf.lookup.TextFileIndex`); other numbers are columns."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


def _path(filename: Any) -> str:
    """A file's name, which may be a tensor."""
    if not hasattr(filename, "numpy"):
        return as_text(filename)
    if filename.shape.rank:
        raise invalid_argument(
            f"filename should be a single string, but got {runtime_text(tuple(filename.shape))}"
        )
    return as_text(filename.numpy())


class TextFileInitializer(TableInitializer):
    """Pairs out of the lines of a file (`tf.lookup.TextFileInitializer`).

    Args:
        filename: the file.
        key_dtype: string or int64.
        key_index: a column, or a number of `TextFileIndex`.
        value_dtype: string, int64 or float32.
        value_index: likewise.
        vocab_size: the number of lines to read; all if None.
        delimiter: what stands between columns.
        name: a name in graphs.
        value_index_offset: added to line numbers that are values.

    Raises:
        ValueError: an index does not fit its dtype, or there is no name of a file.
        NotFoundError: there is no such file.
        InvalidArgumentError: a line has too few columns, or the file too few lines.
    """

    def __init__(
        self,
        filename: TensorLike,
        key_dtype: DTypeLike,
        key_index: int,
        value_dtype: DTypeLike,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        if not hasattr(filename, "dtype") and not filename:
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        for what, index, dtype in (
            ("key", key_index, self._key_dtype), ("value", value_index, self._value_dtype)
        ):  # fmt: skip
            if index == TextFileIndex.LINE_NUMBER and not dtype.is_integer:
                raise ValueError(
                    f"`{what}_dtype` must be int64 if `{what}_index` is {index}, received: "
                    f"{dtype!r}"
                )
            if index == TextFileIndex.WHOLE_LINE and not (
                dtype is dtypes.string or dtype.is_integer
            ):
                raise ValueError(
                    f"`{what}_dtype` should be either integer or string for `{what}_index` "
                    f"{index}, received: {dtype!r}"
                )
        self._filename, self._size, self._delimiter = _path(filename), vocab_size, delimiter
        self._indices, self._offset = (key_index, value_index), value_index_offset

    def initialize(self, table: Any) -> Any:
        """Fills a table with the lines."""
        path = local(self._filename)
        with system_errors(path), open(path, "rb") as file:
            lines = [line.rstrip(b"\r\n") for line in file]
        if self._size is not None:
            lines = lines[: self._size]
        elif not lines:
            raise OutOfRangeError(
                None, None, f"Read less bytes than requested: {self._filename} has no lines"
            )
        if b"" in lines:
            raise invalid_argument(
                f"Invalid content in {self._filename}: empty line found at position "
                f"{lines.index(b'') + 1}."
            )
        keys = self._column(lines, self._indices[0], self._key_dtype, 0)
        values = self._column(lines, self._indices[1], self._value_dtype, self._offset)
        if self._size is not None and len(lines) < self._size:
            raise invalid_argument(
                f"Invalid vocab_size in {self._filename}: expected {self._size} but got "
                f"{len(lines)}"
            )
        return table.fill(keys, values)

    def _column(self, lines: list[bytes], index: int, dtype: DType, offset: int) -> Tensor:
        if index == TextFileIndex.LINE_NUMBER:
            return to_tensor(np.arange(len(lines)) + offset, dtype)
        if index == TextFileIndex.WHOLE_LINE:
            return self._converted(lines, dtype)
        parts = [line.split(self._delimiter.encode()) for line in lines]
        for number, part in enumerate(parts):
            if index >= len(part):
                raise invalid_argument(
                    f"Invalid number of columns in {self._filename} line {number} "
                    f"({lines[number].decode(errors='replace')}) : expected at least {index + 1} "
                    f"got {len(part)}"
                )
        return self._converted([part[index] for part in parts], dtype)

    def _converted(self, chosen: list[bytes], dtype: DType) -> Tensor:
        if dtype is dtypes.string:
            return to_tensor(np.array(chosen, object), dtype)
        read = int if dtype.is_integer else float
        return to_tensor(np.array([read(each) for each in chosen], dtype._numpy), dtype)
