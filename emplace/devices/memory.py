"""Memory budgets: how much a logical device may hold, how much it holds, and what holds it.

A `Budget` is asked before anything is allocated (`reserve`), told afterwards which storages came
back (`settle`), and gives their bytes back by itself when the last tensor on a storage dies.
Views share a storage, so they cost nothing. Everything here is in bytes, and every storage
counts as a multiple of 256 bytes, as in TensorFlow's allocator.
"""

from __future__ import annotations

import gc
import heapq
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch

from ..base.garbage import CollectionPacer

_COLLECTIONS = CollectionPacer()

GRANULE_BYTES = 256
FIRST_REGION_BYTES = 2 << 20
_SPARE_BYTES = 1 << 20


def format_bytes(nbytes: float) -> str:
    """A size as people read it: '24 B', '1.50 MiB'."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(nbytes) < 1024:
            return f"{nbytes:.0f} B" if unit == "B" else f"{nbytes:.2f} {unit}"
        nbytes /= 1024
    return f"{nbytes:.2f} TiB"


def round_up(nbytes: int) -> int:
    """`nbytes` as a budget counts it: the next multiple of 256; nothing for nothing."""
    return (nbytes + GRANULE_BYTES - 1) & -GRANULE_BYTES


class OutOfBudget(Exception):  # noqa: N818  # never leaves the runtime: it becomes ResourceExhausted
    """`nbytes` more would pass the limit of `budget`. Nothing was charged.

    `shape` and `dtype` are those of the tensor they were for, where `allocate` knew it.
    """

    def __init__(self, budget: Budget, nbytes: int) -> None:
        super().__init__(nbytes)
        self.budget = budget
        self.nbytes = nbytes
        self.shape: tuple[int, ...] = ()
        self.dtype: torch.dtype | None = None


class Usage(NamedTuple):
    """What a budget holds, in bytes. `reserved` is what an allocator would have mapped."""

    in_use: int
    peak: int
    reserved: int
    limit: int | None


class Peaks:
    """How high a level has been since each of several moments, told by one number that is reset.

    `mark` is called with the peak since the mark before, just before that peak starts again.
    """

    __slots__ = ("_marks", "_past")

    def __init__(self) -> None:
        self._marks = 0
        # (the mark that ended a stretch, its peak). Falling: a lower peak before a higher one
        # answers no question.
        self._past: list[tuple[int, int]] = []

    def mark(self, peak: int) -> int:
        """Ends a stretch; returns the moment, to ask `since` for."""
        while self._past and self._past[-1][1] <= peak:
            self._past.pop()
        self._marks += 1
        self._past.append((self._marks, peak))
        return self._marks

    def since(self, moment: int, peak: int) -> int:
        """The peak since a moment, given the peak since the last mark."""
        return max([past for mark, past in self._past if mark > moment] + [peak])


class Charge(weakref.ref[torch.UntypedStorage]):
    """The bytes one living storage is charged with, to whom, and who asked for them."""

    __slots__ = ("nbytes", "op_name", "owner", "shape")

    nbytes: int
    op_name: str
    owner: Budget
    shape: tuple[int, ...]


class Budget:
    """The memory account of one logical device.

    Storages die at any moment in any thread, also while this thread holds the lock: their death
    only appends to a queue (which is atomic), and whoever is next does the sums. The lock lets its
    own thread in again, because a garbage collection may run a program's `__del__` inside it.

    Args:
        limit_bytes: the most it may hold; None counts without refusing.
        growth: True maps memory as it is needed, False all of the limit at the first allocation.
        parent: the account of the physical device behind several logical ones, charged as well.
            The family shares lock, queue and charges, so that what one child frees the next
            may have.
    """

    __slots__ = (
        "_charges", "_dead", "_in_use", "_limit", "_lock", "_next_region", "_on_death", "_peak",
        "_peaks", "_promised", "_reserved", "_reset_at", "_watch_above", "growth", "parent",
    )  # fmt: skip

    def __init__(
        self, limit_bytes: int | None, growth: bool = False, parent: Budget | None = None
    ) -> None:
        self.growth = growth
        self.parent = parent
        self._lock: Any = threading.RLock() if parent is None else parent._lock
        self._dead: deque[Charge] = deque() if parent is None else parent._dead
        self._on_death = self._dead.append
        self._charges: set[Charge] = set() if parent is None else parent._charges
        self._in_use = self._peak = self._reserved = 0
        self._peaks = Peaks()
        #: What is kept free for some threads, which may take it at any time.
        self._promised: dict[int, int] = {}
        self._reset_at = 0
        self._next_region = FIRST_REGION_BYTES
        # Up to here a reservation neither meets the limit, nor raises the peak, nor maps memory.
        self._watch_above = 0
        self._limit = limit_bytes

    @property
    def limit_bytes(self) -> int | None:
        """The most it may hold, or None. Less than is in use refuses everything new."""
        return self._limit

    @limit_bytes.setter
    def limit_bytes(self, limit_bytes: int | None) -> None:
        with self._lock:
            self._limit = limit_bytes
            self._watch_above = 0

    def reserve(self, nbytes: int) -> None:
        """Sets `nbytes` (rounded already) aside, before they are allocated.

        Raises:
            OutOfBudget: they do not fit, not even after a garbage collection: tensors in dead
                cycles count as free. Nothing has changed.
        """
        with self._lock:
            if self._dead:
                self._bury()
            in_use = self._in_use + nbytes
            if in_use <= self._watch_above:
                self._in_use = in_use
                return
        self._reserve_with_care(nbytes)

    def reserve_easily(self, nbytes: int, room: int, promised: int = 0) -> bool:
        """Sets `nbytes` aside if `room` and a little more is free; says whether it was.

        `promised` bytes stay free for this thread, besides, until `promise` takes them back.
        """
        with self._lock:
            if self._dead:
                self._bury()
            if not self._has(room + _SPARE_BYTES):
                return False
            if promised:
                self.promise(promised)
            in_use = self._in_use + nbytes
            if in_use <= self._watch_above:
                self._in_use = in_use
            else:
                self._add(nbytes)
            return True

    def promise(self, nbytes: int) -> None:
        """Keeps so much free for this thread, or, below 0, so much less."""
        mine = threading.get_ident()
        with self._lock:
            left = self._promised.pop(mine, 0) + nbytes
            if left > 0:
                self._promised[mine] = left
            if nbytes > 0 and self._limit is not None:
                free_up_to = self._limit - sum(self._promised.values())
                self._watch_above = min(self._watch_above, free_up_to)
            if self.parent is not None:
                self.parent.promise(nbytes)

    def _promised_to_others(self) -> int:
        mine = threading.get_ident()
        return sum(nbytes for thread, nbytes in self._promised.items() if thread != mine)

    def _has(self, nbytes: int) -> bool:
        """Whether so much is free, here and in the device behind it."""
        taken = self._in_use + (self._promised_to_others() if self._promised else 0)
        if self._limit is not None and self._limit - taken < nbytes:
            return False
        return self.parent is None or self.parent._has(nbytes)

    def _reserve_with_care(self, nbytes: int) -> None:
        try:
            self._add(nbytes)
        except OutOfBudget:
            if not self._could_fit(nbytes):
                raise
            gc.collect(1)  # what has died young costs little to find
            if not self._fits(nbytes):
                _COLLECTIONS.collect(lambda: self._fits(nbytes))
            self._add(nbytes)

    def has_easily(self, nbytes: int) -> bool:
        """Whether so much is free, as far as one look tells: no is no answer."""
        if self._limit is not None:
            taken = self._in_use + (sum(self._promised.values()) if self._promised else 0)
            if self._limit - taken < nbytes:
                return False
        return self.parent is None or self.parent.has_easily(nbytes)

    def has_room(self, nbytes: int) -> bool:
        """Whether so much is free, once garbage has been collected. Nothing is set aside."""
        if self._fits(nbytes):
            return True
        if not self._could_fit(nbytes):
            return False
        gc.collect(1)
        if not self._fits(nbytes):
            _COLLECTIONS.collect(lambda: self._fits(nbytes))
        return self._fits(nbytes)

    def _could_fit(self, nbytes: int) -> bool:
        """Whether so much would fit if nothing were in use."""
        if self._limit is not None and nbytes > self._limit:
            return False
        return self.parent is None or self.parent._could_fit(nbytes)

    def _fits(self, nbytes: int) -> bool:
        """Whether so much fits now."""
        try:
            with self._lock:
                self._bury()
                self._check(nbytes)
        except OutOfBudget:
            return False
        return True

    def cancel(self, nbytes: int) -> None:
        """Gives back what `reserve` set aside, because nothing was allocated after all."""
        with self._lock:
            self._in_use -= nbytes
            if self.parent is not None:
                self.parent._in_use -= nbytes

    def settle(self, reserved: int, values: Iterable[torch.Tensor], op_name: str) -> None:
        """Replaces a reservation by the charges of the storages that really came back.

        Storages charged already (the values are views) cost nothing.

        Raises:
            OutOfBudget: the storages are larger than was reserved, and do not fit. Neither they
                nor the reservation are charged; the caller drops them.
        """
        with self._lock:
            if self._dead:
                self._bury()
            fresh, actual = [], 0
            for value in values:
                storage = value.untyped_storage()
                if weakref.getweakrefcount(storage) and self._has_charged(storage):
                    continue
                # This reference lives exactly as long as the memory, whoever holds it: a tensor,
                # a view, a NumPy array or a DLPack capsule.
                charge = Charge(storage, self._on_death)
                charge.nbytes = nbytes = (storage.nbytes() + GRANULE_BYTES - 1) & -GRANULE_BYTES
                charge.op_name = op_name
                charge.owner = self
                charge.shape = value.shape
                self._charges.add(charge)
                actual += nbytes
                fresh.append(charge)
            if actual < reserved:
                self.cancel(reserved - actual)
            elif actual > reserved:
                try:
                    self._reserve_with_care(actual - reserved)
                except OutOfBudget:
                    self._charges.difference_update(fresh)
                    self.cancel(reserved)
                    raise

    def settle_one(self, reserved: int, value: torch.Tensor, op_name: str) -> None:
        """The same for one value: if it is new and as large as was reserved, as most are, no sum
        changes and nobody needs to be locked out.
        """
        storage = value.untyped_storage()
        nbytes = (storage.nbytes() + GRANULE_BYTES - 1) & -GRANULE_BYTES
        if nbytes != reserved or weakref.getweakrefcount(storage):
            self.settle(reserved, (value,), op_name)
            return
        charge = Charge(storage, self._on_death)
        charge.nbytes = nbytes
        charge.op_name = op_name
        charge.owner = self
        charge.shape = value.shape
        self._charges.add(charge)

    def allocate(
        self, like: torch.Tensor, make: Callable[[], torch.Tensor], op_name: str
    ) -> torch.Tensor:
        """What `make` returns, as large as `like`: asked for before, charged after.

        Raises:
            OutOfBudget: it does not fit; `make` was not called.
        """
        reserved = round_up(like.numel() * like.element_size())
        try:
            self.reserve(reserved)
            try:
                value = make()
            except BaseException:
                self.cancel(reserved)
                raise
            self.settle(reserved, (value,), op_name)
        except OutOfBudget as refusal:
            refusal.shape, refusal.dtype = tuple(like.shape), like.dtype
            raise
        return value

    def usage(self) -> Usage:
        """The account as it stands."""
        with self._lock:
            self._bury()
            peak = self._peaks.since(self._reset_at, self._peak)
            return Usage(self._in_use, peak, self._reserved, self._limit)

    def reset_peak(self) -> None:
        """Forgets the peak: it starts again from what is in use now."""
        self._reset_at = self.mark()

    def unmap(self) -> None:
        """Makes as if the allocator had mapped what is in use only, if memory grows."""
        with self._lock:
            self._bury()
            if self.growth or self._limit is None:
                self._reserved, self._next_region = self._in_use, FIRST_REGION_BYTES
                self._watch_above = 0

    def mark(self) -> int:
        """This moment, to ask `peak_since` for. Changes nothing that `usage` tells."""
        with self._lock:
            self._bury()
            moment = self._peaks.mark(self._peak)
            self._peak = self._in_use
            self._watch_above = 0
            return moment

    def peak_since(self, moment: int) -> int:
        """The most bytes in use since a moment; 0 is the beginning."""
        with self._lock:
            return self._peaks.since(moment, self._peak)

    def biggest(self, count: int = 3) -> list[Charge]:
        """The largest charges alive, largest first; a parent's are those of its children."""
        with self._lock:
            self._bury()
            living = list(self._charges)  # a finalizer may add some while we look at them
            mine = [c for c in living if self in (c.owner, c.owner.parent)]
            return heapq.nlargest(count, mine, key=lambda charge: charge.nbytes)

    def _has_charged(self, storage: torch.UntypedStorage) -> bool:
        return any(
            each in self._charges and each.owner is self for each in weakref.getweakrefs(storage)
        )

    def _add(self, nbytes: int) -> None:
        with self._lock:
            self._bury()
            self._check(nbytes)
            self._count(nbytes)
            if self.parent is not None:
                self.parent._count(nbytes)
            else:
                self._watch_above = min(self._peak, self._reserved)
                if self._limit is not None:
                    promised = sum(self._promised.values()) if self._promised else 0
                    self._watch_above = min(self._watch_above, self._limit - promised)

    def _check(self, nbytes: int) -> None:
        taken = self._in_use + (self._promised_to_others() if self._promised else 0)
        if self._limit is not None and nbytes > max(0, self._limit - taken):
            raise OutOfBudget(self, nbytes)
        if self.parent is not None:
            self.parent._check(nbytes)

    def _count(self, nbytes: int) -> None:
        self._in_use = in_use = self._in_use + nbytes
        if in_use > self._peak:
            self._peak = in_use
        if in_use > self._reserved:
            self._map(nbytes)

    def _map(self, nbytes: int) -> None:
        # TF: the whole limit at once, or with growth in regions of 2, 4, 8 ... MiB. One that must
        # be larger for a request sets the size of the next. Regions are never given back.
        if not self.growth and self._limit is not None:
            self._reserved = self._limit
            return
        region = self._next_region
        self._next_region = region * 2
        while region < nbytes:
            region = self._next_region = region * 2
        self._reserved += region
        if self._limit is not None:
            self._reserved = min(self._reserved, self._limit)

    def _bury(self) -> None:
        dead = self._dead
        while dead:
            charge = dead.popleft()
            self._charges.discard(charge)
            owner = charge.owner
            owner._in_use -= charge.nbytes
            if owner.parent is not None:
                owner.parent._in_use -= charge.nbytes
