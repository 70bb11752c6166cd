"""What raw ops want as one number, and say of a list of one, which the public functions take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..base.errors import invalid_argument
from ..base.shapes import runtime_text
from ..core.context import executing_eagerly
from .convert import is_tensor_like

_ALGORITHM = {"alg": "input 3 (0-based) must have shape [], not {shape}"}
_DIMENSION = {"dimension": "dim must be a scalar, but received tensor of shape: {shape}"}
_SIZES = {name: f"{name} must be a scalar" for name in ("num_rows", "num_cols")}
_BOXES = {
    name: f"{name} must be 0-D, got shape {{shape}}"
    for name in ("max_output_size", "iou_threshold", "score_threshold")
}

# Op -> argument -> what its kernel says.
_NUMBERS: dict[str, dict[str, str]] = {
    "ArgMax": _DIMENSION, "ArgMin": _DIMENSION,
    "DecodePaddedRaw": {"fixed_length": "k must be scalar, got shape {shape}"},
    "LinSpace": {
        name: f"{name} must be a scalar, not shape {{shape}}" for name in ("start", "stop")
    },
    "MatrixDiagV2": _SIZES, "MatrixDiagV3": _SIZES,
    "NonMaxSuppression": _BOXES, "NonMaxSuppressionV2": _BOXES, "NonMaxSuppressionV3": _BOXES,
    "NonMaxSuppressionV4": _BOXES, "NonMaxSuppressionV5": _BOXES,
    "NthElement": {"n": "N must be scalar but has rank {rank}"},
    "OneHot": {
        name: f"{name} must be a scalar, but got: {{shape}}"
        for name in ("depth", "on_value", "off_value")
    },
    "StatelessRandomNormalV2": _ALGORITHM, "StatelessRandomUniformFullIntV2": _ALGORITHM,
    "StatelessRandomUniformIntV2": _ALGORITHM, "StatelessRandomUniformV2": _ALGORITHM,
    "StatelessShuffle": _ALGORITHM, "StatelessTruncatedNormalV2": _ALGORITHM,
}  # fmt: skip


def check_numbers(op: str, given: Mapping[str, Any]) -> None:
    """Refuses what is no number where the op wants one.

    Args:
        op: its name.
        given: the arguments of the call.

    Raises:
        InvalidArgumentError: (in a graph ValueError) one has a shape.
    """
    for name, text in _NUMBERS.get(op, {}).items():
        value: Any = given.get(name)
        dims = value.shape.sizes if is_tensor_like(value) else np.asarray(value).shape
        if not dims:
            continue
        if not executing_eagerly():
            raise ValueError(f"Shape must be rank 0 but is rank {len(dims)} for {op!r}")
        raise invalid_argument(text.format(shape=runtime_text(dims), rank=len(dims)))
