"""What all programs of this suite compute with."""

import numpy as np

STEPS, BATCH, UNITS = 200, 32, 32
_random = np.random.default_rng(0)
KERNEL = (_random.normal(size=(UNITS, 4 * UNITS)) * 0.1).astype(np.float32)
RECURRENT = (_random.normal(size=(UNITS, 4 * UNITS)) * 0.1).astype(np.float32)
BIAS = np.zeros(4 * UNITS, np.float32)
SEQUENCE = _random.normal(size=(STEPS, BATCH, UNITS)).astype(np.float32)
ROW = np.ones((4, 4), np.float32)
