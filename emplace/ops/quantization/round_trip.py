"""Floats rounded to few bits and back, with a scale that keeps zero where it is."""

from __future__ import annotations

import math
from typing import Any

import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ...devices.late import is_late, note
from ..arguments import known_int
from ..convert import is_tensor_like, to_tensor
from ..infer import Spec, shape_only
from ..op import Op, apply, op

_ROUNDINGS = ("HALF_TO_EVEN", "HALF_UP")


def _by_channel(x: torch.Tensor, axis: int) -> torch.Tensor:
    """What is before an axis, that axis, what is after it; one channel without an axis."""
    if axis == -1:
        return x.reshape(1, 1, -1)
    return x.reshape(math.prod(x.shape[:axis]), x.shape[axis], -1)


def _scales(
    low: torch.Tensor, high: torch.Tensor, first: float, last: float
) -> tuple[torch.Tensor, ...]:
    """The scale, its inverse, and the range as it is used: the tighter end decides."""
    most = torch.full_like(low, torch.finfo(low.dtype).max)
    lowest, highest = torch.full_like(low, first), torch.full_like(low, last)
    by_low = torch.where(lowest * low > 0, lowest / low, most)
    by_high = torch.where(highest * high > 0, highest / high, most)
    is_low = by_low < by_high
    inverse = torch.where(is_low, low / lowest, high / highest)
    return (
        torch.where(is_low, by_low, by_high),
        inverse,
        torch.where(is_low, low, lowest * inverse),
        torch.where(is_low, highest * inverse, high),
    )


def _ends(signed_input: bool, num_bits: int, narrow_range: bool) -> tuple[float, float]:
    if signed_input:
        half = 2 ** (num_bits - 1)
        return float(-half + narrow_range), float(half - 1)
    return 0.0, float(2**num_bits - 1)


def round_trip_kernel(
    input: torch.Tensor,
    input_min: torch.Tensor,
    input_max: torch.Tensor,
    *,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    narrow_range: bool = False,
    axis: int = -1,
) -> torch.Tensor:
    """Scaled, rounded and scaled back; limited only where the range is given."""
    _round_trip_rule(
        *map(shape_only, (input, input_min, input_max)), num_bits=num_bits,
        signed_input=signed_input, range_given=range_given, axis=axis, round_mode=round_mode,
    )  # fmt: skip
    if not input.numel():
        return input.clone()
    x = _by_channel(input, axis)
    if range_given:
        low, high = input_min.reshape(-1, 1), input_max.reshape(-1, 1)
        if is_late(low):
            note((low > high).any(), _check_order, (low, high))
        else:
            _check_order(low, high)
    else:
        low, high = x.amin((0, 2)).unsqueeze(1), x.amax((0, 2)).unsqueeze(1)
    scale, inverse, low, high = _scales(low, high, *_ends(signed_input, num_bits, narrow_range))
    if range_given:
        x = torch.maximum(torch.minimum(x, high), low)
    scaled = x * scale
    rounded = scaled.round() if round_mode == "HALF_TO_EVEN" else torch.floor(scaled + 0.5)
    return (rounded * inverse).reshape(input.shape)


def _check_order(low: torch.Tensor, high: torch.Tensor) -> None:
    if bool((low > high).any()):
        place = int((low > high).reshape(-1).nonzero()[0, 0])
        ends = [each.reshape(-1)[place].item() for each in (low, high)]
        raise invalid_argument(f"Invalid range: input_min {ends[0]:g} > input_max {ends[1]:g}")


def variable_bits_kernel(
    input: torch.Tensor,
    input_min: torch.Tensor,
    input_max: torch.Tensor,
    *,
    num_bits: int,
    signed_input: bool = True,
    range_given: bool = True,
    narrow_range: bool = False,
    axis: int = -1,
) -> torch.Tensor:
    """As `round_trip_kernel`; TensorFlow takes the number of bits as a tensor."""
    return round_trip_kernel(
        input, input_min, input_max, signed_input=signed_input, num_bits=num_bits,
        range_given=range_given, narrow_range=narrow_range, axis=axis,
    )  # fmt: skip


