"""Quantized tensors as TF 1 makes them."""

from __future__ import annotations

from typing import Any

from ...base.typing import DTypeLike, TensorLike
from ...ops.quantization import scales


def quantize_v2(
    input: TensorLike,
    min_range: Any,
    max_range: Any,
    T: DTypeLike,  # noqa: N803
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> Any:
    """Floats as integers of few bits (`tf.compat.v1.quantize_v2`)."""
    return scales.quantize(
        input, min_range, max_range, T, mode, round_mode, name, narrow_range, axis,
        ensure_minimum_range,
    )  # fmt: skip
