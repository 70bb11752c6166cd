"""The inputs of this suite as NumPy arrays, in three sizes, the same for every library."""

import numpy as np

from .cases import SIZES

# Rows of a matrix; batch, height and channels of images; matrices in a stack.
ROWS = dict(zip(SIZES, (4, 64, 1024), strict=True))
IMAGES = dict(zip(SIZES, ((1, 8, 4), (8, 24, 16), (16, 56, 64)), strict=True))
STACKS = dict(zip(SIZES, ((2, 4), (8, 32), (16, 128)), strict=True))
SOLVED = dict(zip(SIZES, (4, 32, 256), strict=True))


def inputs(size: str) -> dict[str, np.ndarray]:
    """The arrays by name; `cases.py` says what they are."""
    rng = np.random.default_rng(7)
    n, (batch, height, channels), (stack, m) = ROWS[size], IMAGES[size], STACKS[size]
    square = _floats(rng, SOLVED[size], SOLVED[size])
    x = _floats(rng, n, n)
    return {
        "x": x,
        "y": _floats(rng, n, n),
        "p": _floats(rng, n, n) / 2 + 1,
        "b": x[0].copy(),
        "i": rng.integers(1, 100, (n, n), dtype="int32"),
        "j": rng.integers(1, 100, (n, n), dtype="int32"),
        "k": rng.integers(0, n, n, dtype="int32"),
        "m": rng.random(n) < 0.5,
        "batch": _floats(rng, stack, m, m),
        "spd": square @ square.T + np.eye(len(square), dtype="float32"),
        "image": _floats(rng, batch, height, height, channels),
        "filter": _floats(rng, 3, 3, channels, channels),
        "taps": _floats(rng, 3, 3, channels, 1),
        "rgb": _floats(rng, batch, height, height, 3) / 2 + 0.5,
        "kept": np.where(rng.random((n, n)) < 0.1, x, 0).astype("float32"),
    }


def _floats(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.uniform(-1, 1, shape).astype("float32")
