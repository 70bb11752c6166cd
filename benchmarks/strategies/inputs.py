"""Weights and batches, the same for both libraries."""

import numpy as np

from ..networks.inputs import MLP_WEIGHTS, WEIGHTS

_random = np.random.default_rng(0)


def _normal(*shape: int, deviation: float = 1.0) -> np.ndarray:
    return (_random.standard_normal(shape) * deviation).astype(np.float32)


def _labels(count: int) -> np.ndarray:
    return _random.integers(0, 10, count).astype(np.int32)


_CNN = {"conv1": (3, 3, 1, 16), "bias1": (16,), "conv2": (3, 3, 16, 32), "bias2": (32,),
        "dense3": (32, 10), "bias3": (10,)}  # fmt: skip

# By the name of a step: weights, and a batch of examples and labels.
STEPS = {
    "step": ({"weight": np.ones((), np.float32)}, (_normal(4), _labels(4))),
    "cnn": (
        {name: _normal(*shape, deviation=0.1) for name, shape in _CNN.items()},
        (_normal(512, 8, 8, 1), _labels(512)),
    ),
    "mlp": (MLP_WEIGHTS, (_normal(512, 784), _labels(512))),
    "cifar10": (WEIGHTS, (_normal(128, 24, 24, 3), _labels(128))),
}

# Pictures and classes of an epoch of `fit`, as large as handwritten digits.
DIGITS_BATCH = 512
DIGITS = (_normal(12 * DIGITS_BATCH, 8, 8, 1), _labels(12 * DIGITS_BATCH))
