"""`ops/sampling`: what is drawn has no gradients."""

from __future__ import annotations

from ..ops.sampling import candidates as c
from .rules import not_differentiable

not_differentiable(
    c.UNIFORM, c.LOG_UNIFORM, c.LEARNED, c.LEARNED_ALONE, c.FIXED, c.ALL, c.HITS
)  # fmt: skip
