"""The training on Keras's JAX backend."""

from .backend import choose

choose("jax")

from .program import PARTS, ROWS, fit  # noqa: E402  # Keras asks for its backend once

__all__ = ["PARTS", "ROWS", "fit"]
