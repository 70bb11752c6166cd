"""Graphs of strict virtual GPUs: what CUDA's would do and refuse, without hardware.

While work is recorded nothing of it happens: what it changed in memory that was there before is put
back, and what it made holds NaN until a replay. A wait and a copy from the host are refused. A
replay runs the same operations of torch on the same memory, and knows nothing else of the host.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_map

from ..base.errors import InternalError
from .backend import Capture


class _Slot:
    """A tensor that an operation made, by its number."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class _Recording(threading.local):
    """The capture that this thread records; None mostly."""

    capture: StrictCapture | None = None


RECORDING = _Recording()


def refuse_while_recording(what: str) -> None:
    """Refuses what hardware refuses while it records, in this thread.

    Raises:
        InternalError: work is being recorded.
    """
    if RECORDING.capture is not None:
        raise InternalError(
            None, None,
            f"While a graph is recorded nothing may wait for the GPU or come from the host's "
            f"memory, and the GPU {what} (strict virtual GPUs).",
        )  # fmt: skip


class StrictCapture(Capture):
    """The operations of torch that one run of something asked for, to be run again."""

    def __init__(self) -> None:
        self._calls: list[tuple[Any, Any, Any, list[int]]] = []
        self._slots = 0
        #: The storages that were there before and have changed, with what they held.
        self._before: dict[int, tuple[torch.UntypedStorage, torch.UntypedStorage]] = {}
        self._made: set[int] = set()
        #: What the run returned: which slot each fills, None for memory that was there before.
        self._returned: list[tuple[torch.Tensor, int]] = []

    def warm_up(self, run: Callable[[], Any]) -> Any:
        """Runs it; there is one queue, and nothing to make."""
        return run()

    def record(self, run: Callable[[], Any]) -> Any:
        """Records it, and leaves memory as it was.

        Raises:
            InternalError: it waits, or copies from the host.
        """
        RECORDING.capture = self
        try:
            made = run()
        except BaseException:
            self._calls.clear()
            raise
        finally:
            RECORDING.capture = None
            for storage, held in self._before.values():
                storage.copy_(held)
            self._before.clear()
        for each in tree_flatten(made)[0]:
            slot = getattr(each, "slot", None)
            if slot is not None and slot[0] is self:
                self._returned.append((each.elements, slot[1]))
                if _place(each) in self._made:
                    _spoil(each.elements)
        return made

    def replay(self) -> None:
        """Runs the operations again, on the same memory."""
        values: dict[int, torch.Tensor] = {}

        def found(x: Any) -> Any:
            return values[x.number] if isinstance(x, _Slot) else x

        for func, args, kwargs, slots in self._calls:
            made = func(*tree_map(found, args), **tree_map(found, kwargs))
            results = [x for x in tree_flatten(made)[0] if isinstance(x, torch.Tensor)]
            for number, each in zip(slots, results, strict=True):
                values[number] = each
        for buffer, number in self._returned:
            buffer.copy_(values[number])

    # -- what strict tensors tell while they are recorded --------------------------------------

    def before(self, func: Any, args: Any, kwargs: Any) -> None:
        """An operation is about to run: what it may write into is kept."""
        if not func._schema.is_mutable:
            return
        for x in _strict_among((args, kwargs)):
            place = _place(x)
            if place not in self._made and place not in self._before:
                storage = x.elements.untyped_storage()
                self._before[place] = storage, storage.clone()

    def after(self, func: Any, args: Any, kwargs: Any, made: Any) -> None:
        """An operation has run, on strict tensors, and made others."""
        given, results = _strict_among((args, kwargs)), _strict_among(made)
        if not given and not results:
            return  # work of the host, which no replay knows of
        taken = tree_map(self._reference, args), tree_map(self._reference, kwargs)
        places = set(map(_place, given))
        slots = []
        for x in tree_flatten(made)[0]:
            if not isinstance(x, torch.Tensor):
                continue
            slots.append(self._slots)
            if any(x is each for each in results) and not any(x is each for each in given):
                x.slot = self, self._slots  # type: ignore[attr-defined]
                if _place(x) not in places:
                    self._made.add(_place(x))
            self._slots += 1
        self._calls.append((func, *taken, slots))

    def _reference(self, x: Any) -> Any:
        """What a replay finds a value by: its slot, or the memory that was there before."""
        if isinstance(x, torch.device):
            return torch.device("cpu")
        slot = getattr(x, "slot", None)
        if slot is not None and slot[0] is self:
            return _Slot(slot[1])
        return getattr(x, "elements", x)


def _strict_among(structure: Any) -> list[Any]:
    return [x for x in tree_flatten(structure)[0] if hasattr(x, "elements")]


def _place(x: Any) -> int:
    """Which storage a strict tensor is in."""
    return int(x.elements.untyped_storage()._cdata)


def _spoil(x: torch.Tensor) -> None:
    """Fills memory with what nobody should take for a result."""
    if x.is_floating_point() or x.is_complex():
        x.fill_(float("nan"))
    else:
        x.zero_()
