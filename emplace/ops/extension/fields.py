"""The fields of extension types: which annotations there are, and how values fit them."""

from __future__ import annotations

import collections.abc
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from ...base.dtypes import DType, as_dtype
from ...base.shapes import TensorShape
from ...base.typing import TensorLike
from ...core.composite import CompositeTensor
from ...core.tensor import Tensor
from ...core.type_spec import TypeSpec
from ..convert import to_tensor

VALUE, SPEC, DEFAULT = "value", "spec", "default"  # what a field is asked for

_PLAIN = (int, float, str, bytes, bool, type(None))
_TUPLES = (tuple, collections.abc.Sequence)
_MAPPINGS = (dict, collections.abc.Mapping)
_UNIONS = (typing.Union, types.UnionType)


class ImmutableDict(Mapping[Any, Any]):
    """A mapping that stays as it is: a field that was given a dict."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._items = dict(*args, **kwargs)

    def __getitem__(self, key: TensorLike) -> Any:
        return self._items[key]

    def __iter__(self) -> Any:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(tuple(sorted(self._items.items())))

    def __repr__(self) -> str:
        return f"ImmutableDict({self._items})"


def check_annotation(name: str, annotation: object) -> None:
    """Raises TypeError unless fields may have this annotation."""
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (*_UNIONS, *_TUPLES, *_MAPPINGS):
        for part in parts:
            if part is not Ellipsis:
                check_annotation(name, part)
        return
    if annotation is None or annotation in _PLAIN or annotation in (TensorShape, DType):
        return
    if isinstance(annotation, type) and issubclass(annotation, (Tensor, CompositeTensor)):
        return
    shown = getattr(annotation, "__name__", annotation)
    raise TypeError(f"In field {name!r}: Unsupported type annotation {shown!r}")


def fitted(value: Any, annotation: Any, path: str, role: str) -> Any:
    """A value as a field takes it.

    Args:
        value: for the field.
        annotation: of the field.
        path: what errors call it.
        role: VALUE; SPEC, where specs stand for tensors; DEFAULT, where tensors are not made yet.

    Raises:
        TypeError: it does not fit the annotation.
    """
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in _UNIONS:
        return _one_of(value, annotation, parts, path, role)
    if origin in _TUPLES:
        return _tuple(value, parts, path, role)
    if origin in _MAPPINGS:
        return _mapping(value, parts, path, role)
    if annotation is TensorShape:
        return TensorShape(value)
    if annotation is DType:
        return as_dtype(value)
    kind = type(None) if annotation is None else annotation
    if issubclass(kind, (Tensor, CompositeTensor)):
        return _tensor(value, kind, path, role)
    if isinstance(value, kind) and (kind is not int or not isinstance(value, bool)):
        return value
    raise TypeError(f"{path}: expected {kind.__name__!r}, got {type(value).__name__!r}")


def _tensor(value: Tensor, kind: Any, path: str, role: str) -> Any:
    if role == SPEC:
        if isinstance(value, TypeSpec):
            return value
    elif role == DEFAULT and kind is Tensor:
        return value  # a tensor is made of it when a value is
    elif kind is not Tensor:
        if isinstance(value, kind):
            return value
    else:
        try:
            return to_tensor(value)
        except (TypeError, ValueError):
            pass
    what = f"a {kind.__name__}" if kind is Tensor else repr(kind.__name__)
    raise TypeError(
        f"{path}: expected {what}{' spec' if role == SPEC else ''}, got {type(value).__name__!r}"
    )


def _one_of(value: TensorLike, annotation: Any, parts: Any, path: str, role: str) -> Any:
    # What fits as it is comes first: a tensor can be made of many things.
    exact = [each for each in parts if isinstance(each, type) and type(value) is each]
    for each in (*exact, *parts):
        try:
            return fitted(value, each, path, role)
        except TypeError:
            continue
    raise TypeError(f"{path}: expected {annotation}, got {type(value).__name__!r}")


def _tuple(value: TensorLike, parts: Any, path: str, role: str) -> Any:
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{path}: expected tuple, got {type(value).__name__!r}")
    kinds = [parts[0]] * len(value) if len(parts) == 1 or parts[-1] is Ellipsis else list(parts)
    if len(kinds) != len(value):
        raise TypeError(f"{path}: expected tuple with length {len(kinds)}, got {value!r}")
    pairs = enumerate(zip(value, kinds, strict=True))
    return tuple(fitted(each, kind, f"{path}[{i}]", role) for i, (each, kind) in pairs)


def _mapping(value: Any, parts: Any, path: str, role: str) -> Any:
    if not isinstance(value, Mapping):
        raise TypeError(f"{path}: expected mapping, got {type(value).__name__!r}")
    keys, values = parts
    return ImmutableDict(
        {
            fitted(key, keys, f"{path}.keys()[{i}]", role): fitted(
                value[key], values, f"{path}[{key!r}]", role
            )
            for i, key in enumerate(value)
        }
    )


def changed(value: Any, change: Callable[[Any], Any]) -> Any:
    """A field with `change` applied to what it holds, in the order of its tensors."""
    if isinstance(value, tuple):
        return tuple(changed(each, change) for each in value)
    if isinstance(value, ImmutableDict):
        made = {key: changed(value[key], change) for key in sorted(value)}
        return ImmutableDict({key: made[key] for key in value})
    return change(value)
