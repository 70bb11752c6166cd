"""Arguments that TF 1 knew under another name before."""

from __future__ import annotations

from typing import Any

from ...base.typing import TensorLike


def renamed(name: str, value: TensorLike | None, old_name: str, old: Any) -> Any:
    """An argument that may be given under its old name.

    Raises:
        ValueError: it is given under both names.
    """
    if old is None:
        return value
    if value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{name}'.")
    return old


def required(name: str, value: TensorLike | None) -> Any:
    """An argument that must be given, under its new or its old name.

    Raises:
        ValueError: it is not.
    """
    if value is None:
        raise ValueError(f"Argument `{name}` must be specified.")
    return value
