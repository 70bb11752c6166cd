"""The training on Keras's torch backend."""

import os

os.environ["KERAS_BACKEND"] = "torch"

from .program import PARTS, ROWS, fit  # Keras asks for its backend once

__all__ = ["PARTS", "ROWS", "fit"]
