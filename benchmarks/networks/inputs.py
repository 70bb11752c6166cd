"""The weights and inputs of the networks, the same for every library."""

import numpy as np

SHAPES = {
    "conv1": (5, 5, 3, 64), "bias1": (64,), "conv2": (5, 5, 64, 64), "bias2": (64,),
    "dense3": (2304, 384), "bias3": (384,), "dense4": (384, 192), "bias4": (192,),
    "dense5": (192, 10), "bias5": (10,),
}  # fmt: skip
MLP_SHAPES = {
    "dense1": (784, 512), "bias1": (512,), "dense2": (512, 512), "bias2": (512,),
    "dense3": (512, 10), "bias3": (10,),
}  # fmt: skip
DECAY = 0.004
RADIUS, ALPHA, BETA = 4, 0.001 / 9, 0.75

_random = np.random.default_rng(0)


def _normal(*shape: int, deviation: float = 1.0) -> np.ndarray:
    return (_random.standard_normal(shape) * deviation).astype(np.float32)


WEIGHTS = {name: _normal(*shape, deviation=0.04) for name, shape in SHAPES.items()}
IMAGES = _normal(128, 24, 24, 3)
LABELS = _random.integers(0, 10, 128).astype(np.int32)
MLP_WEIGHTS = {name: _normal(*shape, deviation=0.04) for name, shape in MLP_SHAPES.items()}
DIGITS = _normal(128, 784)
