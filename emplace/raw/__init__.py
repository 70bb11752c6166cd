"""`tf.raw_ops`: what is in the registry, what a table adds to it, and what refuses by its name.

The table and TensorFlow's definitions are loaded when a program asks for the first raw op.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


def raw_attribute(name: str) -> Callable[..., Any]:
    """`tf.raw_ops.<name>`, as a module looks it up.

    Raises:
        AttributeError: TensorFlow has no such op.
    """
    if name.startswith("__"):
        raise AttributeError(f"module 'tensorflow.raw_ops' has no attribute {name!r}")
    found: Callable[..., Any] = importlib.import_module(".lookup", __name__).raw_attribute(name)
    return found


def raw_names() -> list[str]:
    """The names of the raw ops that compute something; the others are there as well, and refuse."""
    return list(importlib.import_module(".lookup", __name__).raw_names())
