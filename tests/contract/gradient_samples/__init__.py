"""Inputs on which the gradient of each op is checked: random, away from kinks, in float64.

Ops of one or two inputs that need no attributes get a sample by themselves; every other op that
can have a gradient needs an entry in the `SAMPLES` of its family's file here. A family may also
have `FOR_AUTOGRAD` (kernels that change values in place, which autograd cannot follow, written
without that, and those that read a part of their input) and `NO_SECOND_ORDER` (names of ops whose
second gradient is not torch's, with a reason).
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from emplace.base import dtypes
from emplace.ops.op import Op

from .makers import Sample, pairs, real

SAMPLES: dict[str, list[Sample]] = {}
FOR_AUTOGRAD: dict[str, Any] = {}
NO_SECOND_ORDER: set[str] = set()

for _module in pkgutil.iter_modules(__path__):
    _family = importlib.import_module(f"{__name__}.{_module.name}")
    SAMPLES.update(getattr(_family, "SAMPLES", {}))
    FOR_AUTOGRAD.update(getattr(_family, "FOR_AUTOGRAD", {}))
    NO_SECOND_ORDER.update(getattr(_family, "NO_SECOND_ORDER", ()))


def samples_of(op: Op) -> list[Sample]:
    """What to check the gradient of `op` on; nothing if it has no sample."""
    if op.name in SAMPLES:
        return SAMPLES[op.name]
    if any(arg.is_host or arg.is_list for arg in op.inputs):
        return []
    if len(op.inputs) == 2:
        return pairs(real)
    return [Sample((real(3, 4),)), Sample((real(),))] if len(op.inputs) == 1 else []


# Random numbers keep their place in the distribution while its parameters change, which torch does
# not know of: tests/behaviour/random_numbers/test_random_samples.py.
_IMPLICIT = (
    "StatelessRandomGammaV3", "RandomGammaGrad", "StatelessParameterizedTruncatedNormal",
)  # fmt: skip


def is_differentiable(op: Op) -> bool:
    """True if floats go in and come out, it does not touch a state, and torch knows how."""
    if op.name in _IMPLICIT:
        return False
    takes = any(takes_floats(op, arg.type) for arg in op.tensor_inputs)
    gives = any(takes_floats(op, arg.type) for arg in op.outputs)
    return takes and gives and not op.stateful


def takes_floats(op: Op, type_name: str) -> bool:
    if type_name in ("DstT", "dtype"):
        return True
    return type_name == "float64" or dtypes.float64 in op.types.get(type_name, ())
