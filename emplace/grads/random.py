"""Gradients of `ops/random`: there are none."""

from __future__ import annotations

from ..ops.random import distributions as d
from ..ops.random import stateful as r
from ..ops.random import stateless as s
from .rules import not_differentiable

not_differentiable(
    r.RANDOM_UNIFORM, r.RANDOM_NORMAL, r.TRUNCATED_NORMAL, r.RANDOM_UNIFORM_INT, r.RANDOM_SHUFFLE,
    r.MULTINOMIAL, r.RANDOM_GAMMA, r.RANDOM_POISSON,
    s.UNIFORM, s.NORMAL, s.TRUNCATED, s.FULL_INT, s.UNIFORM_INT, s.CATEGORICAL, s.SHUFFLE,
    s.KEY_COUNTER,
    d.GAMMA, d.POISSON, d.BINOMIAL, d.BOUNDED,
)  # fmt: skip
