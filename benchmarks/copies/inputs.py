"""How much is copied, in bytes by the name of a row."""

import numpy as np

SIZES = {"4 KiB": 1 << 12, "1 MiB": 1 << 20, "16 MiB": 1 << 24, "256 MiB": 1 << 28}
ARRAYS = {size: np.ones(nbytes // 4, np.float32) for size, nbytes in SIZES.items()}
