"""Iterators that go on behind an error.

A Python generator has ended when an error leaves it, and so have most of `itertools`. Here the
error is that of one element, so the iterators of nodes are made of functions instead.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

_NEVER = object()


def resumable(step: Callable[[], Any]) -> Iterator[Any]:
    """What `step` returns each time, until it raises StopIteration. Any other error is one of an
    item: the next call goes on behind it.
    """
    return iter(step, _NEVER)


def flattened(iterables: Iterator[Iterable[Any]]) -> Iterator[Any]:
    """The items of several iterables in a row. An error takes the place of one that cannot be
    had.
    """
    return itertools.chain.from_iterable(_Shielded(iterables))


class _Shielded:
    """Iterables, and for an error one that raises it."""

    __slots__ = ("iterables",)

    def __init__(self, iterables: Iterator[Iterable[Any]]) -> None:
        self.iterables = iterables

    def __iter__(self) -> _Shielded:
        return self

    def __next__(self) -> Iterable[Any]:
        try:
            return next(self.iterables)
        except StopIteration:
            raise
        except Exception as error:
            return _raising(error)


def _raising(error: Exception) -> Iterator[Any]:
    raise error
    yield


class Failure:
    """An error that stands where an item would be."""

    __slots__ = ("error",)

    def __init__(self, error: Exception) -> None:
        self.error = error


def outcomes(items: Iterator[Any]) -> Iterator[Any]:
    """Items, and a `Failure` for each that cannot be had: what a generator can go through."""

    def step() -> Any:
        try:
            return next(items)
        except StopIteration:
            raise
        except Exception as error:
            return Failure(error)

    return resumable(step)


def raised(items: Iterator[Any]) -> Iterator[Any]:
    """Items, with the error raised where a `Failure` is one."""

    def step() -> Any:
        item = next(items)
        if type(item) is Failure:
            raise item.error
        return item

    return resumable(step)
