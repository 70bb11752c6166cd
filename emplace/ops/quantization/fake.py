"""Floats rounded as if they were stored in few bits, so that training gets used to it.

The arithmetic follows TensorFlow step by step in float32, because a value halfway between two
levels goes up or down with the last bit.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ..convert import to_tensor
from ..infer import Spec, shape_only
from ..op import apply, op


class Levels(NamedTuple):
    """The range as it is used, moved so that zero is one of its levels."""

    low: torch.Tensor
    high: torch.Tensor
    scale: torch.Tensor
    inverse: torch.Tensor


def levels(low: torch.Tensor, high: torch.Tensor, num_bits: int, narrow_range: bool) -> Levels:
    """The levels between `low` and `high`, tensors of equal shapes."""
    first, last = float(narrow_range), float(2**num_bits - 1)
    steps = torch.full_like(low, last - first)
    scale = (high - low) / steps
    zero = first - low / scale
    down = zero.floor()
    nearest = torch.where(zero - down >= 0.5, down + 1.0, down).clamp(first, last)
    return Levels((first - nearest) * scale, (last - nearest) * scale, scale, steps / (high - low))


def _placed(x: torch.Tensor, found: Levels) -> torch.Tensor:
    """How far above the lowest level each value is, values of its own."""
    return torch.minimum(x, found.high).maximum(found.low).sub_(found.low)


def _rounded(position: torch.Tensor, found: Levels) -> torch.Tensor:
    """The values at positions, counted in levels; written over them."""
    zero = torch.floor(-found.low * found.inverse + 0.5)
    return position.sub_(zero).add_(0.5).floor_().mul_(found.scale)


def _is_empty(low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
    return (low == 0.0) & (high == 0.0)


def args_kernel(
    inputs: torch.Tensor,
    *,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> torch.Tensor:
    """Between two plain numbers."""
    _args_rule(shape_only(inputs), min=min, max=max, num_bits=num_bits)
    found = _plain_levels(inputs, min, max, num_bits, narrow_range)
    return _rounded(_placed(inputs, found).mul_(found.inverse), found)


def _plain_levels(
    like: torch.Tensor, low: float, high: float, num_bits: int, narrow_range: bool
) -> Levels:
    found = _levels_of(low, high, num_bits, narrow_range)
    return Levels(*[like.new_full((), each) for each in found])


@functools.lru_cache
def _levels_of(low: float, high: float, num_bits: int, narrow_range: bool) -> tuple[float, ...]:
    ends = torch.tensor([low, high])
    return tuple(each.item() for each in levels(ends[0], ends[1], num_bits, narrow_range))


def vars_kernel(
    inputs: torch.Tensor,
    min: torch.Tensor,
    max: torch.Tensor,
    *,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> torch.Tensor:
    """Between two tensors; nothing but zeros if both of them are zero."""
    _vars_rule(*map(shape_only, (inputs, min, max)), num_bits=num_bits)
    found = levels(min, max, num_bits, narrow_range)
    rounded = _rounded(_placed(inputs, found).div_(found.scale), found)
    return rounded.masked_fill_(_is_empty(min, max), 0.0)


def channels_kernel(
    inputs: torch.Tensor,
    min: torch.Tensor,
    max: torch.Tensor,
    *,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> torch.Tensor:
    """As `vars_kernel`, with bounds for each place of the last axis."""
    _channels_rule(*map(shape_only, (inputs, min, max)), num_bits=num_bits)
    found = levels(min, max, num_bits, narrow_range)
    rounded = _rounded(_placed(inputs, found).mul_(found.inverse), found)
    return rounded.masked_fill_(_is_empty(min, max), 0.0)


def args_gradient_kernel(
    gradients: torch.Tensor,
    inputs: torch.Tensor,
    *,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> torch.Tensor:
    """Gradients pass where the input was in the range."""
    specs = map(shape_only, (gradients, inputs))
    _args_gradient_rule(*specs, min=min, max=max, num_bits=num_bits)
    found = _plain_levels(inputs, min, max, num_bits, narrow_range)
    return gradients * ((inputs >= found.low) & (inputs <= found.high))


def _parted(
    gradients: torch.Tensor,
    inputs: torch.Tensor,
    min: torch.Tensor,
    max: torch.Tensor,
    num_bits: int,
    narrow_range: bool,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The gradients of inputs in the range, below and above it."""
    found = levels(min, max, num_bits, narrow_range)
    empty = _is_empty(min, max)
    within = ((inputs >= found.low) & (inputs <= found.high)) | empty
    below = (inputs < found.low) & ~empty
    above = (inputs > found.high) & ~empty
    return gradients * within, gradients * below, gradients * above


