"""How much data each model trains on, and what it looks like; made in memory."""

import numpy as np

# By model: the shape of an example, the examples of a batch, and the batches of an epoch.
SIZES = {
    "mlp": ((784,), 32, 100),
    "cnn": ((28, 28, 1), 128, 10),
    "lstm": ((32, 16), 32, 50),
    "transformer": ((32, 64), 32, 50),
}


def data(name):
    """Examples and their classes, one of ten."""
    shape, batch, steps = SIZES[name]
    random = np.random.default_rng(0)
    examples = random.normal(size=(batch * steps, *shape)).astype(np.float32)
    return examples, random.integers(0, 10, batch * steps)
