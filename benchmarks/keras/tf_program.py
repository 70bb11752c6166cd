"""The training on Keras's TensorFlow backend; Emplace runs this same file."""

from .backend import choose

choose("tensorflow")

from .program import PARTS, ROWS, fit  # noqa: E402  # Keras asks for its backend once

__all__ = ["PARTS", "ROWS", "fit"]
