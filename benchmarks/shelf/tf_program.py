"""The networks on Keras's TensorFlow backend; Emplace runs this same file."""

from benchmarks.keras.backend import choose

choose("tensorflow")

from .program import ROWS, first_step, predict, train  # noqa: E402  # Keras asks for its backend once

__all__ = ["ROWS", "first_step", "predict", "train"]
