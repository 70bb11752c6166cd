"""The form of a plan that does once what replicas do alike, and when it may run.

It may while the variables of the replicas have the same values. They have after such a run, and who
changes one makes that seen: by another tensor in its place, or by the count of changes that torch
keeps of a tensor. Then the values are compared, bit by bit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from ...core.tensor import EagerTensor
from ...ops.changes import Stamp, are_unchanged, stamps_of
from ...ops.variables.following import follow
from ...ops.variables.resource import are_same
from ..passes.alike import Group

# What runs but a few times is not written a second time.
RUNS_BEFORE = 2
# How often in succession values may differ until nobody compares them any more.
MOST_DIFFERENCES = 3
#: A plan, which runs on tensors.
Form = Callable[[Sequence[EagerTensor]], list[EagerTensor]]


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
        self._stamps: list[Stamp] | None = None

    def ready(self) -> Form | None:
        """That form, if it is there and the variables are the same on all replicas."""
        plan = self._plan or self._prepared()
        if plan is None:
            return None
        if self._stamps is not None and are_unchanged(self._values(), self._stamps):
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
        self._stamps = stamps_of(self._values())
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

    def _values(self) -> list[Any]:
        return [storage.value for group in self._groups for storage in group]

    def _compare(self) -> bool:
        """Whether the values are the same, bit by bit."""
        for group in self._groups:
            first = group[0].value
            for storage in group[1:]:
                if not _are_same(first, storage.value):
                    return False
        return True


def _are_same(one: Any, other: Any) -> bool:
    """Whether two values of variables are tensors with the same bits."""
    if one is None or other is None or one.shape != other.shape or one.dtype is not other.dtype:
        return False
    return one is other or are_same(one, other)
