"""The ops on tables: the raw value of a table's resource is a `HashTable`, on the CPU."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.errors import FailedPreconditionError, invalid_argument
from ...base.shapes import runtime_text
from ..infer import Spec, nothing
from ..op import CPU_ONLY, op


class HashTable:
    """A dictionary from Python keys to Python values, or to lists where values are vectors."""

    shape = ()

    def __init__(self, key_dtype: DType, value_dtype: DType, value_shape: tuple[int, ...]) -> None:
        self.key_dtype = key_dtype
        self.value_dtype = value_dtype
        self.value_shape = value_shape
        self.is_filled = True  # False for one that an initializer has yet to fill
        self.items: dict[Any, Any] = {}
        self.lock = threading.Lock()

    def names(self, keys: object) -> list[Any]:
        """Keys as they are in the dictionary."""
        return listed(keys)

    def outer(self, keys: Any) -> tuple[int, ...]:
        """The shape of a tensor of keys, each of which counts as one."""
        return tuple(keys.shape)

    def raw(self, values: list[Any], dtype: DType, shape: tuple[int, ...]) -> Any:
        """Python values as the raw value of a tensor."""
        if dtype is dtypes.string:
            return np.array(values, object).reshape(shape)
        return torch.tensor(values, dtype=dtype._torch).reshape(shape)


class DenseTable(HashTable):
    """A table with two keys that nobody may use. Keys may be vectors."""

    def __init__(
        self,
        key_dtype: DType,
        value_dtype: DType,
        value_shape: tuple[int, ...],
        empty_key: Any,
        deleted_key: Any,
    ) -> None:
        super().__init__(key_dtype, value_dtype, value_shape)
        self.key_shape = tuple(empty_key.shape)
        ((self.empty,), (self.deleted,)) = self._names(empty_key), self._names(deleted_key)
        if self.empty == self.deleted:
            raise invalid_argument("Empty and deleted keys cannot be equal")
        self._reserved = {self.empty: "empty_key", self.deleted: "deleted_key"}

    def _names(self, keys: object) -> list[Any]:
        found = listed(keys, len(self.key_shape))
        return list(map(tuple, found)) if self.key_shape else found

    def names(self, keys: Any) -> list[Any]:
        """Keys as they are in the dictionary.

        Raises:
            InvalidArgumentError: they are of another shape, or nobody may use one.
        """
        self._check_shape(tuple(keys.shape))
        found = self._names(keys)
        for key in found:
            if key in self._reserved:
                raise invalid_argument(
                    f"Using the {self._reserved[key]} as a table key is not allowed"
                )
        return found

    def _check_shape(self, given: tuple[int, ...]) -> None:
        """Raises InvalidArgumentError unless it is the shape of a row of keys."""
        outer = len(given) - len(self.key_shape)
        if outer < 0 or given[outer:] != self.key_shape:
            raise invalid_argument(
                f"Input key shape {runtime_text(given)} must end with the table's key shape "
                f"{runtime_text(self.key_shape)}"
            )
        row = (given[0] if given else 1, *self.key_shape)
        if math.prod(row) != math.prod(given):
            raise invalid_argument(
                f"Expected key shape {runtime_text(row)} got {runtime_text(given)}"
            )

    def outer(self, keys: Any) -> tuple[int, ...]:
        """The shape of a tensor of keys, each of which counts as one."""
        return tuple(keys.shape)[: len(keys.shape) - len(self.key_shape)]

    def unreserved(self, keys: Any, values: Any) -> tuple[Any, Any]:
        """Those of keys and values that a table holds: not the ones that stand for no key."""
        kept = [key not in self._reserved for key in self._names(keys)]
        return keys[np.array(kept, bool)], values[np.array(kept, bool)]


def listed(raw: Any, inner: int = 0) -> list[Any]:
    """The keys of a raw value, or its values whose last `inner` axes make one value."""
    rest = raw.shape[len(raw.shape) - inner :]
    values: list[Any] = raw.reshape((-1, *rest)).tolist()
    return values


def table_kernel(
    *, key_dtype: DType, value_dtype: DType, value_shape: tuple[int, ...] = (),
    shared_name: str = "",
) -> HashTable:  # fmt: skip
    """A new table."""
    if len(value_shape) > 1:
        raise invalid_argument(
            f"Default value must be a vector, got shape {runtime_text(value_shape)}"
        )
    return HashTable(key_dtype, value_dtype, value_shape)


def static_table_kernel(
    *, key_dtype: DType, value_dtype: DType, value_shape: tuple[int, ...] = (),
    shared_name: str = "",
) -> HashTable:  # fmt: skip
    """A new table that is filled once, and says so if it is asked before."""
    table = HashTable(key_dtype, value_dtype, value_shape)
    table.is_filled = False
    return table


def check_filled(table: HashTable) -> None:
    """Refuses a table that nobody has filled.

    Raises:
        FailedPreconditionError: in a session, `tables_initializer` has not run.
    """
    if not table.is_filled:
        raise FailedPreconditionError(None, None, "Table not initialized.")


def reserving_table_kernel(
    *, key_dtype: DType, value_dtype: DType, value_shape: tuple[int, ...],
    empty_key: tuple[Any, ...], deleted_key: tuple[Any, ...], num_buckets: int = 4,
    shared_name: str = "",
) -> HashTable:  # fmt: skip
    """`dense_kernel` for two keys that are known when the program is written."""
    dtype = object if key_dtype is dtypes.string else key_dtype.as_numpy_dtype
    keys = [np.array(values, dtype).reshape(shape) for values, shape in (empty_key, deleted_key)]
    return dense_kernel(
        *keys, value_dtype=value_dtype, value_shape=value_shape, num_buckets=num_buckets
    )


def dense_kernel(
    empty_key: Any, deleted_key: Any, *, value_dtype: DType, value_shape: tuple[int, ...],
    num_buckets: int = 4,
) -> HashTable:  # fmt: skip
    """A new table with two reserved keys."""
    if num_buckets < 4 or num_buckets & (num_buckets - 1):
        raise invalid_argument(
            f"Number of buckets must be at least 4 and a power of 2, got: {num_buckets}"
        )
    if empty_key.ndim > 1:
        raise invalid_argument(
            f"Empty key must be a scalar or a vector, got shape {runtime_text(empty_key.shape)}"
        )
    if tuple(empty_key.shape) != tuple(deleted_key.shape):
        raise invalid_argument(
            "Empty and deleted keys must have same shape, got shapes: "
            f"{runtime_text(empty_key.shape)} and {runtime_text(deleted_key.shape)}"
        )
    if len(value_shape) > 1:
        raise invalid_argument(
            f"Empty value must be a scalar or a vector, got shape {runtime_text(value_shape)}"
        )
    is_text = isinstance(empty_key, np.ndarray)
    key_dtype = dtypes.string if is_text else dtypes.as_dtype(empty_key.dtype)
    return DenseTable(key_dtype, value_dtype, value_shape, empty_key, deleted_key)


def find_kernel(
    table_handle: HashTable,
    keys: np.ndarray[Any, Any] | torch.Tensor,
    default_value: np.ndarray[Any, Any] | torch.Tensor,
) -> Any:
    """The values of keys; `default_value`, or its rows, where there is none."""
    check_filled(table_handle)
    width = len(table_handle.value_shape)
    get, names = table_handle.items.get, table_handle.names(keys)
    shape = (*table_handle.outer(keys), *table_handle.value_shape)
    if tuple(default_value.shape) not in (table_handle.value_shape, shape):
        raise invalid_argument(
            f"Expected shape {runtime_text(table_handle.value_shape)} or {runtime_text(shape)} "
            f"for default value, got {runtime_text(default_value.shape)}"
        )
    if default_value.ndim > width:
        pairs = zip(names, listed(default_value, width), strict=True)
        found = [get(name, default) for name, default in pairs]
    else:
        default = default_value.tolist()
        found = [get(name, default) for name in names]
    return table_handle.raw(found, table_handle.value_dtype, shape)


def insert_kernel(
    table_handle: HashTable, keys: np.ndarray[Any, Any] | torch.Tensor, values: torch.Tensor
) -> None:
    """Puts values in, in the place of those that are there."""
    with table_handle.lock:
        table_handle.items.update(_pairs(table_handle, keys, values))


def import_kernel(
    table_handle: HashTable,
    keys: np.ndarray[Any, Any] | torch.Tensor,
    values: np.ndarray[Any, Any] | torch.Tensor,
) -> None:
    """Fills an empty table whose keys may not be given two values."""
    made: dict[Any, Any] = {}
    if isinstance(table_handle, DenseTable):
        keys, values = table_handle.unreserved(keys, values)
    for key, value in _pairs(table_handle, keys, values):
        if made.setdefault(key, value) != value:
            raise FailedPreconditionError(
                None,
                None,
                f"HashTable has different value for same key. Key {_shown(key)} has "
                f"{_shown(made[key])} and trying to add value {_shown(value)}",
            )
    with table_handle.lock:
        table_handle.items, table_handle.is_filled = made, True


def _shown(value: bytes | int) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _pairs(
    table: HashTable,
    keys: np.ndarray[Any, Any] | torch.Tensor,
    values: np.ndarray[Any, Any] | torch.Tensor,
) -> Any:
    names = table.names(keys)
    wanted = (*table.outer(keys), *table.value_shape)
    if tuple(values.shape) != wanted:
        raise invalid_argument(
            f"Expected shape {runtime_text(wanted)} for value, got {runtime_text(values.shape)}"
        )
    return zip(names, listed(values, len(table.value_shape)), strict=True)


def remove_kernel(table_handle: HashTable, keys: np.ndarray[Any, Any]) -> None:
    """Takes keys out; those that are not there do not matter."""
    with table_handle.lock:
        for key in table_handle.names(keys):
            table_handle.items.pop(key, None)


def size_kernel(table_handle: HashTable) -> torch.Tensor:
    """The number of keys."""
    return torch.tensor(len(table_handle.items), dtype=torch.int64)


def export_kernel(
    table_handle: HashTable,
    *,
    Tkeys: DType,  # noqa: N803  # raw op's name
    Tvalues: DType,  # noqa: N803  # raw op's name
) -> tuple[Any, Any]:
    """All keys and their values."""
    with table_handle.lock:
        keys, values = list(table_handle.items), list(table_handle.items.values())
    shape = (len(keys), *table_handle.value_shape)
    key_shape = table_handle.key_shape if isinstance(table_handle, DenseTable) else ()
    return (
        table_handle.raw(keys, Tkeys, (len(keys), *key_shape)),
        table_handle.raw(values, Tvalues, shape),
    )


def _find_spec(table_handle: Spec, keys: Spec, default_value: Spec) -> Spec:
    known = keys.dims is not None and default_value.dims is not None and not default_value.dims
    return Spec(keys.dims if known else None, default_value.dtype)


def _size_spec(table_handle: Spec) -> Spec:
    return Spec((), dtypes.int64)


def _table_spec(**attrs: Any) -> Spec:
    return Spec((), dtypes.resource)


_OPTIONS: dict[str, Any] = {"device_types": CPU_ONLY, "stateful": True}

_KEPT = {**_OPTIONS, "is_session_resource": True}  # by a session, between its runs
HASH_TABLE = op(
    "HashTableV2", "-> table_handle: resource", static_table_kernel, _table_spec, **_KEPT
)
MUTABLE_TABLE = op(
    "MutableHashTableV2", "-> table_handle: resource", table_kernel, _table_spec,
    is_listed=False, **_KEPT,
)  # fmt: skip
RESERVING_TABLE = op(
    "MutableDenseHashTableV2", "-> table_handle: resource", reserving_table_kernel, _table_spec,
    is_listed=False, **_KEPT,
)  # fmt: skip
FIND = op(
    "LookupTableFindV2",
    "table_handle: resource, keys: Tin, default_value: Tout -> values: Tout",
    find_kernel, _find_spec, Tin=dtypes.ANY, Tout=dtypes.ANY, **_OPTIONS,
)  # fmt: skip
DENSE_TABLE = op(
    "MutableDenseHashTableV2", "empty_key: K, deleted_key: K -> table_handle: resource",
    dense_kernel, lambda *inputs, **attrs: Spec((), dtypes.resource), K=dtypes.ANY,
    is_listed=False, **_OPTIONS,
)  # fmt: skip
INSERT = op(
    "LookupTableInsertV2", "table_handle: resource, keys: Tin, values: Tout ->",
    insert_kernel, nothing, Tin=dtypes.ANY, Tout=dtypes.ANY, **_OPTIONS,
)  # fmt: skip
IMPORT = op(
    "LookupTableImportV2", "table_handle: resource, keys: Tin, values: Tout ->",
    import_kernel, nothing, Tin=dtypes.ANY, Tout=dtypes.ANY, **_OPTIONS,
)  # fmt: skip
REMOVE = op(
    "LookupTableRemoveV2", "table_handle: resource, keys: Tin ->", remove_kernel, nothing,
    Tin=dtypes.ANY, **_OPTIONS,
)  # fmt: skip
SIZE = op(
    "LookupTableSizeV2", "table_handle: resource -> size: int64", size_kernel, _size_spec,
    **_OPTIONS,
)  # fmt: skip
EXPORT = op(
    "LookupTableExportV2", "table_handle: resource -> keys: Tkeys, values: Tvalues",
    export_kernel, None, **_OPTIONS,
)  # fmt: skip
