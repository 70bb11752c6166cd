"""Windows that are wider than their padded input, which a graph refuses where it is built.

Eager kernels, TensorFlow's as ours, answer with an empty tensor where exactly nothing is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.errors import InvalidArgumentError
from ...base.shapes import Dims
from ...ops.infer import Spec
from ...ops.nn.window import FORMATS, check_attrs, explicit_space, space_of
from ...ops.op import Op

_POOLS = ("MaxPool", "MaxPool3D", "MaxPoolWithArgmax", "AvgPool", "AvgPool3D")
_CONVOLUTIONS = ("Conv2D", "Conv3D", "DepthwiseConv2dNative")
_SLIDING = frozenset((*_POOLS, *_CONVOLUTIONS))


def too_narrow(op: Op, specs: Sequence[Spec], attrs: dict[str, Any]) -> str | None:
    """What TensorFlow says of the first dimension of the space that is narrower than the window;
    None if there is none, or it is not known by now.
    """
    if op.name not in _SLIDING:
        return None
    if any(spec.dims is None for spec in specs):
        wrong = _wrong_attributes(op, specs, attrs)
        if wrong is not None:
            return wrong
    if attrs.get("padding") == "SAME":
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
        if min(attrs["explicit_paddings"]) < 0:
            return None  # that is what is wrong then
        ends = explicit_space(attrs["explicit_paddings"], layout)
    space = space_of(dims, layout)
    for size, count, step, low, high in zip(space, taps, far, ends[::2], ends[1::2], strict=False):
        if size is None or count is None:
            continue
        extent, there = (count - 1) * step + 1, size + low + high
        if there < extent:
            return f"Negative dimension size caused by subtracting {extent} from {there}"
    return None


def _wrong_attributes(op: Op, specs: Sequence[Spec], attrs: dict[str, Any]) -> str | None:
    """What is wrong whatever the shape is that is not known: no rule is asked about that one."""
    rank = 3 if "3D" in op.name else 2
    layout = attrs.get("data_format", FORMATS[rank][0])
    numbers: dict[str, Any] = {
        key: attrs[key] for key in ("ksize", "strides", "dilations") if key in attrs
    }
    explicit = tuple(attrs.get("explicit_paddings", ()))
    try:
        check_attrs(numbers, layout, attrs["padding"], explicit, rank)
    except InvalidArgumentError as error:
        return error.message
    others = (len(spec.dims) for spec in specs[:2] if spec.dims is not None)
    wrong = next((each for each in others if each != rank + 2), None)
    return None if wrong is None else f"Shape must be rank {rank + 2} but is rank {wrong}"


def _taps(op: Op, specs: Sequence[Spec], attrs: dict[str, Any], layout: str) -> Dims | None:
    if op.name in _POOLS:
        return space_of(attrs["ksize"], layout)
    filter = specs[1].dims
    return None if filter is None else filter[: len(filter) - 2]
