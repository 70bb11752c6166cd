"""TensorFlow's gamma, Poisson and binomial numbers of a seed, and normal ones between two ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType, as_dtype, runtime_name
from ...base.errors import invalid_argument
from ...base.typing import DTypeLike, ShapeLike, TensorLike
from ...core.symbolic_value import SymbolicValue
from ...core.tensor import Tensor
from ...devices.constants import bring
from .. import infer
from ..arguments import wrong_argument
from ..array.making import zeros_like
from ..convert import pair, to_tensor
from ..infer import Spec
from ..math.elementwise import add, cast, divide, maximum
from ..math.integrals import igamma_grad_a_kernel
from ..op import CPU_ONLY, apply, op
from ..waiting import DRAWN_ON_HOST
from . import rejection, truncated
from .seeds import Key, seeded
from .stateless import check_floating, sized


def _numbers(x: torch.Tensor) -> Any:
    """The numbers of a tensor as float64 on the host."""
    return x.detach().to("cpu", torch.float64).numpy()


def _as_tensor(numbers: object, like: torch.Tensor, dtype: Any) -> torch.Tensor:
    return bring(torch.from_numpy(numbers).to(dtype), like.device)


def gamma_kernel(
    alpha: torch.Tensor, *, shape: Sequence[int], key: int, counter: int
) -> torch.Tensor:
    """Numbers of the gamma distribution with scale 1."""
    found = rejection.drawn(rejection.gamma, key, counter, shape, _numbers(alpha))
    return _as_tensor(found, alpha, alpha.dtype)


def _shaped_spec(value: Spec, *others: Spec, shape: Sequence[int], **attrs: Any) -> Spec:
    return Spec(tuple(shape), attrs.get("dtype", value.dtype))


GAMMA = op(
    "StatelessRandomGammaV3", "shape: host, alpha: dtype -> output: dtype",
    gamma_kernel, _shaped_spec, dtype=(dtypes.float16, dtypes.float32, dtypes.float64),
    wait_reason=DRAWN_ON_HOST,
)  # fmt: skip


def gamma_grad_kernel(alpha: torch.Tensor, sample: torch.Tensor) -> torch.Tensor:
    """How a gamma number changes with alpha, where its place in the distribution stays: minus the
    derivative of the distribution function by alpha, through the density. TF: 0 where that is 0.
    """
    a, x = alpha.double(), sample.double()
    density = torch.exp((a - 1) * torch.log(x) - x - torch.lgamma(a))
    slope = -igamma_grad_a_kernel(a, x) / density
    return torch.where(density > 0, slope, 0.0).to(alpha.dtype)


GAMMA_GRAD = op(
    "RandomGammaGrad", "alpha: T, sample: T -> output: T", gamma_grad_kernel, infer.broadcast,
    T=dtypes.WIDE,
)  # fmt: skip


def ends_with(shape: ShapeLike | None, dims: Sequence[int | None], op_name: str) -> tuple[int, ...]:
    """A shape that ends with that of the parameters.

    Raises:
        InvalidArgumentError: it does not.
    """
    sizes = sized(shape, op_name)
    tail = sizes[len(sizes) - len(dims) :] if len(dims) <= len(sizes) else None
    pairs = [] if tail is None else list(zip(dims, tail, strict=True))
    known = [(d, s) for d, s in pairs if d is not None and not isinstance(s, SymbolicValue)]
    if tail is None or any(d != s for d, s in known):
        raise invalid_argument(
            f"Shape passed in must end with broadcasted shape. [Op:{op_name}] name: "
        )
    return sizes


def stateless_gamma(
    shape: ShapeLike | None,
    seed: Any,
    alpha: Any,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Returns numbers of the gamma distribution (`tf.random.stateless_gamma`).

    Args:
        shape: the shape; its end is what alpha and beta broadcast to.
        seed: two integers.
        alpha: the shape parameter.
        beta: the rate, 1 by default.
        dtype: float16, float32 or float64.
        name: a name in graphs.

    Returns:
        The same numbers for the same seed: TensorFlow's. Gradients reach alpha and beta.

    Raises:
        InvalidArgumentError: the shape does not end with that of the parameters.
    """
    out_dtype = as_dtype(dtype)
    check_floating(out_dtype, 1.0)
    alpha, beta = together(alpha, beta, out_dtype)
    sizes = ends_with(shape, alpha.shape.as_list(), GAMMA.name)
    key, counter = seeded(seed)
    numbers = apply(GAMMA, (alpha,), {"shape": sizes, "key": key, "counter": counter})
    return scaled_by_rate(numbers, beta)


def together(alpha: TensorLike, beta: TensorLike | None, dtype: DType) -> tuple[Any, Any]:
    """The shape parameter, stretched to the shape of both, and the rate, which is 1 if None."""
    beta = to_tensor(1.0 if beta is None else beta, hint=dtype)
    alpha = to_tensor(alpha, hint=dtype)
    return (alpha if beta.shape.rank == 0 else add(alpha, zeros_like(beta))), beta


def scaled_by_rate(numbers: Any, beta: TensorLike) -> Tensor:
    """Gamma numbers with a rate; none of them is 0, as in TensorFlow."""
    return maximum(divide(numbers, beta), float(np.finfo(numbers.dtype.as_numpy_dtype).tiny))


_COUNTS = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)


def poisson_kernel(
    lam: torch.Tensor, *, shape: Sequence[int], key: int, counter: int, dtype: DType
) -> torch.Tensor:
    """Numbers of the Poisson distribution."""
    draw = rejection.poisson_below(float(dtype.max), math.inf if dtype.is_floating else 0.0)
    found = rejection.drawn(draw, key, counter, shape, _numbers(lam))
    return _as_tensor(found, lam, dtype.torch)


