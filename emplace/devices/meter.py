"""What a kernel takes beyond its inputs while it runs: torch's calls, seen as they allocate.

A `Meter` is a mode of torch. It sees every operation of torch that a kernel is made of, adds the
storages that come back, lets them go when they die, and adds what torch's own kernels take besides
(`workspaces.py`). On tensors without memory (torch's device "meta") it measures a rehearsal.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

from .charges import Charge
from .memory import OutOfBudget, round_up
from .modes import Mode
from .workspaces import workspace_bytes


class _Alive(weakref.ref[torch.UntypedStorage]):
    """A storage that a kernel has made, and its bytes."""

    __slots__ = ("key", "nbytes")

    key: int
    nbytes: int


class Meter(Mode):
    """A block in which what torch allocates is added up. `peak` is the most at once, in bytes.

    Args:
        given: what was there before.
        allowed: how many bytes may be taken without asking.
        ask: is told how many bytes more are taken than were allowed so far; it may raise
            OutOfBudget, which then ends the kernel. `asked` is the sum of what it was told.
    """

    def __init__(
        self,
        given: Iterable[torch.Tensor],
        allowed: int = 0,
        ask: Callable[[int], None] | None = None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._given = {_storage(x)._cdata for x in given}
        self._allowed = allowed
        self._ask = ask
        self.asked = 0
        self._alive: dict[int, _Alive] = {}
        self.now = self.peak = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        for value in tensors_in(made):
            self._meet(value)
        nbytes = workspace_bytes(func, args, made)
        most = self.now + nbytes
        if most > self.peak:
            if self._ask is not None and most > self._allowed:
                self._ask_for(most - self._allowed, made)
            self.peak = most
        return made

    def _ask_for(self, nbytes: int, made: object) -> None:
        assert self._ask is not None
        try:
            self._ask(nbytes)
        except OutOfBudget as refusal:
            value = next(tensors_in(made))
            refusal.shape, refusal.dtype = tuple(value.shape), value.dtype
            raise
        self.asked += nbytes
        self._allowed += nbytes

    def _meet(self, value: torch.Tensor) -> None:
        """Adds a value's memory, if it is new and nobody else counts it."""
        storage = _storage(value)
        key = storage._cdata
        if key in self._alive or key in self._given:
            return
        if any(isinstance(each, Charge) for each in weakref.getweakrefs(storage)):
            return
        alive = _Alive(storage, self._bury)
        alive.key, alive.nbytes = key, round_up(storage.nbytes())
        self._alive[key] = alive
        self.now += alive.nbytes

    def _bury(self, dead: _Alive) -> None:
        self.now -= dead.nbytes
        if self._alive.get(dead.key) is dead:
            del self._alive[dead.key]

    def bytes_of(self, values: Iterable[torch.Tensor]) -> int:
        """The bytes of those of these values that came to be in the block."""
        keys = {_storage(x)._cdata for x in values}
        return sum(alive.nbytes for key, alive in self._alive.items() if key in keys)


def tensors_in(made: object) -> Iterator[torch.Tensor]:
    """The tensors with memory among what an operation of torch, or a kernel, returns."""
    if isinstance(made, torch.Tensor):
        if made.layout is torch.strided:
            yield made
    elif isinstance(made, (tuple, list)):
        for each in made:
            yield from tensors_in(each)


def _storage(x: torch.Tensor) -> torch.UntypedStorage:
    return getattr(x, "elements", x).untyped_storage()
