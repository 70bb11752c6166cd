"""Kernels of shape arithmetic on GPUs keep what the host knows of their results.

`tf.fill([tf.shape(x)[0]], 1)` asks for a number that comes from the host; on a GPU the host would
wait to get it back. So these kernels compute on the host as well, where it knows all their inputs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..devices.device import Device, Kind
from ..devices.inventory import INVENTORY
from ..devices.known import TYPES, is_worth_it, known, remember
from ..ops.op import Op

_SHAPE_ARITHMETIC = frozenset((
    "AddV2", "Cast", "ConcatV2", "ExpandDims", "Fill", "FloorDiv", "FloorMod", "GatherV2",
    "Identity", "Maximum", "Minimum", "Mul", "OnesLike", "Pack", "Prod", "Range", "Reshape",
    "Slice", "Squeeze", "StridedSlice", "Sub", "Sum", "Unpack", "ZerosLike",
))  # fmt: skip

Kernel = Callable[..., Any]


def keeping(op: Op, device: Device, kinds: Sequence[Kind], kernel: Kernel, there: Kernel) -> Kernel:
    """A kernel as it runs on a device.

    Args:
        op: its op.
        device: the device.
        kinds: those of its inputs.
        kernel: the kernel for any device.
        there: the same for this device; itself where nothing is kept.
    """
    is_small = all(kind.dtype.torch in TYPES for kind in kinds)
    if device.backend.on_host or op.name not in _SHAPE_ARITHMETIC or not is_small:
        return there
    here = functools.partial(kernel, device=INVENTORY.devices()[0]) if op.is_factory else kernel

    def run(*values: Any, **attrs: Any) -> Any:
        made = there(*values, **attrs)
        elements = [known(value) for value in values]
        results = made if isinstance(made, (tuple, list)) else (made,)
        if all(x is not None for x in elements) and all(map(is_worth_it, results)):
            own = here(*elements, **attrs)
            for result, its in zip(results, own if results is made else (own,), strict=True):
                remember(result, its)
        return made

    return run
