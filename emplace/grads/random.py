"""Gradients of `ops/random.py`: there are none."""

from __future__ import annotations

from ..ops import random as r
from .rules import not_differentiable

not_differentiable(r.RANDOM_UNIFORM, r.RANDOM_NORMAL, r.RANDOM_UNIFORM_INT, r.RANDOM_SHUFFLE)
