"""Windows that are wider than their padded input, which a graph refuses where it is built.

Eager kernels, TensorFlow's as ours, answer with an empty tensor where exactly nothing is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.shapes import Dims
from ...ops.infer import Spec
from ...ops.nn.window import FORMATS, explicit_space, space_of
from ...ops.op import Op

_POOLS = ("MaxPool", "MaxPool3D", "MaxPoolWithArgmax", "AvgPool", "AvgPool3D")
_CONVOLUTIONS = ("Conv2D", "Conv3D", "DepthwiseConv2dNative")
_SLIDING = frozenset((*_POOLS, *_CONVOLUTIONS))


def too_narrow(op: Op, specs: Sequence[Spec], attrs: dict[str, Any]) -> str | None:
    """What TensorFlow says of the first dimension of the space that is narrower than the window;
    None if there is none, or it is not known by now.
    """
    if op.name not in _SLIDING or attrs.get("padding") == "SAME":
        return None
    dims = specs[0].dims
    if dims is None or len(dims) - 2 not in FORMATS:
        return None
    layout = attrs.get("data_format", FORMATS[len(dims) - 2][0])
    taps = _taps(op, specs, attrs, layout)
    if taps is None or len(taps) != len(dims) - 2:
        return None
    far = space_of(attrs.get("dilations", (1,) * len(dims)), layout)
    ends = (0,) * (2 * len(taps))
    if attrs.get("padding") == "EXPLICIT":
        ends = explicit_space(attrs["explicit_paddings"], layout)
    space = space_of(dims, layout)
    for size, count, step, low, high in zip(space, taps, far, ends[::2], ends[1::2], strict=False):
        if size is None or count is None:
            continue
        extent, there = (count - 1) * step + 1, size + low + high
        if there < extent:
            return f"Negative dimension size caused by subtracting {extent} from {there}"
    return None


def _taps(op: Op, specs: Sequence[Spec], attrs: dict[str, Any], layout: str) -> Dims | None:
    if op.name in _POOLS:
        return space_of(attrs["ksize"], layout)
    filter = specs[1].dims
    return None if filter is None else filter[: len(filter) - 2]
