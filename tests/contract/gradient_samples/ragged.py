"""Samples of the ops over rows of ragged tensors."""

from __future__ import annotations

import numpy as np

from .makers import Sample, real

SPLITS = np.array([0, 2, 2, 5])
OUTER = np.array([0, 2, 3])

SAMPLES: dict[str, list[Sample]] = {
    "_ReduceRows": [
        Sample((real(*dims), SPLITS), {"how": how})
        for how in ("sum", "prod", "amax", "amin")
        for dims in ((5,), (5, 2))
    ],
    "RaggedTensorToTensor": [
        Sample((real(5), real(), SPLITS), {"shape": ()}),
        Sample((real(5, 2), real(2), SPLITS), {"shape": (None, 2, None)}),
        Sample((real(5), real(), OUTER, SPLITS), {"shape": (3, 2, 4)}),
    ],
}
