"""Columns as dictionaries that can be saved, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.dtypes import DType, as_dtype
from ..scopes import initializers
from . import categorical, crossed, numeric, sequences, shared, tables, vocabulary
from .column import FeatureColumn

_KINDS: dict[str, type] = {
    kind.__name__: kind
    for room in (numeric, categorical, vocabulary, crossed, sequences, tables, shared)
    for kind in vars(room).values()
    if isinstance(kind, type) and issubclass(kind, FeatureColumn)
}


def serialize_feature_column(fc: Any) -> Any:
    """Returns a column as a dictionary (`tf.__internal__.feature_column.serialize_feature_column`).

    Args:
        fc: a column, or the key of a feature, which stays what it is.

    Raises:
        ValueError: it is neither.
    """
    if isinstance(fc, str):
        return fc
    if isinstance(fc, FeatureColumn):
        return {"class_name": type(fc).__name__, "config": fc.get_config()}
    raise ValueError(f"Instance: {fc} is not a FeatureColumn")


def deserialize_feature_column(
    config: Any,
    custom_objects: Mapping[str, Any] | None = None,
    columns_by_name: dict[str, Any] | None = None,
) -> Any:
    """Makes the column of a dictionary
    (`tf.__internal__.feature_column.deserialize_feature_column`).

    Args:
        config: what `serialize_feature_column` made.
        custom_objects: classes and functions by name, beside those that are known.
        columns_by_name: a dictionary that keeps columns, so that one saved twice is one object.

    Raises:
        ValueError: the dictionary is another, or a name is not known.
    """
    if isinstance(config, str):
        return config
    if not isinstance(config, Mapping) or not {"class_name", "config"} <= set(config):
        raise ValueError(f"Improper config format: {config}")
    known = {**_KINDS, **(custom_objects or {})}
    kind = known.get(config["class_name"])
    if kind is None:
        raise ValueError(f"Unknown feature_column: {config['class_name']}")
    if not (isinstance(kind, type) and issubclass(kind, FeatureColumn)):
        raise ValueError(f"Expected FeatureColumn class, instead found: {kind}")
    column = kind.from_config(config["config"], custom_objects, columns_by_name)
    if columns_by_name is None:
        return column
    return columns_by_name.setdefault(f"{type(column).__name__}:{column.name}", column)


def _config(self: Any) -> dict[str, Any]:
    """The fields, as what can be saved."""
    return {name: _plain(value) for name, value in zip(self._fields, self, strict=True)}


def _plain(value: object) -> Any:
    if isinstance(value, FeatureColumn):
        return serialize_feature_column(value)
    if isinstance(value, DType):
        return value.name
    if isinstance(value, tuple) and any(isinstance(each, FeatureColumn) for each in value):
        return tuple(map(serialize_feature_column, value))
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    return getattr(value, "__name__", value) if callable(value) else value


def _from_config(
    cls: Any,
    config: Mapping[str, Any],
    custom_objects: Mapping[str, Any] | None = None,
    columns_by_name: dict[str, Any] | None = None,
) -> Any:
    """Makes the column with some fields.

    Args:
        config: what `get_config` returned.
        custom_objects: functions and classes by name, beside those that are known.
        columns_by_name: columns that exist, by name.
    """
    column = lambda value: deserialize_feature_column(value, custom_objects, columns_by_name)  # noqa: E731
    read: dict[str, Any] = {
        "categorical_column": column, "source_column": column,
        "keys": lambda values: tuple(map(column, values)),
        "dtype": as_dtype, "shape": tuple, "boundaries": tuple, "vocabulary_list": tuple,
        "normalizer_fn": lambda value: _named(value, custom_objects),
        "initializer": lambda value: _named(value, custom_objects),
    }  # fmt: skip
    return cls(**{name: read.get(name, _same)(value) for name, value in config.items()})


def _same(value: object) -> Any:
    return value


def _named(value: object, custom_objects: Mapping[str, Any] | None) -> object:
    """The function of a name, or the initializer of a dictionary."""
    known: dict[str, Any] = {**vars(initializers), **(custom_objects or {})}
    if isinstance(value, str):
        if value not in known:
            raise ValueError(f"Unknown object: {value}")
        return known[value]
    if isinstance(value, Mapping):
        kind = known.get(value["class_name"])
        if kind is None:
            raise ValueError(f"Unknown initializer: {value['class_name']}")
        return kind(**value["config"])
    return value


FeatureColumn.get_config = _config  # type: ignore[method-assign]
FeatureColumn.from_config = classmethod(_from_config)  # type: ignore[method-assign, assignment]