def gradient_kernel(
    gradients: torch.Tensor,
    input: torch.Tensor,
    input_min: torch.Tensor,
    input_max: torch.Tensor,
    *,
    axis: int = -1,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Gradients pass where the input was in the range; the range itself gets none."""
    _gradient_rule(*map(shape_only, (gradients, input, input_min, input_max)), axis=axis)
    x = _by_channel(input, axis)
    low, high = input_min.reshape(-1, 1), input_max.reshape(-1, 1)
    within = ((x >= low) & (x <= high)).reshape(input.shape)
    return gradients * within, torch.zeros_like(input_min), torch.zeros_like(input_max)


def _check_bounds(input: Spec, low: Spec, high: Spec, axis: int) -> None:
    """The ends are scalars, or vectors of one number for each place of the axis."""
    for spec, name in ((low, "input_min"), (high, "input_max")):
        if spec.dims is None or input.dims is None:
            continue
        if axis == -1 and spec.dims != ():
            raise invalid_argument(f"{name} must be a scalar.")
        if axis != -1 and len(spec.dims) != 1:
            raise invalid_argument(
                f"Shape must be rank 1 for {name}_tensor when the axis is specified"
            )
        if axis != -1 and _differ(spec.dims[0], input.dims[axis]):
            raise invalid_argument(
                f"{name}_tensor has incorrect size, was {spec.dims[0]} expected "
                f"{input.dims[axis]} to match dim {axis} of the input"
            )


def _differ(size: int | None, other: int | None) -> bool:
    return None not in (size, other) and size != other


def _check_axis(input: Spec, axis: int) -> None:
    if axis < -1:
        raise invalid_argument(f"axis should be at least -1, got {axis}")
    if input.dims is not None and axis >= len(input.dims):
        raise invalid_argument(
            f"Shape must be at least rank {axis + 1} but is rank {len(input.dims)}"
        )


def _round_trip_rule(
    input: Spec,
    input_min: Spec,
    input_max: Spec,
    *,
    num_bits: int = 8,
    signed_input: bool = True,
    range_given: bool = False,
    axis: int = -1,
    round_mode: str = "HALF_TO_EVEN",
    **attrs: Any,
) -> Spec:
    _check_axis(input, axis)
    if round_mode not in _ROUNDINGS:
        raise invalid_argument(
            f"Value for attr 'round_mode' of \"{round_mode}\" is not in the list of allowed "
            'values: "HALF_TO_EVEN", "HALF_UP"'
        )
    if not 0 < num_bits < 63 - signed_input:
        raise invalid_argument(
            f"num_bits is out of range: {num_bits} with signed_input_ {int(signed_input)}"
        )
    if range_given:
        _check_bounds(input, input_min, input_max, axis)
    return input


def _variable_bits_rule(
    input: Spec, input_min: Spec, input_max: Spec, *, range_given: bool = True, **attrs: Any
) -> Spec:
    return _round_trip_rule(input, input_min, input_max, range_given=range_given, **attrs)


def _gradient_rule(
    gradients: Spec, input: Spec, input_min: Spec, input_max: Spec, *, axis: int = -1
) -> tuple[Spec, Spec, Spec]:
    if None not in (gradients.dims, input.dims) and gradients.dims != input.dims:
        raise invalid_argument("gradient and input must be the same size")
    for spec, name in ((input_min, "min"), (input_max, "max")):
        if spec.dims is None or input.dims is None:
            continue
        if axis == -1 and spec.dims != ():
            raise invalid_argument(f"input_{name} must be a scalar if axis is unspecified")
        if axis != -1 and spec.dims != (input.dims[axis],):
            raise invalid_argument(
                f"{name} has incorrect size, expected {input.dims[axis]} was {spec.dims[0]}"
            )
    return input, input_min, input_max


def _declare(name: str) -> Op:
    return op(
        name, "input: T, input_min: T, input_max: T -> output: T", round_trip_kernel,
        _round_trip_rule, T=dtypes.FLOATS, unsupported_types=dtypes.HALVES, checks=True,
    )  # fmt: skip


ROUND_TRIP_V2 = _declare("QuantizeAndDequantizeV2")
ROUND_TRIP_V4 = _declare("QuantizeAndDequantizeV4")
ROUND_TRIP_V3 = op(
    "QuantizeAndDequantizeV3",
    "input: T, input_min: T, input_max: T, num_bits: host -> output: T",
    variable_bits_kernel, _variable_bits_rule, checks=True, T=dtypes.FLOATS,
    unsupported_types=dtypes.HALVES,
)  # fmt: skip
ROUND_TRIP_GRADIENT = op(
    "QuantizeAndDequantizeV4Grad",
    "gradients: T, input: T, input_min: T, input_max: T -> "
    "input_backprop: T, input_min_backprop: T, input_max_backprop: T",
    gradient_kernel, _gradient_rule, T=dtypes.FLOATS, unsupported_types=dtypes.HALVES,
)  # fmt: skip


def quantize_and_dequantize_v2(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """Returns what is left of values that were stored in few bits
    (`tf.quantization.quantize_and_dequantize_v2`).

    Args:
        input: float32 or float64 values of any shape.
        input_min: the lower end where `range_given`: a scalar, or one number per place of `axis`.
        input_max: the upper end, likewise.
        signed_input: count from -2 ** (num_bits - 1); else from 0.
        num_bits: at most 61 with a sign, 62 without.
        range_given: limit to the given range; else the range is that of the values.
        round_mode: "HALF_TO_EVEN" or "HALF_UP".
        name: ignored.
        narrow_range: leave the lowest number out.
        axis: give each place of this axis its own range.

    Returns:
        Values like `input`. Gradients pass where it is between input_min and input_max.

    Raises:
        InvalidArgumentError: an argument is out of range or has a shape that does not fit.

    >>> quantize_and_dequantize_v2([0.0, 0.3, 3.0], 0.0, 3.0, num_bits=3).numpy().tolist()
    [0.0, 0.0, 3.0]
    """
    return _round_trip(
        ROUND_TRIP_V4, (input, input_min, input_max), axis, signed_input=signed_input,
        num_bits=num_bits, range_given=range_given, round_mode=round_mode,
        narrow_range=narrow_range,
    )  # fmt: skip


def quantize_and_dequantize(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """Does as `quantize_and_dequantize_v2`, but gradients pass everywhere
    (`tf.quantization.quantize_and_dequantize`, which TensorFlow advises against).
    """
    return _round_trip(
        ROUND_TRIP_V2, (input, input_min, input_max), axis, signed_input=signed_input,
        num_bits=num_bits, range_given=range_given, round_mode=round_mode,
        narrow_range=narrow_range,
    )  # fmt: skip


def _round_trip(record: Op, given: tuple[Any, ...], axis: int | None, **attrs: Any) -> Tensor:
    dtype = next((each.dtype for each in given if is_tensor_like(each)), None)
    x = to_tensor(given[0], None if is_tensor_like(given[0]) else dtype)
    values = [x, *(to_tensor(v, None if is_tensor_like(v) else x.dtype) for v in given[1:])]
    place = -1 if axis is None else known_int(axis)
    if axis is not None and place < 0:
        place += x.shape.rank
    return apply(record, tuple(values), {**attrs, "axis": place})
