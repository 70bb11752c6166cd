"""What stands in a graph for the tensors of a function that was copied into it.

The gradient that a program writes for its own function is Python: it holds tensors of the graph in
which that function was traced. When the operations are copied into another graph, their gradients
are taken there, and those tensors stand for their copies.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple


class Copied(NamedTuple):
    """What the tensors of a graph became, by their ids.

    Those count while that graph lives only. It may end before the operations that were copied out
    of it, as a function does that was made while another one was traced, and its ids are given
    to other tensors then.
    """

    source: Callable[[], Any]
    made: Mapping[int, Any]

    @classmethod
    def of(cls, source: object, made: Mapping[int, Any]) -> Copied:
        """What the tensors of a graph became."""
        return cls(weakref.ref(source), made)

    def __reduce__(self) -> Any:
        """In another process the ids are of nothing."""
        return Copied, (_nothing, {})


def _nothing() -> None:
    return None


# One per time that an operation was copied.
Copies = Sequence[Copied]


class _Current(threading.local):
    copies: Copies = ()


_CURRENT = _Current()


@contextmanager
def standing_for(copies: Copies) -> Iterator[None]:
    """A scope in which tensors of copied operations stand for their copies."""
    before = _CURRENT.copies
    _CURRENT.copies = (*copies, *before)
    try:
        yield
    finally:
        _CURRENT.copies = before


def copy_of(x: Any) -> Any:
    """What a tensor became; itself, if it was not copied."""
    for source, made in _CURRENT.copies:
        graph = source()
        if graph is not None and getattr(x, "graph", None) is graph:
            x = made.get(id(x), x)
    return x
