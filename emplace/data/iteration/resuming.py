"""Iterators that go on behind an error.

A Python generator has ended when an error leaves it, and so have most of `itertools`. Here the
error is that of one element, so the iterators of nodes are classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from .position import Placed


class Failure:
    """An error that stands where an item would be."""

    __slots__ = ("error",)

    def __init__(self, error: Exception) -> None:
        self.error = error


class Outcomes(Placed):
    """Items, and a `Failure` for each that cannot be had: what a generator can go through."""

    __slots__ = ("items",)
    position: ClassVar[tuple[str, ...]] = ("items",)

    def __init__(self, items: Iterator[Any]) -> None:
        self.items = items

    def __next__(self) -> Any:
        try:
            return next(self.items)
        except StopIteration:
            raise
        except Exception as error:
            return Failure(error)


class Raised(Outcomes):
    """Items, with the error raised where a `Failure` is one."""

    __slots__ = ()

    def __next__(self) -> Any:
        item = next(self.items)
        if type(item) is Failure:
            raise item.error
        return item