POISSON = op(
    "StatelessRandomPoisson", "shape: host, lam: Rtype -> output: dtype",
    poisson_kernel, _shaped_spec,
    Rtype=_COUNTS, device_types=CPU_ONLY,
)  # fmt: skip


def drawn_dtype(dtype: DTypeLike) -> DType:
    """The dtype of Poisson and binomial numbers.

    Raises:
        InvalidArgumentError: it is none of those; in graphs a TypeError.
    """
    wanted = as_dtype(dtype)
    if wanted not in _COUNTS:
        raise wrong_argument(
            f"Value for attr 'dtype' of {runtime_name(wanted)} is not in the list of allowed "
            "values: half, float, double, int32, int64",
            f"Value passed to parameter 'dtype' has DataType {wanted.name} not in list of allowed "
            "values: float16, float32, float64, int32, int64",
            TypeError,
        )
    return wanted


def stateless_poisson(
    shape: ShapeLike,
    seed: TensorLike,
    lam: Any,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Returns numbers of the Poisson distribution (`tf.random.stateless_poisson`).

    Args:
        shape: the shape; its end is what lam broadcasts to.
        seed: two integers.
        lam: the mean.
        dtype: float16, float32, float64, int32 or int64.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: the dtype is another one (in graphs a TypeError), or the shape does
            not end with that of `lam`.
    """
    lam = to_tensor(lam)
    sizes = ends_with(shape, lam.shape.as_list(), POISSON.name)
    key, counter = seeded(seed)
    attrs = {"shape": sizes, "key": key, "counter": counter, "dtype": drawn_dtype(dtype)}
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
    counts, probs = counts + torch.zeros_like(probs), probs + torch.zeros_like(counts)
    rarer = torch.where(probs <= 0.5, probs, 1 - probs)
    given = [_numbers(x) for x in (counts, probs, counts * rarer >= 10)]
    found = rejection.drawn(rejection.binomial, key, counter, shape, *given)
    return _as_tensor(found, counts, dtype.torch)


BINOMIAL = op(
    "StatelessRandomBinomial", "shape: host, counts: T, probs: T -> output: dtype",
    binomial_kernel, _shaped_spec, T=_COUNTS,
    device_types=CPU_ONLY,
)  # fmt: skip


def trials(counts: TensorLike, probs: TensorLike) -> tuple[Any, Any, list[int | None]]:
    """Counts and probabilities of one dtype, and the shape of both."""
    probs = to_tensor(probs)
    counts = to_tensor(counts, hint=probs.dtype)
    if counts.dtype is not probs.dtype:
        counts = cast(counts, probs.dtype)
    return counts, probs, add(counts, probs).shape.as_list()


def binomial(
    shape: ShapeLike | None, key: Key, counts: TensorLike, probs: TensorLike, dtype: DType
) -> Tensor:
    """Numbers of the binomial distribution, of a key and a counter."""
    counts, probs, dims = trials(counts, probs)
    sizes = ends_with(shape, dims, BINOMIAL.name)
    attrs = {"shape": sizes, "key": key[0], "counter": key[1], "dtype": dtype}
    return apply(BINOMIAL, (counts, probs), attrs)


def stateless_binomial(
    shape: ShapeLike | None,
    seed: TensorLike,
    counts: TensorLike,
    probs: TensorLike,
    output_dtype: DType = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Returns numbers of the binomial distribution (`tf.random.stateless_binomial`).

    Args:
        shape: the shape; its end is what counts and probs broadcast to.
        seed: two integers.
        counts: how many trials.
        probs: the probability of success in each.
        output_dtype: float16, float32, float64, int32 or int64.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: the dtype is another one (in graphs a TypeError), or the shape does
            not end with that of the parameters.
    """
    return binomial(shape, seeded(seed), counts, probs, drawn_dtype(output_dtype))


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
    """Normal numbers between two ends."""
    given = [x.detach().cpu().numpy() for x in (means, stddevs, minvals, maxvals)]
    found = truncated.drawn(key, counter, shape, *np.broadcast_arrays(*given))
    return _as_tensor(found, means, means.dtype)


_T4 = "shape: host, means: dtype, stddevs: dtype, minvals: dtype, maxvals: dtype -> output: dtype"


BOUNDED = op(
    "StatelessParameterizedTruncatedNormal", _T4, bounded_kernel, _shaped_spec,
    dtype=(dtypes.float16, dtypes.float32, dtypes.float64),
    device_types=CPU_ONLY,
)  # fmt: skip


def stateless_parameterized_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Tensor:
    """Returns normal numbers between two ends
    (`tf.random.stateless_parameterized_truncated_normal`).

    Args:
        shape: the shape; its end is what the parameters broadcast to.
        seed: two integers.
        means: the mean before numbers are cut off.
        stddevs: the standard deviation before that.
        minvals: the lower end.
        maxvals: the upper end.
        name: a name in graphs.

    Returns:
        The same numbers for the same seed: TensorFlow's, where that draws them in one thread.
        Gradients reach the parameters.

    Raises:
        InvalidArgumentError: an end is not below the other, both are infinite, a deviation is not
            positive, or the shape does not end with that of the parameters.
    """
    means, stddevs = pair(means, stddevs)
    minvals, maxvals = (to_tensor(limits, hint=means.dtype) for limits in (minvals, maxvals))
    dims = add(add(means, stddevs), add(minvals, maxvals)).shape.as_list()
    sizes = ends_with(shape, dims, BOUNDED.name)
    key, counter = seeded(seed)
    attrs = {"shape": sizes, "key": key, "counter": counter}
    return apply(BOUNDED, (means, stddevs, minvals, maxvals), attrs)
