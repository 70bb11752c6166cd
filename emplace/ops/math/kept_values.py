"""Values that variables alone decide, computed once for as long as these do not change: what a plan
makes of arithmetic on parameters that every prediction would repeat
(`graph/passes/kept_values.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from ...base import dtypes
from ..changes import Stamp, are_unchanged, stamps_of
from ..op import op


class KeptStep(NamedTuple):
    """One op: its kernel and attributes, the numbers of the values that it is given (inputs first,
    then what earlier ones made), and whether it makes a list of values, or one.
    """

    name: str
    kernel: Callable[..., Any]
    attrs: dict[str, Any]
    given: tuple[int, ...]
    makes_list: bool


class _Noted(NamedTuple):
    """What was computed, and of which tensors."""

    sources: list[Stamp]
    values: list[torch.Tensor]


class KeptValues:
    """The ops, and what is wanted of them.

    Args:
        steps: the ops, in an order in which they can run.
        wanted: the numbers of the values that are wanted: memory of their own, in which nobody
            writes.
    """

    def __init__(self, steps: Sequence[KeptStep], wanted: Sequence[int]) -> None:
        self.steps = tuple(steps)
        self.wanted = tuple(wanted)
        # One tuple, for several threads may run the plan.
        self._kept: _Noted | None = None

    def __repr__(self) -> str:
        return f"<{', '.join(step.name for step in self.steps)}>"

    def __call__(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The wanted values."""
        if torch.compiler.is_compiling():
            return self._made(inputs)
        kept = self._kept
        if kept is not None and are_unchanged(inputs, kept.sources):
            return kept.values
        sources, made = stamps_of(inputs), self._made(inputs)
        if sources is not None and not any(x.requires_grad for x in inputs):
            self._kept = _Noted(sources, made)
        return made

    def _made(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        values = [*inputs]
        for _, kernel, attrs, given, makes_list in self.steps:
            made = kernel(*[values[i] for i in given], **attrs)
            values += made if makes_list else [made]
        return [values[i] for i in self.wanted]


def kept_values_kernel(*inputs: torch.Tensor, values: KeptValues) -> list[torch.Tensor]:
    """The wanted values."""
    return values(inputs)


KEPT_VALUES = op(
    "_KeptValues", "inputs: N * T -> outputs: N * U", kept_values_kernel, None, is_listed=False,
    T=dtypes.FLOATS, U=dtypes.FLOATS,
)  # fmt: skip
