"""What the columns check of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...base import nest
from ...base.dtypes import DType, as_dtype
from ...base.typing import DTypeLike


def key_of(key: object) -> str:
    """The name of a feature.

    Raises:
        ValueError: it is no text.
    """
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")
    return key


def texts_or_integers(dtype: DTypeLike, who: str) -> DType:
    """The dtype of a feature of categories.

    Raises:
        ValueError: it is neither string nor an integer.
    """
    found = as_dtype(dtype)
    if found.name != "string" and not found.is_integer:
        raise ValueError(f"{who} dtype must be string or integer. dtype: {found}.")
    return found


def numbers(dtype: DTypeLike, key: str) -> DType:
    """The dtype of a feature of numbers.

    Raises:
        ValueError: it is no real number.
    """
    found = as_dtype(dtype)
    if not (found.is_integer or found.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {found}, key: {key}")
    return found


def sizes_of_feature(shape: Any, key: str) -> tuple[int, ...]:
    """The shape of a feature, without the batch.

    Raises:
        TypeError: a size is no integer.
        ValueError: a size is below 1.
    """
    sizes = tuple(shape) if nest.is_nested(shape) or hasattr(shape, "__iter__") else (shape,)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"shape dimensions must be integer. shape: {sizes}, key: {key}")
        if size < 1:
            raise ValueError(f"shape dimensions must be greater than 0. shape: {sizes}, key: {key}")
    return sizes


def default_of(shape: Sequence[int], value: Any, dtype: DType, key: str) -> Any:
    """What stands for a feature that an example lacks: nested tuples of the feature's shape.

    Raises:
        TypeError: values do not fit the dtype.
        ValueError: their shape is not the feature's.
    """
    if value is None:
        return None
    if isinstance(value, int) or (isinstance(value, float) and dtype.is_floating):
        return _filled(shape, value)
    if callable(getattr(value, "tolist", None)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        if not _has_shape(value, shape):
            raise ValueError(
                "The shape of default_value must be equal to given shape. "
                f"default_value: {value}, shape: {shape}, key: {key}"
            )
        found = nest.flatten(value)
        is_whole = all(isinstance(each, int) for each in found)
        if is_whole or (dtype.is_floating and any(isinstance(each, float) for each in found)):
            return _as_tuples(value)
    raise TypeError(
        "default_value must be compatible with dtype. "
        f"default_value: {value}, dtype: {dtype}, key: {key}"
    )


def _filled(shape: Sequence[int], value: Any) -> Any:
    return tuple(_filled(shape[1:], value) for _ in range(shape[0])) if shape else value


def _has_shape(value: Any, shape: Sequence[int]) -> bool:
    if not isinstance(value, (list, tuple)) or not shape:
        return not isinstance(value, (list, tuple)) and not shape
    return len(value) == shape[0] and all(_has_shape(each, shape[1:]) for each in value)


def _as_tuples(value: Any) -> Any:
    return tuple(map(_as_tuples, value)) if isinstance(value, (list, tuple)) else value


def callable_or_none(function: Any) -> Callable[..., Any] | None:
    """What is done to a feature before it is used.

    Raises:
        TypeError: it cannot be called.
    """
    if function is not None and not callable(function):
        raise TypeError(f"normalizer_fn must be a callable. Given: {function}")
    return function  # type: ignore[no-any-return]


def table_arguments(
    dimension: Any, ckpt_to_load_from: Any, tensor_name_in_ckpt: Any, initializer: Any, who: str
) -> None:
    """What columns with a table of their own are given.

    Raises:
        ValueError: rows have no size, half of a place in a checkpoint is given, or the
            initializer is no function.
    """
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError(
            "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them."
        )
    if initializer is not None and not callable(initializer):
        raise ValueError(f"initializer must be callable if specified.{who}")
