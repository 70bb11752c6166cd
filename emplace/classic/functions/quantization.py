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
    """Returns floats as integers of few bits (`tf.compat.v1.quantize_v2`).

    Args:
        input: the tensor.
        min_range: what the lowest integer stands for.
        max_range: what the highest integer stands for.
        T: a quantized type.
        mode: as of `tf.quantization.quantize`.
        name: a name in graphs.
        round_mode: as of `tf.quantization.quantize`.
        narrow_range: as of `tf.quantization.quantize`.
        axis: the axis along which both signs lie behind each other.
        ensure_minimum_range: as of `tf.quantization.quantize`.
    """
    return scales.quantize(
        input, min_range, max_range, T, mode, round_mode, name, narrow_range, axis,
        ensure_minimum_range,
    )  # fmt: skip
