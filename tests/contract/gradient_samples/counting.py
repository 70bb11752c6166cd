"""Samples of `ops/math/counting.py` and `ops/array/unique.py`."""

from __future__ import annotations

import numpy as np

from .makers import Sample, real

NUMBERS = np.array([0, 2, 2], np.int32)
REPEATED = np.array([1.5, -0.5, 1.5, 2.0])
ROWS = np.array([[1.5, 1.5], [0.5, 2.0], [1.5, 1.5]])

SAMPLES: dict[str, list[Sample]] = {
    "Bincount": [Sample((NUMBERS, np.int32(4), real(3)))],
    "DenseBincount": [
        Sample((NUMBERS, np.int32(2), real(3))),
        Sample((np.stack([NUMBERS, NUMBERS]), np.int32(3), real(2, 3))),
    ],
    "Unique": [Sample((REPEATED,))],
    "UniqueWithCounts": [Sample((REPEATED,))],
    "UniqueV2": [Sample((ROWS,), {"axis": (axis,)}) for axis in (0, 1)],
    "UniqueWithCountsV2": [Sample((ROWS,), {"axis": (axis,)}) for axis in (0, 1)],
    "ListDiff": [Sample((REPEATED, np.array([2.0])))],
}
