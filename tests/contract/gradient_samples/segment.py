"""Samples of `ops/math/segment.py`."""

from __future__ import annotations

import numpy as np

from .makers import Sample, real

SORTED = [
    Sample((real(5, 2), np.array([0, 0, 1, 3, 3]))),
    Sample((real(3), np.array([0, 1, 1], np.int32))),
]
UNSORTED = [
    Sample((real(5, 2), np.array([3, 0, 1, 3, 0])), {"num_segments": 4}),
    Sample((real(4), np.array([1, -1, 1, 0], np.int32)), {"num_segments": 3}),
    Sample((real(2, 2, 3), np.array([[0, 2], [2, -1]])), {"num_segments": 3}),
]
PICKED = [Sample((real(4, 2), np.array([0, 3, 3]), np.array([0, 0, 2])))]
PICKED_INTO = [Sample(sample.inputs, {"num_segments": 4}) for sample in PICKED]

SAMPLES: dict[str, list[Sample]] = {
    **{f"Segment{name}": SORTED for name in ("Sum", "Mean", "Prod", "Max", "Min")},
    **{f"UnsortedSegment{name}": UNSORTED for name in ("Sum", "Prod", "Max", "Min")},
    **{f"SparseSegment{name}": PICKED for name in ("Sum", "Mean", "SqrtN")},
    **{f"SparseSegment{name}WithNumSegments": PICKED_INTO for name in ("Sum", "Mean", "SqrtN")},
}
