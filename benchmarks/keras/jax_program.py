"""The training on Keras's JAX backend."""

import os

os.environ["KERAS_BACKEND"] = "jax"

from .program import PARTS, ROWS, fit  # Keras asks for its backend once

__all__ = ["PARTS", "ROWS", "fit"]
