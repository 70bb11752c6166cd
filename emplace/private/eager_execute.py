"""`tensorflow.python.eager.execute`, as far as libraries change it: they put a function of theirs
in the place of `record_gradient`, which then hears of each new operation of a graph.
"""

from __future__ import annotations

import sys
from types import ModuleType

from ..core.context import LOCAL
from ..interop.gradient_recording import record_gradient as record_gradient, record_through


def must_record_gradient() -> bool:
    """Whether a tape records."""
    return bool(LOCAL.state.tapes)


class _Module(ModuleType):
    """The module, which notices what is put into it."""

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if name == "record_gradient":
            record_through(value)  # type: ignore[arg-type]


sys.modules[__name__].__class__ = _Module
