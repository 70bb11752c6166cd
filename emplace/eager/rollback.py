"""A step that is refused memory changes no variable: what it has changed already is undone.

Before a step first writes into a variable, its old value is copied to the host; a refusal later
on writes the old values back. The copies are made only where a refusal is near: a step that has
run tells how much memory it takes after its first write, and as long as twice that is free,
nothing is copied. Nothing of this exists where no device is bounded.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType
from typing import Any

from ..base.errors import ResourceExhaustedError
from ..core.tensor import EagerTensor, Tensor
from ..devices.inventory import INVENTORY
from ..devices.memory import Budget, OutOfBudget
from ..ops.variables.resource import Storage

_SPARE_BYTES = 1 << 20


class Need:
    """What a step was seen to need: bytes above what is in use at its first write, by budget."""

    def __init__(self) -> None:
        self.seen: dict[Budget, int] | None = None

    def is_far(self, budgets: Iterable[Budget]) -> bool:
        """Whether a refusal is far away."""
        seen = self.seen
        return seen is not None and all(
            _free(budget) >= 2 * seen.get(budget, 0) + _SPARE_BYTES for budget in budgets
        )

    def learn(self, needs: dict[Budget, int]) -> None:
        """Notes what a step took."""
        before = self.seen or {}
        self.seen = {key: max(need, before.get(key, 0)) for key, need in needs.items()}


class _Journal:
    """The old values of what one step writes."""

    def __init__(self, need: Need) -> None:
        self._need = need
        self._is_on: bool | None = None
        self._old: dict[Storage, Any] = {}
        self._began: list[tuple[Budget, int, int]] = []

    def note(self, storage: Storage) -> None:
        """Keeps the value of a variable that is going to change."""
        if self._is_on is None:
            self._begin()
        if self._is_on and storage not in self._old:
            self._old[storage] = storage.kept()

    def _begin(self) -> None:
        budgets = bounded()
        self._is_on = not self._need.is_far(budgets)
        if self._is_on:
            self._began = [(b, b.usage().in_use, b.mark()) for b in budgets]

    def learn(self) -> None:
        """Notes what the step, which is done, took since its first write."""
        if self._is_on:
            self._need.learn({b: b.peak_since(mark) - used for b, used, mark in self._began})

    def undo(self) -> None:
        """Gives all variables their old values again."""
        for storage, old in self._old.items():
            storage.put_back(old)


class _ThreadJournals(threading.local):
    journal: _Journal | None = None


_LOCAL = _ThreadJournals()


def before_write(*handles: EagerTensor) -> None:
    """Tells the step that is running that it is going to write into variables."""
    journal = _LOCAL.journal
    if journal is not None:
        for handle in handles:
            storage = handle._value
            if type(storage) is Storage:
                journal.note(storage)


@contextmanager
def all_or_nothing(need: Need, codes: Sequence[CodeType] = ()) -> Iterator[None]:
    """A step: if it is refused memory, the variables that it told of are as they were before.

    Args:
        need: what it was seen to need.
        codes: of functions whose local values the error need not keep.
    """
    if _LOCAL.journal is not None or not bounded():  # a part of a step; or nobody refuses
        yield
        return
    journal = _LOCAL.journal = _Journal(need)
    try:
        yield
    except (ResourceExhaustedError, OutOfBudget) as error:
        _let_go(error, codes)
        journal.undo()
        raise
    else:
        journal.learn()
    finally:
        _LOCAL.journal = None


def whole(run: Callable[..., Any], codes: Sequence[CodeType]) -> Callable[..., Any]:
    """A function that is one step."""
    need = Need()

    def run_whole(*args: Tensor) -> Any:
        with all_or_nothing(need, codes):
            return run(*args)

    return run_whole


def bounded() -> list[Budget]:
    """The budgets that may refuse."""
    own = [device.budget for device in INVENTORY.devices() if device.budget is not None]
    found = [*own, *[each.parent for each in own if each.parent is not None]]
    return [budget for budget in dict.fromkeys(found) if budget.limit_bytes is not None]


def _free(budget: Budget) -> int:
    return (budget.limit_bytes or 0) - budget.usage().in_use


def _let_go(error: BaseException, codes: Sequence[CodeType]) -> None:
    """Lets go of the values that a failed function had."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code in codes:
            trace.tb_frame.clear()
        trace = trace.tb_next
