"""The form of a plan that does once what replicas do alike, and when it may run.

It may while the variables of the replicas have the same values. They have after such a run, and who
changes one makes that seen: by another tensor in its place, or by the count of changes that torch
keeps of a tensor. Then the values are compared, bit by bit.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ...core.tensor import EagerTensor
from ...ops.variables.following import follow
from ...ops.variables.resource import are_same
from ..passes.alike import Group

# What runs but a few times is not written a second time.
RUNS_BEFORE = 2
# How often in succession values may differ until nobody compares them any more.
MOST_DIFFERENCES = 3
#: A plan, which runs on tensors.
Form = Callable[[Sequence[EagerTensor]], list[EagerTensor]]
# A tensor, without holding it, and how often it has been changed.
_Stamp = tuple["weakref.ref[Any]", int]


class Together:
    """Runs a plan of replicas in the form that does once what they do alike.

    Args:
        make: makes that form, and says which variables must be the same; None if there is none.
    """

    def __init__(self, make: Callable[[], tuple[Form, list[Group]] | None]) -> None:
        self._make: Callable[[], tuple[Form, list[Group]] | None] | None = make
        self._lock = threading.Lock()
        self._runs = self._differences = 0
        self._plan: Form | None = None
        self._groups: list[Group] = []
        self._stamps: list[list[_Stamp]] = []

    def ready(self) -> Form | None:
        """That form, if it is there and the variables are the same on all replicas."""
        plan = self._plan or self._prepared()
        if plan is None or self._are_as_noted():
            return plan
        if self._compare():
            self._differences = 0
            return plan
        with self._lock:
            self._differences += 1
            if self._differences >= MOST_DIFFERENCES:
                self._plan = None
        return None

    def run(self, plan: Form, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        """Runs the form that was ready."""
        try:
            outputs = plan(tensors)
        except BaseException:
            # Perhaps the first replica's variables have changed, and the others' not yet.
            follow(self._groups)
            raise
        self._stamps = [[_stamp(each.value) for each in group] for group in self._groups]
        return outputs

    def _prepared(self) -> Form | None:
        """Makes the form once it is worth it."""
        if self._make is None:
            return None
        with self._lock:
            self._runs += 1
            if self._runs <= RUNS_BEFORE or self._make is None:
                return None
            make, self._make = self._make, None
        made = make()
        if made is not None:
            self._plan, self._groups = made
        return self._plan

    def _are_as_noted(self) -> bool:
        stamps = self._stamps
        if len(stamps) != len(self._groups):
            return False
        for group, noted in zip(self._groups, stamps, strict=True):
            for storage, (reference, changes) in zip(group, noted, strict=True):
                value = storage.value
                if value is None or reference() is not value or _changes(value) != changes:
                    return False
        return True

    def _compare(self) -> bool:
        """Whether the values are the same, bit by bit."""
        for group in self._groups:
            first = group[0].value
            for storage in group[1:]:
                if not _are_same(first, storage.value):
                    return False
        return True


def _stamp(value: Any) -> _Stamp:
    return weakref.ref(value), _changes(value)


def _changes(value: Any) -> int:
    """How often a tensor has been changed in its place."""
    found: int = value._version
    return found


def _are_same(one: Any, other: Any) -> bool:
    """Whether two values of variables are tensors with the same bits."""
    if one is None or other is None or one.shape != other.shape or one.dtype is not other.dtype:
        return False
    return one is other or are_same(one, other)
