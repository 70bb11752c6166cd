"""Samples of `ops/math/statistics.py`."""

from __future__ import annotations

from .makers import Sample, reductions

SAMPLES: dict[str, list[Sample]] = {
    "EuclideanNorm": reductions(2, 3, 4),
    "_LogSumExp": reductions(2, 3, 4),
}
