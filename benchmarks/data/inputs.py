"""Images and labels, the same for every library."""

import numpy as np

WORKERS = 2
BATCH = 128

_random = np.random.default_rng(0)

IMAGES = _random.integers(0, 256, (100_000, 28, 28), dtype=np.uint8)
LABELS = _random.integers(0, 10, 100_000)
