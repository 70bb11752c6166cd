"""The networks on Keras's torch backend."""

from benchmarks.keras.backend import choose

choose("torch")

from .program import ROWS, first_step, predict, train  # noqa: E402  # Keras asks for its backend once

__all__ = ["ROWS", "first_step", "predict", "train"]
