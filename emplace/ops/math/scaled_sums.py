"""Sums with multiples by a known number, which torch computes in one call: what plans make of them
(`graph/passes/scaled_sums.py`).
"""

from __future__ import annotations

import torch

from ...base import dtypes
from .. import infer
from ..op import op

_TYPES = (dtypes.float32, dtypes.float64)

#: x + alpha y.
SCALED_SUM = op(
    "_ScaledSum", "x: T, y: T -> z: T", torch.add, infer.broadcast, is_listed=False, T=_TYPES
)
#: x - alpha y.
SCALED_DIFFERENCE = op(
    "_ScaledDifference", "x: T, y: T -> z: T", torch.sub, infer.broadcast, is_listed=False, T=_TYPES
)
