"""Whether tensors are what they were: whoever keeps what follows from the values of variables asks.

Torch counts how often a tensor was changed in its place, unless it was made in inference mode.
Tensors are not held meanwhile, so variables still change where they are.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch.autograd.graph import increment_version

#: A tensor, without holding it, and how often it had been changed.
Stamp = tuple["weakref.ref[torch.Tensor]", int]

_COUNTS_NOTHING = torch.Tensor.is_inference


def stamps_of(values: Sequence[Any]) -> list[Stamp] | None:
    """What tells later whether these are unchanged; None if nothing does."""
    if any(map(_COUNTS_NOTHING, values)):
        return None
    return [(weakref.ref(x), x._version) for x in values]


def are_unchanged(values: Iterable[Any], stamps: Iterable[Stamp]) -> bool:
    """Whether these are the tensors of before, with the same numbers."""
    for x, (reference, changes) in zip(values, stamps, strict=True):
        source: Any = reference()
        if x is None or x is not source or x._version != changes:
            return False
    return True


def note_changes(values: Iterable[torch.Tensor]) -> None:
    """Has torch count that values were changed in their place, where it did not see it."""
    for value in values:
        increment_version(value)