def vars_gradient_kernel(
    gradients: torch.Tensor,
    inputs: torch.Tensor,
    min: torch.Tensor,
    max: torch.Tensor,
    *,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Gradients pass where the input was in the range; elsewhere they are those of a bound."""
    _vars_gradient_rule(*map(shape_only, (gradients, inputs, min, max)), num_bits=num_bits)
    within, below, above = _parted(gradients, inputs, min, max, num_bits, narrow_range)
    return within, below.sum(), above.sum()


def channels_gradient_kernel(
    gradients: torch.Tensor,
    inputs: torch.Tensor,
    min: torch.Tensor,
    max: torch.Tensor,
    *,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """As `vars_gradient_kernel`, with bounds for each place of the last axis."""
    _channels_gradient_rule(*map(shape_only, (gradients, inputs, min, max)), num_bits=num_bits)
    within, below, above = _parted(gradients, inputs, min, max, num_bits, narrow_range)
    rows = (-1, min.shape[0])
    return within, below.reshape(rows).sum(0), above.reshape(rows).sum(0)


def _check_bits(num_bits: int) -> None:
    if not 2 <= num_bits <= 16:
        raise invalid_argument("num_bits must be between 2 and 16, inclusive")


def _check_rank(spec: Spec, rank: int, name: str) -> None:
    if spec.dims is not None and len(spec.dims) != rank:
        raise invalid_argument(f"`{name}` must be rank {rank} but is rank {len(spec.dims)}")


def _args_rule(
    inputs: Spec, *, min: float = -6, max: float = 6, num_bits: int = 8, **attrs: Any
) -> Spec:
    _check_bits(num_bits)
    if min >= max:
        raise invalid_argument(f"min has to be smaller than max, was: {min:g} >= {max:g}")
    return inputs


def _vars_rule(inputs: Spec, min: Spec, max: Spec, *, num_bits: int = 8, **attrs: Any) -> Spec:
    _check_bits(num_bits)
    _check_rank(min, 0, "min")
    _check_rank(max, 0, "max")
    return inputs


def _channels_rule(inputs: Spec, min: Spec, max: Spec, *, num_bits: int = 8, **attrs: Any) -> Spec:
    _check_bits(num_bits)
    if inputs.dims == ():
        raise invalid_argument("Shape must be at least rank 1 but is rank 0")
    for spec, name in ((min, "min"), (max, "max")):
        _check_rank(spec, 1, name)
        if not inputs.dims or not spec.dims or None in (inputs.dims[-1], spec.dims[0]):
            continue
        if inputs.dims[-1] != spec.dims[0]:
            raise invalid_argument(
                f"{name} has incorrect size, expected {inputs.dims[-1]} was {spec.dims[0]}"
            )
    return inputs


def _check_same(gradients: Spec, inputs: Spec, text: str) -> None:
    if None in (gradients.dims, inputs.dims):
        return
    assert gradients.dims is not None
    assert inputs.dims is not None
    is_other = len(gradients.dims) != len(inputs.dims) or any(
        None not in pair and pair[0] != pair[1]
        for pair in zip(gradients.dims, inputs.dims, strict=True)
    )
    if is_other:
        raise invalid_argument(text)


def _args_gradient_rule(gradients: Spec, inputs: Spec, **attrs: Any) -> Spec:
    name = "FakeQuantWithMinMaxArgsGradient"
    shapes = [runtime_text(spec.dims or ()) for spec in (gradients, inputs)]
    _check_same(
        gradients,
        inputs,
        f"Inputs to operation {name} of type {name} must have the same size and shape.  "
        f"Input 0: {shapes[0]} != input 1: {shapes[1]}",
    )
    return _args_rule(inputs, **attrs)


def _gradient_rule(check: Callable[..., Any]) -> Any:
    def rule(
        gradients: Spec, inputs: Spec, min: Spec, max: Spec, **attrs: Any
    ) -> tuple[Spec, Spec, Spec]:
        _check_same(gradients, inputs, "gradient and input must be the same size")
        check(inputs, min, max, **attrs)
        return inputs, min, max

    return rule


_vars_gradient_rule = _gradient_rule(_vars_rule)
_channels_gradient_rule = _gradient_rule(_channels_rule)

_BOUNDED = "inputs: float32, min: float32, max: float32 -> outputs: float32"
_GRADIENTS = (
    "gradients: float32, inputs: float32, min: float32, max: float32 -> "
    "backprops_wrt_input: float32, backprop_wrt_min: float32, backprop_wrt_max: float32"
)

FAKE_ARGS = op(
    "FakeQuantWithMinMaxArgs", "inputs: float32 -> outputs: float32", args_kernel, _args_rule
)
FAKE_ARGS_GRADIENT = op(
    "FakeQuantWithMinMaxArgsGradient",
    "gradients: float32, inputs: float32 -> backprops: float32",
    args_gradient_kernel, _args_gradient_rule,
)  # fmt: skip
FAKE_VARS = op("FakeQuantWithMinMaxVars", _BOUNDED, vars_kernel, _vars_rule)
FAKE_VARS_GRADIENT = op(
    "FakeQuantWithMinMaxVarsGradient", _GRADIENTS, vars_gradient_kernel, _vars_gradient_rule
)
FAKE_CHANNELS = op("FakeQuantWithMinMaxVarsPerChannel", _BOUNDED, channels_kernel, _channels_rule)
FAKE_CHANNELS_GRADIENT = op(
    "FakeQuantWithMinMaxVarsPerChannelGradient", _GRADIENTS,
    channels_gradient_kernel, _channels_gradient_rule,
)  # fmt: skip


def _floats(*values: Any) -> tuple[Any, ...]:
    return tuple(to_tensor(value, dtypes.float32) for value in values)


def fake_quant_with_min_max_args(
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Rounds to one of `2 ** num_bits` levels between two numbers
    (`tf.quantization.fake_quant_with_min_max_args`).

    Args:
        inputs: float32 values of any shape.
        min: the lower end; it is moved a little so that zero is a level.
        max: the upper end.
        num_bits: between 2 and 16.
        narrow_range: leave the lowest level out.
        name: ignored.

    Returns:
        float32 values of the same shape, limited to the range. Gradients pass within the range.

    Raises:
        InvalidArgumentError: min is not below max, or num_bits is out of range.

    >>> fake_quant_with_min_max_args([1.2, 9.0], 0, 3, num_bits=2).numpy().tolist()
    [1.0, 3.0]
    """
    attrs = _attrs(num_bits, narrow_range, min=min, max=max)
    return apply(FAKE_ARGS, (to_tensor(inputs, dtypes.float32),), attrs)


def _attrs(num_bits: int, narrow_range: bool, **bounds: float) -> dict[str, Any]:
    plain = {end: float(value) for end, value in bounds.items()}
    return {**plain, "num_bits": int(num_bits), "narrow_range": bool(narrow_range)}


def fake_quant_with_min_max_args_gradient(
    gradients: TensorLike, inputs: TensorLike, min: float = -6, max: float = 6, num_bits: int = 8,
    narrow_range: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Returns the gradient of `fake_quant_with_min_max_args` for its inputs
    (`tf.quantization.fake_quant_with_min_max_args_gradient`).

    Args:
        gradients: the gradient of the result.
        inputs: what was quantized.
        min: the lower bound.
        max: the upper bound.
        num_bits: how many bits a number has, 2 to 16.
        narrow_range: True leaves out the lowest number.
        name: a name in graphs.
    """
    attrs = _attrs(num_bits, narrow_range, min=min, max=max)
    return apply(FAKE_ARGS_GRADIENT, _floats(gradients, inputs), attrs)


def fake_quant_with_min_max_vars(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Rounds to one of `2 ** num_bits` levels between two scalars that can be learned
    (`tf.quantization.fake_quant_with_min_max_vars`).

    Args:
        inputs: float32 values of any shape.
        min: the lower end, a float32 scalar.
        max: the upper end, a float32 scalar. If both are zero the result is zero.
        num_bits: between 2 and 16.
        narrow_range: leave the lowest level out.
        name: ignored.

    Returns:
        float32 values of the same shape, limited to the range.

    Raises:
        InvalidArgumentError: min or max is no scalar, or num_bits is out of range.

    >>> fake_quant_with_min_max_vars([1.2, 9.0], 0.0, 3.0, num_bits=2).numpy().tolist()
    [1.0, 3.0]
    """
    return apply(FAKE_VARS, _floats(inputs, min, max), _attrs(num_bits, narrow_range))


def fake_quant_with_min_max_vars_gradient(
    gradients: Any, inputs: TensorLike, min: TensorLike, max: TensorLike, num_bits: int = 8,
    narrow_range: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """Returns the gradients of `fake_quant_with_min_max_vars` for its inputs, min and max
    (`tf.quantization.fake_quant_with_min_max_vars_gradient`).

    Args:
        gradients: the gradient of the result.
        inputs: what was quantized.
        min: the lower bound.
        max: the upper bound.
        num_bits: how many bits a number has, 2 to 16.
        narrow_range: True leaves out the lowest number.
        name: a name in graphs.
    """
    given = _floats(gradients, inputs, min, max)
    return apply(FAKE_VARS_GRADIENT, given, _attrs(num_bits, narrow_range))


def fake_quant_with_min_max_vars_per_channel(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Does as `fake_quant_with_min_max_vars`, with bounds of its own for each place of the last
    axis (`tf.quantization.fake_quant_with_min_max_vars_per_channel`).

    Args:
        inputs: float32 values of shape (..., channels).
        min: the lower ends, float32 of shape (channels,).
        max: the upper ends, float32 of shape (channels,).
        num_bits: between 2 and 16.
        narrow_range: leave the lowest level out.
        name: ignored.

    Raises:
        InvalidArgumentError: a shape does not fit, or num_bits is out of range.

    >>> bounded = fake_quant_with_min_max_vars_per_channel([[9.0, 9.0]], [0.0, 0.0], [1.0, 2.0])
    >>> bounded.numpy().tolist()
    [[1.0, 2.0]]
    """
    return apply(FAKE_CHANNELS, _floats(inputs, min, max), _attrs(num_bits, narrow_range))


def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: TensorLike, inputs: TensorLike, min: TensorLike, max: TensorLike, num_bits: int = 8,
    narrow_range: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """Returns the gradients of `fake_quant_with_min_max_vars_per_channel` for its inputs, min and
    max (`tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient`).

    Args:
        gradients: the gradient of the result.
        inputs: what was quantized.
        min: the lower bound.
        max: the upper bound.
        num_bits: how many bits a number has, 2 to 16.
        narrow_range: True leaves out the lowest number.
        name: a name in graphs.
    """
    given = _floats(gradients, inputs, min, max)
    return apply(FAKE_CHANNELS_GRADIENT, given, _attrs(num_bits, narrow_range))
