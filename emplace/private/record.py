"""`tensorflow.python.eager.record`: what libraries ask about tapes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..core.context import LOCAL


def should_record_backprop(tensors: Iterable[Any]) -> bool:
    """Whether a tape that records follows one of these tensors, so that what is computed from it
    can be differentiated.
    """
    followed = [tape._tracked for tape in LOCAL.state.tapes]
    return any(id(each) in tracked for each in tensors for tracked in followed)
