"""The rows that a query finds in a database as a dataset.

SQLite keeps a type per value, not per column. A value that is not of the wanted type is converted
by SQLite itself, as its `CAST` does, and integers are then cut to their bits, as TensorFlow cuts
them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.errors import UnknownError, invalid_argument
from ...base.nest import map_structure
from ...base.typing import TensorLike
from ...core.tensor import EagerTensor
from ...core.tensor_spec import TensorSpec
from ...ops.host_values import raw_of
from ..dataset.dataset import Dataset
from ..elements.structure import Element, Structure, one_tensor
from ..iteration.node import UNKNOWN, Node, Run
from ..iteration.position import Counting

_TYPES = (
    dtypes.string, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8,
    dtypes.uint16, dtypes.bool_, dtypes.float64,
)  # fmt: skip

Cast = Callable[[Any, str], Any]  # a value and the name of SQLite's type -> the value of that type


class _QueryRows(Node):
    """The rows that a query finds in an SQLite file."""

    label = "SqlDataset"

    def __init__(self, driver: Any, file: Any, query: Any, types: Any) -> None:
        super().__init__()
        self.texts = [driver, file, query]
        self.structure = Structure(
            map_structure(lambda each: TensorSpec((), as_dtype(each)), types)
        )
        if any(spec.dtype not in _TYPES for spec in self.structure.components):
            raise invalid_argument(
                "Each element of `output_types_` must be one of: DT_STRING, DT_INT8, DT_INT16, "
                "DT_INT32, DT_INT64, DT_UINT8, DT_UINT16, DT_BOOL, DT_DOUBLE  [Op:SqlDataset] "
                "name: "
            )
        self.cardinality = UNKNOWN

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return self.texts

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        driver, file, query = (bytes(run.raw(each)[()]).decode() for each in self.texts)
        _check_driver(driver)
        return Counting(lambda: self._rows(file, query))

    def _rows(self, file: str, query: str) -> Iterator[Element]:
        with closing(_opened(file)) as connection:
            try:
                found = connection.execute(query)
                self._check(found)
                for row in found:
                    yield self._element(row, connection)
            except sqlite3.Error as error:
                raise UnknownError(None, None, f"Failed to execute query: {error}") from None

    def _check(self, found: sqlite3.Cursor) -> None:
        """Raises an error unless there is a column for each type."""
        columns = len(found.description or ())
        if columns != len(self.structure.components):
            raise invalid_argument(
                f"The number of columns in query ({columns}) must match the number of elements in "
                f"output_types ({len(self.structure.components)})."
            )

    def _element(self, row: tuple[Any, ...], connection: sqlite3.Connection) -> Element:
        def cast(value: Any, kind: str) -> Any:
            return connection.execute(f"SELECT CAST(? AS {kind})", (value,)).fetchone()[0]

        return [
            raw_of(_as_array(value, spec.dtype, cast))
            for value, spec in zip(row, self.structure.components, strict=True)
        ]


def _check_driver(name: str) -> None:
    if name != "sqlite":
        raise invalid_argument(
            f"The database type, {name}, is not supported by SqlDataset. The set of supported "
            "databases is: {'sqlite'}. [Op:SqlDataset] name: "
        )


def _opened(file: str) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(file)
    except sqlite3.Error as error:
        raise invalid_argument(f"Sqlite::Open({file}) failed: {error}") from None
    connection.text_factory = bytes
    return connection


def _as_array(value: TensorLike, dtype: DType, cast: Cast) -> Any:
    """A value of a row as a scalar of a type."""
    if dtype is dtypes.string:
        text = b"" if value is None else value if type(value) is bytes else cast(value, "TEXT")
        made = np.empty((), object)
        made[()] = text
        return made
    if dtype is dtypes.float64:
        real = 0.0 if value is None else value if type(value) is float else cast(value, "REAL")
        return np.array(real, np.float64)
    whole = 0 if value is None else value if type(value) is int else cast(value, "INTEGER")
    return np.array(whole, np.int64).astype(dtype.as_numpy_dtype)


class SqlDataset(Dataset):
    """The rows that a query finds in a database (`tf.data.experimental.SqlDataset`).

    Args:
        driver_name: "sqlite".
        data_source_name: the file.
        query: the query.
        output_types: the dtypes of the columns, in a structure: strings, float64, bool and
            integers but uint32 and uint64. What is not there (NULL) is 0, False or "".

    Raises:
        InvalidArgumentError: there is no such driver, a type is none of those; later, there is no
            such file, or the query finds more columns or fewer.
        UnknownError: later, the query cannot be run.
    """

    _shown = "SqlDatasetV2"

    def __init__(
        self, driver_name: TensorLike, data_source_name: TensorLike, query: TensorLike,
        output_types: Any,
    ) -> None:  # fmt: skip
        driver, file, text = (
            one_tensor(each, dtypes.string) for each in (driver_name, data_source_name, query)
        )
        if isinstance(driver, EagerTensor):
            _check_driver(driver.numpy().decode())
        self.node = _QueryRows(driver, file, text, output_types)
