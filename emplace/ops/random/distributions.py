"""Distributions whose numbers torch draws, from a generator made of the seed: gamma, Poisson,
binomial; and normal numbers between two ends.

The same seed gives the same numbers on every device, but not TensorFlow's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.errors import invalid_argument
from ...core.later import Later
from ..convert import pair, to_tensor
from ..infer import Spec
from ..math.elementwise import add, cast, multiply
from ..op import apply, op
from . import draws
from .stateless import Key, check_floating, seeded, sized


def gamma_kernel(
    alpha: torch.Tensor, *, shape: Sequence[int], key: int, counter: int
) -> torch.Tensor:
    """Numbers of the gamma distribution with scale 1."""
    host = alpha.detach().to("cpu", torch.float64).expand(shape)
    numbers = torch._standard_gamma(
        torch.where(host > 0, host, 1.0).contiguous(), generator=draws.generator(key, counter)
    )
    return torch.where(host > 0, numbers, float("nan")).to(alpha.device, alpha.dtype)


def _shaped_spec(value: Spec, *others: Spec, shape: Sequence[int], **attrs: Any) -> Spec:
    return Spec(tuple(shape), attrs.get("dtype", value.dtype))


GAMMA = op(
    "StatelessRandomGammaV3", "shape: host, alpha: dtype -> output: dtype",
    gamma_kernel, _shaped_spec, dtype=(dtypes.float16, dtypes.float32, dtypes.float64),
)  # fmt: skip


def ends_with(shape: Any, dims: Sequence[int | None], op_name: str) -> tuple[int, ...]:
    """A shape whose last sizes those of the parameters stretch to, as far as graphs know them.

    Raises:
        InvalidArgumentError: they do not.
    """
    sizes = sized(shape, op_name)
    tail = sizes[len(sizes) - len(dims) :] if len(dims) <= len(sizes) else None
    pairs = [] if tail is None else list(zip(dims, tail, strict=True))
    if tail is None or any(d not in (None, 1, s) for d, s in pairs if not isinstance(s, Later)):
        raise invalid_argument(
            f"Shape passed in must end with broadcasted shape. [Op:{op_name}] name: "
        )
    return sizes


def stateless_gamma(
    shape: Any,
    seed: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Any:
    """Numbers of the gamma distribution (`tf.random.stateless_gamma`).

    Args:
        shape: the shape; its end is what alpha and beta broadcast to.
        seed: two integers.
        alpha: the shape parameter.
        beta: the rate, 1 by default.
        dtype: float16, float32 or float64.
        name: a name in graphs.

    Returns:
        The same numbers for the same seed, not TensorFlow's.
    """
    wanted = as_dtype(dtype)
    check_floating(wanted, 1.0)
    alpha = to_tensor(alpha, hint=wanted)
    beta = to_tensor(1.0 if beta is None else beta, hint=wanted)
    dims = add(alpha, beta).shape.as_list()
    sizes = ends_with(shape, dims, GAMMA.name)
    key, counter = seeded(seed)
    numbers = apply(GAMMA, (alpha,), {"shape": sizes, "key": key, "counter": counter})
    return multiply(numbers, 1.0 / beta)


def poisson_kernel(
    lam: torch.Tensor, *, shape: Sequence[int], key: int, counter: int, dtype: DType
) -> torch.Tensor:
    """Numbers of the Poisson distribution."""
    rates = lam.detach().to("cpu", torch.float64).expand(shape).contiguous()
    valid = torch.where(rates >= 0, rates, 0.0)
    numbers = torch.poisson(valid, generator=draws.generator(key, counter))
    return numbers.to(lam.device, dtype.torch)


POISSON = op(
    "StatelessRandomPoisson", "shape: host, lam: Rtype -> output: dtype",
    poisson_kernel, _shaped_spec,
    Rtype=(dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64),
)  # fmt: skip


def stateless_poisson(
    shape: Any, seed: Any, lam: Any, dtype: Any = dtypes.int32, name: str | None = None
) -> Any:
    """Numbers of the Poisson distribution (`tf.random.stateless_poisson`).

    Args:
        shape: the shape; its end is what lam broadcasts to.
        seed: two integers.
        lam: the mean.
        dtype: the dtype of the result.
        name: a name in graphs.
    """
    lam = to_tensor(lam)
    sizes = ends_with(shape, lam.shape.as_list(), POISSON.name)
    key, counter = seeded(seed)
    attrs = {"shape": sizes, "key": key, "counter": counter, "dtype": as_dtype(dtype)}
    return apply(POISSON, (lam,), attrs)


def binomial_kernel(
    counts: torch.Tensor,
    probs: torch.Tensor,
    *,
    shape: Sequence[int],
    key: int,
    counter: int,
    dtype: DType,
) -> torch.Tensor:
    """Numbers of the binomial distribution."""
    n = counts.detach().to("cpu", torch.float64).expand(shape).contiguous()
    p = probs.detach().to("cpu", torch.float64).expand(shape).contiguous()
    numbers = torch.binomial(n, p, generator=draws.generator(key, counter))
    return numbers.to(counts.device, dtype.torch)


_COUNTS = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)


BINOMIAL = op(
    "StatelessRandomBinomial", "shape: host, counts: T, probs: T -> output: dtype",
    binomial_kernel, _shaped_spec, T=_COUNTS,
)  # fmt: skip


def binomial(shape: Any, key: Key, counts: Any, probs: Any, dtype: DType) -> Any:
    """Numbers of the binomial distribution, of a key and a counter."""
    probs = to_tensor(probs)
    counts = to_tensor(counts, hint=probs.dtype)
    if counts.dtype is not probs.dtype:
        counts = cast(counts, probs.dtype)
    dims = add(counts, probs).shape.as_list()
    sizes = ends_with(shape, dims, BINOMIAL.name)
    attrs = {"shape": sizes, "key": key[0], "counter": key[1], "dtype": dtype}
    return apply(BINOMIAL, (counts, probs), attrs)


def stateless_binomial(
    shape: Any,
    seed: Any,
    counts: Any,
    probs: Any,
    output_dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Any:
    """Numbers of the binomial distribution (`tf.random.stateless_binomial`).

    Args:
        shape: the shape; its end is what counts and probs broadcast to.
        seed: two integers.
        counts: how many trials.
        probs: the probability of success in each.
        output_dtype: the dtype of the result.
        name: a name in graphs.
    """
    return binomial(shape, seeded(seed), counts, probs, as_dtype(output_dtype))


def bounded_kernel(
    means: torch.Tensor,
    stddevs: torch.Tensor,
    minvals: torch.Tensor,
    maxvals: torch.Tensor,
    *,
    shape: Sequence[int],
    key: int,
    counter: int,
) -> torch.Tensor:
    """Normal numbers between two ends, by the inverse of their distribution."""
    if bool((minvals >= maxvals).any()):
        raise invalid_argument("Invalid parameters")
    mean, deviation, low, high = (x.to(torch.float64) for x in (means, stddevs, minvals, maxvals))
    ends = [torch.special.ndtr((end - mean) / deviation) for end in (low, high)]
    points = draws.uniform(key, counter, math.prod(shape), dtypes.float64, means.device)
    points = ends[0] + points.reshape(shape) * (ends[1] - ends[0])
    numbers = torch.special.ndtri(points) * deviation + mean
    return torch.minimum(torch.maximum(numbers, low), high).to(means.dtype)


_T4 = "shape: host, means: dtype, stddevs: dtype, minvals: dtype, maxvals: dtype -> output: dtype"


BOUNDED = op(
    "StatelessParameterizedTruncatedNormal", _T4, bounded_kernel, _shaped_spec,
    dtype=(dtypes.float16, dtypes.float32, dtypes.float64),
)  # fmt: skip


def stateless_parameterized_truncated_normal(
    shape: Any,
    seed: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Any:
    """Normal numbers between two ends (`tf.random.stateless_parameterized_truncated_normal`).

    Args:
        shape: the shape; its end is what the parameters broadcast to.
        seed: two integers.
        means: the mean before numbers are cut off.
        stddevs: the standard deviation before that.
        minvals: the lower end.
        maxvals: the upper end.
        name: a name in graphs.

    Returns:
        The same numbers for the same seed, not TensorFlow's.

    Raises:
        InvalidArgumentError: an end is not below the other.
    """
    means, stddevs = pair(means, stddevs)
    minvals, maxvals = (to_tensor(each, hint=means.dtype) for each in (minvals, maxvals))
    dims = add(add(means, stddevs), add(minvals, maxvals)).shape.as_list()
    sizes = ends_with(shape, dims, BOUNDED.name)
    key, counter = seeded(seed)
    attrs = {"shape": sizes, "key": key, "counter": counter}
    return apply(BOUNDED, (means, stddevs, minvals, maxvals), attrs)
