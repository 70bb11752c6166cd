"""Arithmetic on scalars, all in one call: what a plan makes of a learning rate's way from a step's
number to Adam, or of a loss's into its mean (`graph/passes/scalars.py`).

A call of torch's takes twenty times as long as Python takes for one number, most of all between
large products, which have taken the place of its code in the caches. Python's numbers are float64:
a sum, a product, a quotient or a root of theirs that is rounded to float32, to a normal number, is
that of float32 numbers, bit by bit; a power may differ in the last one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from ctypes import c_float
from typing import Any

import torch

from ...base import dtypes
from ...devices.device import HOST
from ..infer import Spec
from ..op import op
from .map_steps import MapStep

# To write a chain out takes as long as torch does it so many times.
RUNS_BEFORE = 10
_SAME = "{0}"
#: By the names of TensorFlow's ops: what each does with scalars, in Python.
SCALAR_STEPS = {
    "Add": "{0} + {1}",
    "AddV2": "{0} + {1}",
    "Cast": "float({0})",
    "DivNoNan": "{0} / {1} if {1} else 0.0",
    "Mul": "{0} * {1}",
    "Neg": "-{0}",
    "Pow": "power({0}, {1})",
    "RealDiv": "{0} / {1}",
    "Rsqrt": "1.0 / rounded(sqrt({0})).value",
    "Sqrt": "sqrt({0})",
    "Square": "{0} * {0}",
    "Sub": "{0} - {1}",
    # Of a scalar there is nothing to add up, spread or see otherwise.
    "BroadcastTo": _SAME,
    "Reshape": _SAME,
    "Squeeze": _SAME,
    "Sum": _SAME,
}


def _power(x: float, y: float) -> float:
    """x to the power of y, and as torch has it, roots of -0 and of infinity below 0."""
    if y in (0.5, -0.5):
        return math.sqrt(x) if y > 0 else 1.0 / math.sqrt(x)
    return math.pow(x, y)


_NAMES = {"rounded": c_float, "power": _power, "sqrt": math.sqrt}


def computes(name: str) -> bool:
    """Whether one of these ops makes another number than it is given."""
    return SCALAR_STEPS[name] is not _SAME


class FusedScalars:
    """The ops, and what is wanted of them. Values are numbered: those that a call is given, those
    that are known before, those of the ops in their order.

    Args:
        given: how many values a call is given.
        known: values that are known before.
        steps: the ops, and the values that each is given.
        outputs: the values that are wanted.
    """

    def __init__(
        self, given: int, known: Sequence[torch.Tensor], steps: Sequence[MapStep],
        outputs: Sequence[int],
    ) -> None:  # fmt: skip
        self._given = given
        self._known = tuple(known)
        self._steps = tuple(steps)
        self.outputs = tuple(outputs)
        self._runs = 0
        self._function: Callable[..., tuple[float, ...]] | None = None

    def __repr__(self) -> str:
        return f"<{' '.join(step.name for step in self._steps)}>"

    def __call__(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The wanted values."""
        if torch.compiler.is_compiling() or any(x.requires_grad or x.is_meta for x in tensors):
            return self._by_torch(tensors)
        if self._function is None:
            self._runs += 1
            if self._runs <= RUNS_BEFORE:
                return self._by_torch(tensors)
            self._function = self._written()
        try:
            made = self._function(*[x.item() for x in tensors])
        except (ArithmeticError, ValueError):  # Python has no infinite quotient, and no such root
            return self._by_torch(tensors)
        return [torch.scalar_tensor(value, dtype=torch.float32, device=HOST) for value in made]

    def _by_torch(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        values = [*tensors, *self._known]
        for step in self._steps:
            given = [values[i] for i in step.given]
            # No result shares memory with a variable, whatever is seen of it.
            made = step.kernel(*given, **step.attrs) if computes(step.name) else given[0].clone()
            values.append(made)
        return [values[i] for i in self.outputs]

    def _written(self) -> Callable[..., tuple[float, ...]]:
        """What makes the wanted values of those that it is given, as numbers of Python's."""
        given, known = self._given, self._known
        lines = [f"def scalars({', '.join(f'v{i}' for i in range(given))}):"]
        for i, step in enumerate(self._steps, given + len(known)):
            value = SCALAR_STEPS[step.name].format(*[f"v{place}" for place in step.given])
            lines.append(f"    v{i} = rounded({value}).value")
        lines.append(f"    return ({''.join(f'v{i}, ' for i in self.outputs)})")
        space: dict[str, Any] = {f"v{given + i}": number.item() for i, number in enumerate(known)}
        space |= _NAMES
        exec("\n".join(lines), space)
        written: Callable[..., tuple[float, ...]] = space["scalars"]
        return written


def fused_scalars_kernel(*inputs: torch.Tensor, scalars: FusedScalars) -> list[torch.Tensor]:
    """The wanted values."""
    return scalars(inputs)


def _spec(*inputs: Spec, scalars: FusedScalars) -> list[Spec]:
    return [Spec((), dtypes.float32) for _ in scalars.outputs]


FUSED_SCALARS = op(
    "_FusedScalars", "inputs: N * T -> outputs: N * U", fused_scalars_kernel, _spec,
    is_listed=False, T=(dtypes.float32, dtypes.int32, dtypes.int64), U=(dtypes.float32,),
)  # fmt: skip
