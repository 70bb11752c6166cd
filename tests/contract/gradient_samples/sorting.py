"""Samples of `ops/array/sorting.py`."""

from __future__ import annotations

import numpy as np

from .makers import Sample, real

PLACES = np.array([[2, 0], [1, 1], [0, 2]])

SAMPLES: dict[str, list[Sample]] = {
    "_Sort": [
        Sample((real(3, 4),), {"axis": axis, "descending": descending})
        for axis in (0, -1)
        for descending in (False, True)
    ],
    "_TakeAlongAxis": [Sample((real(3, 4), PLACES), {"axis": 1})],
    "_PutAlongAxis": [Sample((real(3, 2), PLACES), {"axis": 1, "size": 4})],
    "TopKV2": [Sample((real(3, 4),), {"k": k}) for k in (1, 3, 4)],
    "NthElement": [Sample((real(3, 4),), {"n": 1}), Sample((real(4),), {"n": 0, "reverse": True})],
}
