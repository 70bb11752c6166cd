"""Rows of raw ops on tables."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch

from ..base import dtypes
from ..base.dtypes import DType, runtime_name
from ..base.errors import FailedPreconditionError, UnimplementedError, invalid_argument
from ..base.shapes import TensorShape
from ..ops.infer import Spec, nothing
from ..ops.lookup import table_ops as ops
from ..ops.lookup.table_ops import HashTable
from .rows import Row, kernel

Raw = np.ndarray[Any, Any] | torch.Tensor


class StaticTable(HashTable):
    """A table that is filled once, and says so if it is asked before."""

    def __init__(self, key_dtype: DType, value_dtype: DType) -> None:
        super().__init__(key_dtype, value_dtype, ())
        self.is_filled = False


def static_kernel(*, key_dtype: DType, value_dtype: DType) -> HashTable:
    """A new table that is filled once."""
    return StaticTable(key_dtype, value_dtype)


def mutable_kernel(*, key_dtype: DType, value_dtype: DType) -> HashTable:
    """A new table of numbers or strings."""
    return HashTable(key_dtype, value_dtype, ())


def of_tensors_kernel(
    *, key_dtype: DType, value_dtype: DType, value_shape: TensorShape
) -> HashTable:
    """A new table whose values are vectors."""
    if value_shape.rank is None or value_shape.rank > 1:
        raise invalid_argument(f"Default value must be a vector, got shape {value_shape}")
    return HashTable(key_dtype, value_dtype, tuple(value_shape.as_list()))


def dense_kernel(
    empty_key: Raw,
    deleted_key: Raw,
    *,
    value_dtype: DType,
    value_shape: TensorShape,
) -> HashTable:
    """A new table with two reserved keys."""
    shape = tuple(value_shape.as_list())
    return ops.dense_kernel(empty_key, deleted_key, value_dtype=value_dtype, value_shape=shape)


def _check(table: HashTable, keys: Raw, values: Raw | None = None) -> None:
    """Raises TensorFlow's errors for keys and values of other types, and for reserved keys."""
    if isinstance(table, StaticTable) and not table.is_filled and values is None:
        raise FailedPreconditionError(None, None, "Table not initialized.")
    for given, wanted in ((keys, table.key_dtype), (values, table.value_dtype)):
        if given is not None:
            is_text = isinstance(given, np.ndarray)
            got = dtypes.string if is_text else dtypes.as_dtype(given.dtype)
            if got is not wanted:
                raise invalid_argument(
                    f"Key must be type {runtime_name(wanted)} but got {runtime_name(got)}"
                )


def find_kernel(table_handle: HashTable, keys: Raw, default_value: Raw) -> Any:
    """The values of keys."""
    _check(table_handle, keys)
    if isinstance(default_value, torch.Tensor) != (table_handle.value_dtype is not dtypes.string):
        raise invalid_argument("The default value is of another type than the table's values.")
    return ops.find_kernel(table_handle, keys, default_value)


def insert_kernel(table_handle: HashTable, keys: Raw, values: Any) -> None:
    """Puts values in."""
    if isinstance(table_handle, StaticTable):
        raise UnimplementedError(None, None, "LookupTable insert is not implemented for HashTable.")
    _check(table_handle, keys, values)
    ops.insert_kernel(table_handle, keys, values)


def fill_kernel(table_handle: HashTable, keys: Raw, values: Any) -> None:
    """Fills a table that is filled once; a second time changes nothing."""
    _check(table_handle, keys, values)
    if not isinstance(table_handle, StaticTable):
        raise invalid_argument("Only a HashTable is initialized. Insert into others.")
    if not table_handle.is_filled:
        ops.import_kernel(table_handle, keys, values)
        table_handle.is_filled = True


def import_kernel(table_handle: HashTable, keys: Raw, values: Any) -> None:
    """Replaces all there is."""
    if isinstance(table_handle, StaticTable):
        raise UnimplementedError(None, None, "LookupTable import is not implemented for HashTable.")
    _check(table_handle, keys, values)
    with table_handle.lock:
        table_handle.items.clear()
    ops.insert_kernel(table_handle, keys, values)


def remove_kernel(table_handle: HashTable, keys: Any) -> None:
    """Takes keys out."""
    if isinstance(table_handle, StaticTable):
        raise UnimplementedError(None, None, "LookupTable remove is not implemented for HashTable.")
    _check(table_handle, keys)
    ops.remove_kernel(table_handle, keys)


def _is_resource(*specs: Spec, **attrs: Any) -> Spec:
    return Spec((), dtypes.resource)


def _found(table_handle: Spec, keys: Spec, default_value: Spec) -> Spec:
    known = keys.dims is not None and default_value.dims is not None and not default_value.dims
    return Spec(keys.dims if known else None, default_value.dtype)


def export_kernel(table_handle: HashTable, *, Tkeys: DType, Tvalues: DType) -> Any:  # noqa: N803
    """All keys and their values."""
    return ops.export_kernel(table_handle, Tkeys=Tkeys, Tvalues=Tvalues)


_on_host = functools.partial(kernel, on_host=True)
_NAMES = "container shared_name"


def _maker(run: Any, ignored: str = "") -> Row:
    return _on_host(run, _is_resource, ignored=ignored, makes_resource=True)


def _shared(run: Any, ignored: str = "use_node_name_sharing") -> Row:
    return _on_host(run, _is_resource, ignored=f"{ignored} {_NAMES}", makes_resource=True)


_BUCKETS = "initial_num_buckets max_load_factor"

ROWS: dict[str, Row] = {
    "AnonymousHashTable": _maker(static_kernel),
    "AnonymousMutableDenseHashTable": _maker(dense_kernel, _BUCKETS),
    "AnonymousMutableHashTable": _maker(mutable_kernel),
    "AnonymousMutableHashTableOfTensors": _maker(of_tensors_kernel),
    "HashTableV2": _shared(static_kernel),
    "InitializeTableV2": _on_host(fill_kernel, nothing),
    "LookupTableExportV2": _on_host(export_kernel, None),
    "LookupTableFindV2": _on_host(find_kernel, _found),
    "LookupTableImportV2": _on_host(import_kernel, nothing),
    "LookupTableInsertV2": _on_host(insert_kernel, nothing),
    "LookupTableRemoveV2": _on_host(remove_kernel, nothing),
    "LookupTableSizeV2": _on_host(ops.size_kernel, lambda table_handle: Spec((), dtypes.int64)),
    "MutableDenseHashTableV2": _shared(dense_kernel, f"use_node_name_sharing {_BUCKETS}"),
    "MutableHashTableOfTensorsV2": _shared(of_tensors_kernel),
    "MutableHashTableV2": _shared(mutable_kernel),
}
