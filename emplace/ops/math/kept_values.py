"""Values that variables alone decide, computed once for as long as these do not change: what a plan
makes of arithmetic on parameters that every prediction would repeat
(`graph/passes/kept_values.py`).

Who changes a variable makes that seen, by another tensor in its place or by the count of changes
that torch keeps of a tensor. The tensors are not held, so variables still change where they are.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from ...base import dtypes
from ..infer import Spec
from ..op import op

# Of a tensor that was made in torch's inference mode changes are not counted.
_COUNTS_NOTHING = torch.Tensor.is_inference


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
    """What was computed, of which tensors, and how often these had been changed before."""

    sources: list[weakref.ref[torch.Tensor]]
    changes: list[int]
    values: list[torch.Tensor]


class KeptValues:
    """The ops, and what is wanted of them.

    Args:
        steps: the ops, in an order in which they can run.
        wanted: the numbers of the values that are wanted: memory of their own, in which nobody
            writes.
        specs: what these are.
    """

    def __init__(
        self, steps: Sequence[KeptStep], wanted: Sequence[int], specs: Sequence[Spec]
    ) -> None:
        self.steps = tuple(steps)
        self.wanted = tuple(wanted)
        self.specs = tuple(specs)
        # One tuple, for several threads may run the plan.
        self._kept: _Noted | None = None

    def __repr__(self) -> str:
        return f"<{', '.join(step.name for step in self.steps)}>"

    def __call__(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The wanted values."""
        if torch.compiler.is_compiling():
            return self._made(inputs)
        kept = self._kept
        if kept is not None and _are_unchanged(inputs, kept):
            return kept.values
        changes = None if any(map(_COUNTS_NOTHING, inputs)) else [x._version for x in inputs]
        made = self._made(inputs)
        if changes is not None and not any(x.requires_grad for x in inputs):
            self._kept = _Noted([*map(weakref.ref, inputs)], changes, made)
        return made

    def _made(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        values = [*inputs]
        for _, kernel, attrs, given, makes_list in self.steps:
            made = kernel(*[values[i] for i in given], **attrs)
            values += made if makes_list else [made]
        return [values[i] for i in self.wanted]


def _are_unchanged(inputs: Sequence[torch.Tensor], kept: _Noted) -> bool:
    """Whether these are the tensors of before, with the same numbers."""
    for x, source, changes in zip(inputs, kept.sources, kept.changes, strict=True):
        if source() is not x or x._version != changes:
            return False
    return True


def kept_values_kernel(*inputs: torch.Tensor, values: KeptValues) -> list[torch.Tensor]:
    """The wanted values."""
    return values(inputs)


def _spec(*_: Spec, values: KeptValues) -> list[Spec]:
    return list(values.specs)


KEPT_VALUES = op(
    "_KeptValues", "inputs: N * T -> outputs: N * U", kept_values_kernel, _spec, is_listed=False,
    T=dtypes.FLOATS, U=dtypes.FLOATS,
)  # fmt: skip
