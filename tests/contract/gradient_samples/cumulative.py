"""Samples of `ops/math/cumulative.py`."""

from __future__ import annotations

from .makers import Sample, real

SCANS = [
    Sample((real(2, 4),), {"axis": axis, "exclusive": exclusive, "reverse": reverse})
    for axis in (0, -1)
    for exclusive in (False, True)
    for reverse in (False, True)
]
# An exclusive log-sum-exp begins with -inf, whose gradient cannot be weighed at random.
INCLUSIVE = [
    Sample((real(2, 4),), {"axis": axis, "reverse": reverse})
    for axis in (0, -1)
    for reverse in (False, True)
]

SAMPLES: dict[str, list[Sample]] = {
    "Cumsum": SCANS,
    "Cumprod": SCANS,
    "CumulativeLogsumexp": INCLUSIVE,
}
