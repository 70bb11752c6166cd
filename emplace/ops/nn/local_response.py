"""Local responses: normalization over neighbouring channels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.context import LOCAL
from ...core.tensor import Tensor
from .. import infer
from ..convert import own_or_default
from ..infer import Spec, shape_only
from ..op import apply, op
from .response_rows import gradient_rows, response_rows

# Where a function of rows writes its results; None for new memory.
_Out = Sequence[torch.Tensor | None]
_NEW = (None, None, None)


def lrn_kernel(
    input: torch.Tensor,
    *,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
) -> torch.Tensor:
    """Each value over a power of the sum of squares of its neighbours in depth."""
    _lrn_spec(shape_only(input), depth_radius=depth_radius)
    sums = _Sums(input, depth_radius, bias, alpha)

    def response(x: torch.Tensor, out: _Out = _NEW) -> tuple[torch.Tensor, ...]:
        return (torch.mul(x, _power(sums.around(x), beta), out=out[0]),)

    return _by_rows(response, 1, input)[0]


def lrn_keeping_kernel(
    input: torch.Tensor,
    *,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
) -> tuple[torch.Tensor, ...]:
    """(the response, the sums, the powers of the sums)."""
    _lrn_spec(shape_only(input), depth_radius=depth_radius)
    found = response_rows(input, depth_radius, bias, alpha, beta)
    if found is not None:
        return found
    sums = _Sums(input, depth_radius, bias, alpha)

    def response(x: torch.Tensor, out: _Out = _NEW) -> tuple[torch.Tensor, ...]:
        total = sums.around(x, out[1])
        power = _power(total, beta, out[2])
        return torch.mul(x, power, out=out[0]), total, power

    return _by_rows(response, 3, input)


def lrn_grad_kernel(
    input_grads: torch.Tensor,
    input_image: torch.Tensor,
    output_image: torch.Tensor,
    *,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
) -> torch.Tensor:
    """The gradient of the local response."""
    sums = _Sums(input_image, depth_radius, bias, alpha)

    def gradient(
        dy: torch.Tensor, x: torch.Tensor, y: torch.Tensor, out: _Out = _NEW
    ) -> tuple[torch.Tensor, ...]:
        total = sums.around(x)
        back = torch.mm(dy * y / total, sums.band)
        direct = dy * _power(total, beta)
        return (torch.addcmul(direct, x, back, value=-2 * alpha * beta, out=out[0]),)

    return _by_rows(gradient, 1, input_grads, input_image, output_image)[0]


def lrn_grad_kept_kernel(
    input_grads: torch.Tensor,
    input_image: torch.Tensor,
    total: torch.Tensor,
    power: torch.Tensor,
    *,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
) -> torch.Tensor:
    """The gradient of the local response, with its sums and their powers at hand."""
    kept = input_grads, input_image, total, power
    found = gradient_rows(kept, depth_radius, -2 * alpha * beta)
    if found is not None:
        return found
    sums = _Sums(input_image, depth_radius, bias, alpha)

    def gradient(
        dy: torch.Tensor, x: torch.Tensor, total: torch.Tensor, power: torch.Tensor,
        out: _Out = _NEW,
    ) -> tuple[torch.Tensor, ...]:  # fmt: skip
        direct = dy * power
        back = torch.mm(direct * x / total, sums.band)
        return (torch.addcmul(direct, x, back, value=-2 * alpha * beta, out=out[0]),)

    return _by_rows(gradient, 1, input_grads, input_image, total, power)[0]


class _Sums:
    """Sums of squares over neighbouring channels. A product with `band`, which is 1 for channels
    that are neighbours, is a sum over the neighbourhood.
    """

    def __init__(self, image: torch.Tensor, radius: int, bias: float, alpha: float) -> None:
        places = torch.arange(image.shape[-1], device=image.device)
        self.band = ((places - places.unsqueeze(1)).abs() <= radius).to(image.dtype)
        self._biases = image.new_full(image.shape[-1:], bias)
        self._alpha = alpha

    def around(self, x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
        """bias + alpha times the sum of squares around each value of some rows."""
        return torch.addmm(self._biases, x * x, self.band, alpha=self._alpha, out=out)


# So many values at a time stay in a processor's cache through all steps; that halves the time.
_AT_ONCE = 1 << 16


def _by_rows(
    f: Callable[..., tuple[torch.Tensor, ...]], makes: int, *images: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """The `makes` results of f of the rows of images, on a CPU a few rows at a time."""
    shape = images[0].shape
    depth = max(1, shape[-1])
    rows = [image.reshape(-1, depth) for image in images]
    step = max(1, _AT_ONCE // depth)
    if not rows[0].is_cpu or len(rows[0]) <= step:
        return tuple(each.reshape(shape) for each in f(*rows))
    starts = range(0, len(rows[0]), step)
    if any(each.requires_grad for each in rows):  # torch differentiates nothing that fills memory
        parts = [f(*(each[start : start + step] for each in rows)) for start in starts]
        return tuple(torch.cat(each).reshape(shape) for each in zip(*parts, strict=True))
    made = [torch.empty_like(rows[0]) for _ in range(makes)]
    for start in starts:
        part = slice(start, start + step)
        f(*(each[part] for each in rows), out=[each[part] for each in made])
    return tuple(each.reshape(shape) for each in made)


def _power(total: torch.Tensor, beta: float, out: torch.Tensor | None = None) -> torch.Tensor:
    """total ** -beta; by roots, which are faster, for the usual exponents."""
    if beta == 0.5:
        return torch.rsqrt(total, out=out)
    if beta == 0.75:
        root = torch.rsqrt(total)
        return torch.mul(root, torch.sqrt(root), out=out)
    return torch.pow(total, -beta, out=out)


def _lrn_spec(input: Spec, **attrs: Any) -> Spec:
    if input.dims is not None and len(input.dims) != 4:
        raise invalid_argument(f"in must be 4-dimensional, got {runtime_text(input.dims)}")
    if attrs.get("depth_radius", 5) < 0:
        raise invalid_argument("depth_radius must be non-negative")
    return input


_HALVES_TOO = (dtypes.float16, dtypes.bfloat16, dtypes.float32)
LRN = op("LRN", "input: T -> output: T", lrn_kernel, _lrn_spec, T=_HALVES_TOO)
# Listed as the op itself: it is that, while a tape listens.
LRN_KEEPING = op(
    "LRN", "input: T -> output: T, total: T, power: T", lrn_keeping_kernel,
    lambda input, **attrs: (_lrn_spec(input, **attrs),) * 3, is_listed=False, T=_HALVES_TOO,
)  # fmt: skip
LRN_GRAD_KEPT = op(
    "LRNGradKept", "input_grads: T, input_image: T, total: T, power: T -> output: T",
    lrn_grad_kept_kernel, infer.same, is_listed=False, T=_HALVES_TOO,
)  # fmt: skip
LRN_GRAD = op(
    "LRNGrad", "input_grads: T, input_image: T, output_image: T -> output: T", lrn_grad_kernel,
    infer.same, T=_HALVES_TOO,
)  # fmt: skip


def local_response_normalization(
    input: TensorLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Returns each value over (bias + alpha sum of squares) ** beta of the channels around it
    (`tf.nn.local_response_normalization`, `tf.nn.lrn`).

    Args:
        input: images of shape (batch, height, width, channels).
        depth_radius: how many channels on each side count.
        bias: added to the sum; keeps it from 0.
        alpha: the factor of the sum.
        beta: the exponent.
        name: a name in graphs.
    """
    attrs = {
        "depth_radius": int(depth_radius), "bias": float(bias), "alpha": float(alpha),
        "beta": float(beta),
    }  # fmt: skip
    image = own_or_default(input, _HALVES_TOO, dtypes.float32)
    # While a tape listens, what the gradient needs is kept: finding it again costs as much.
    if LOCAL.state.tapes:
        return apply(LRN_KEEPING, (image,), attrs)[0]
    return apply(LRN, (image,), attrs)
