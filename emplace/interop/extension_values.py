"""Extension types as plain values (`tf.experimental.extension_type`)."""

from __future__ import annotations

from typing import Any

from ..ops.extension.types import ExtensionType


def as_dict(value: ExtensionType) -> dict[str, Any]:
    """Returns the fields of an object of an extension type
    (`tf.experimental.extension_type.as_dict`).
    """
    return {name: getattr(value, name) for name in type(value)._fields()}
