"""Gradients of `ops/quantization`: as if nothing had been rounded."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..ops.op import apply
from ..ops.quantization import fake, round_trip, scales
from .rules import Recorded, gradient, not_differentiable

not_differentiable(
    fake.FAKE_ARGS_GRADIENT, fake.FAKE_VARS_GRADIENT, fake.FAKE_CHANNELS_GRADIENT,
    round_trip.ROUND_TRIP_GRADIENT,
)  # fmt: skip


@gradient(fake.FAKE_ARGS)
def args_grad(call: Recorded, dy: Tensor) -> Tensor:
    """Rounded between two numbers."""
    return apply(fake.FAKE_ARGS_GRADIENT, (dy, *call.inputs), call.attrs)


@gradient(fake.FAKE_VARS)
def vars_grad(call: Recorded, dy: Tensor) -> Any:
    """Rounded between two tensors."""
    return apply(fake.FAKE_VARS_GRADIENT, (dy, *call.inputs), call.attrs)


@gradient(fake.FAKE_CHANNELS)
def channels_grad(call: Recorded, dy: Tensor) -> Any:
    """Rounded between two vectors."""
    return apply(fake.FAKE_CHANNELS_GRADIENT, (dy, *call.inputs), call.attrs)


@gradient(round_trip.ROUND_TRIP_V2, round_trip.ROUND_TRIP_V3)
def round_trip_grad(call: Recorded, dy: Tensor) -> Any:
    """Rounded and scaled back: the gradient passes."""
    return dy, None, None


@gradient(round_trip.ROUND_TRIP_V4)
def limited_round_trip_grad(call: Recorded, dy: Tensor) -> Any:
    """Rounded and scaled back: the gradient passes within the range."""
    attrs = {"axis": call.attrs.get("axis", -1)}
    return apply(round_trip.ROUND_TRIP_GRADIENT, (dy, *call.inputs), attrs)


@gradient(scales.QUANTIZE, scales.DEQUANTIZE, scales.QUANTIZED_CONCAT)
def quantized_grad(call: Recorded, *dy: Any) -> Any:
    """Integers: TensorFlow refuses as well.

    Raises:
        LookupError: always.
    """
    raise LookupError(f"gradient registry has no entry for: {call.op.name}")
