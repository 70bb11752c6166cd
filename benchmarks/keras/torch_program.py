"""The training on Keras's torch backend."""

from .backend import choose

choose("torch")

from .program import PARTS, ROWS, fit  # noqa: E402  # Keras asks for its backend once

__all__ = ["PARTS", "ROWS", "fit"]
