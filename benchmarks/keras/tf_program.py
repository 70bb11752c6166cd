"""The training on Keras's TensorFlow backend; Emplace runs this same file."""

import os

os.environ["KERAS_BACKEND"] = "tensorflow"

from .program import PARTS, ROWS, fit  # Keras asks for its backend once

__all__ = ["PARTS", "ROWS", "fit"]
