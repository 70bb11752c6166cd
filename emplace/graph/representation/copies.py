"""What stands in a graph for the tensors of a function that was copied into it.

The gradient that a program writes for its own function is Python: it holds tensors of the graph in
which that function was traced. When the operations are copied into another graph, their gradients
are taken there, and those tensors stand for their copies.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

# By the id of a tensor what it became; one mapping per time that an operation was copied.
Copies = Sequence[Mapping[int, Any]]


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
    for each in _CURRENT.copies:
        x = each.get(id(x), x)
    return x
