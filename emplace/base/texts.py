"""Texts and bytes (`tf.compat.as_text` and its kin)."""

from __future__ import annotations

import os
from typing import Any

from .typing import PathLike


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """A text as bytes (`tf.compat.as_bytes`).

    Raises:
        TypeError: it is neither text nor bytes.

    >>> as_bytes("ab")
    b'ab'
    """
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text)
    return _checked(bytes_or_text).encode(encoding)


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Bytes as a text (`tf.compat.as_text`, `tf.compat.as_str`).

    Raises:
        TypeError: it is neither text nor bytes.

    >>> as_text(b"ab")
    'ab'
    """
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text).decode(encoding)
    return _checked(bytes_or_text)


def _checked(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"Expected binary or unicode string, got {value!r}")
    return value


def as_str_any(value: object, encoding: str = "utf-8") -> str:
    """Bytes decoded, anything else as `str` makes it (`tf.compat.as_str_any`).

    >>> as_str_any(3)
    '3'
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: PathLike) -> Any:
    """A path as a text; what is no path as it is (`tf.compat.path_to_str`)."""
    return as_str_any(os.fspath(path)) if hasattr(path, "__fspath__") else path


bytes_or_text_types = (bytes, str)
