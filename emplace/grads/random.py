"""Gradients of `ops/random`: of numbers whose distribution has parameters, by those, where each
number keeps its place in the distribution (Figurnov and others, 2018). The rest have none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ..base import dtypes
from ..core.tensor import Tensor
from ..ops.array.making import ones_like
from ..ops.math.elementwise import cast, clip_by_value, exp, log, log1p, square
from ..ops.math.special import erfc
from ..ops.op import apply
from ..ops.random import distributions as d, seeds, stateful as r, stateless as s
from .rules import Recorded, gradient, not_differentiable, unbroadcast

not_differentiable(
    r.RANDOM_UNIFORM, r.RANDOM_NORMAL, r.TRUNCATED_NORMAL, r.RANDOM_UNIFORM_INT, r.RANDOM_SHUFFLE,
    r.MULTINOMIAL, r.RANDOM_POISSON,
    s.UNIFORM, s.NORMAL, s.TRUNCATED, s.FULL_INT, s.UNIFORM_INT, s.CATEGORICAL, s.SHUFFLE,
    *s.OF_SEED.values(), seeds.KEY_COUNTER,
    d.POISSON, d.BINOMIAL,
)  # fmt: skip


@gradient(d.GAMMA, r.RANDOM_GAMMA)
def gamma_grad(call: Recorded, dy: Tensor) -> Any:
    """Of gamma numbers, by alpha."""
    alpha, sample = call.inputs[0], call.outputs[0]
    wide = alpha.dtype if alpha.dtype in dtypes.WIDE else dtypes.float32
    slope = apply(d.GAMMA_GRAD, (cast(alpha, wide), cast(sample, wide)))
    return unbroadcast(dy * cast(slope, dy.dtype), alpha)


@gradient(d.GAMMA_GRAD)
def gamma_grad_grad(call: Recorded, dy: Tensor) -> NoReturn:
    """There is none, as in TensorFlow."""
    raise LookupError(f"gradient registry has no entry for: {call.op.name}")


def _normal(x: Tensor) -> Any:
    """The normal distribution function."""
    return 0.5 * erfc(-math.sqrt(0.5) * x)


@gradient(d.BOUNDED)
def bounded_grad(call: Recorded, dy: Tensor) -> Any:
    """Of normal numbers between two ends. TF: by the mean and the deviation as if the ends moved
    with them.
    """
    mean, stddev, low, high = call.inputs
    z, first, last = ((x - mean) / stddev for x in (call.outputs[0], low, high))
    below = _normal(first)
    place = (_normal(z) - below) / (_normal(last) - below)
    limits = np.finfo(mean.dtype.as_numpy_dtype)
    place = clip_by_value(place, float(limits.tiny), 1.0 - float(limits.eps))
    slopes: tuple[Callable[[], Any], ...] = (
        lambda: ones_like(z), lambda: z,
        lambda: exp(0.5 * (square(z) - square(first)) + log1p(-place)),
        lambda: exp(0.5 * (square(z) - square(last)) + log(place)),
    )  # fmt: skip
    return [
        unbroadcast(dy * slope(), x) if call.needs(i) else None
        for i, (x, slope) in enumerate(zip(call.inputs, slopes, strict=True))
    ]
