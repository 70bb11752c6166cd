"""A step that is refused memory changes no variable: what it has changed already is undone.

Before a step first writes into a variable, its old value is copied to the host; a refusal later
on writes the old values back. The copies are made only where a refusal is near: a step that has
run tells how much memory it takes after its first write, and as long as twice that is free,
nothing is copied, and so much is kept free for it. Nothing of this exists where no device is
bounded.
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


class Need:
    """What a step was seen to need: bytes above what is in use at its first write, by budget."""

    def __init__(self) -> None:
        self.seen: dict[Budget, int] | None = None

    def promised(self, budgets: Sequence[Budget]) -> list[tuple[Budget, int]] | None:
        """Keeps what was seen free for this thread if a refusal is far away; None if it is not."""
        seen = self.seen
        if seen is None:
            return None
        found: list[tuple[Budget, int]] = []
        parents = {budget.parent for budget in budgets}  # for which their children promise
        for budget in budgets:
            need = seen.get(budget, 0)
            own = 0 if budget in parents else need
            if not budget.reserve_easily(0, 2 * need, own):
                release(found)
                return None
            found.append((budget, own))
        return found

    def learn(self, needs: dict[Budget, int]) -> None:
        """Notes what a step took."""
        before = self.seen or {}
        self.seen = {key: max(need, before.get(key, 0)) for key, need in needs.items()}


def release(promised: Iterable[tuple[Budget, int]]) -> None:
    """Lets everybody have again what was kept free for this thread."""
    for budget, need in promised:
        if need:
            budget.promise(-need)


class _Journal:
    """The old values of what one step writes."""

    def __init__(self, need: Need) -> None:
        self._need = need
        self._is_on: bool | None = None
        self._old: dict[Storage, Any] = {}
        self._began: list[tuple[Budget, int, int]] = []
        self._promised: list[tuple[Budget, int]] = []

    def note(self, storage: Storage) -> None:
        """Keeps the value of a variable that is going to change."""
        if self._is_on is None:
            self._begin()
        if self._is_on and storage not in self._old:
            self._old[storage] = storage.kept()

    def _begin(self) -> None:
        budgets = bounded()
        promised = self._need.promised(budgets)
        self._is_on = promised is None
        self._promised = promised or []
        if self._is_on:
            self._began = [(b, b.usage().in_use, b.mark()) for b in budgets]

    def learn(self) -> None:
        """Notes what the step, which is done, took since its first write."""
        if self._is_on:
            self._need.learn({b: b.peak_since(mark) - used for b, used, mark in self._began})

    def end(self) -> None:
        """The step is over, however."""
        release(self._promised)

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
        journal.end()


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


def _let_go(error: BaseException, codes: Sequence[CodeType]) -> None:
    """Lets go of the values that a failed function had."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code in codes:
            trace.tb_frame.clear()
        trace = trace.tb_next
