"""Memory budgets: how much a logical device may hold, how much it holds, and what holds it.

A `Budget` is asked before anything is allocated (`reserve`), told afterwards which storages came
back (`settle`), and gives their bytes back by itself when the last tensor on a storage dies.
Views share a storage, so they cost nothing. Everything here is in bytes, and every storage
counts as a multiple of 256 bytes, as in TensorFlow's allocator.
"""

from __future__ import annotations

import gc
import heapq
import math
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from sys import getrefcount
from typing import Any, NamedTuple

import torch

from ..base.garbage import CollectionPacer
from .charges import MADE, Charge, Made, Maker, let_searches_end

_COLLECTIONS = CollectionPacer()

GRANULE_BYTES = 256
FIRST_REGION_BYTES = 2 << 20
_SPARE_BYTES = 1 << 20
# A peak is looked at when it is higher than the one that was looked at last by an eighth. So all of
# n equal tensors together are gone through 9 n times at most.
FIRST_SNAPSHOT_BYTES = 64 << 10
_SNAPSHOT_STEP = 8
# How many functions are between a charge and the first that may be the program's: `settle` and who
# asked it at least; for `settle_one` the door to torch, the target and the function of an op.
_DEPTH = 2
_DEPTH_OF_KERNELS = 6
_CLOSED = -1
# How much young results may take together, and one of them.
_YOUNG_BYTES = 64 << 10
MOST_YOUNG_BYTES = 8 << 10


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


def is_new(value: torch.Tensor) -> bool:
    """Whether the memory of a value is not charged yet, once the sums have been asked for."""
    return not weakref.getweakrefcount(value.untyped_storage())


class OutOfBudget(Exception):  # noqa: N818  # never leaves the runtime: it becomes ResourceExhausted
    """`nbytes` more would pass the limit of `budget`. Nothing was charged.

    `shape` and `dtype` are those of the tensor they were for, where `allocate` knew it; `scratch`
    is how many of the bytes a kernel would have taken only while it ran.
    """

    def __init__(self, budget: Budget, nbytes: int) -> None:
        super().__init__(nbytes)
        self.budget = budget
        self.nbytes = nbytes
        self.shape: tuple[int, ...] = ()
        self.dtype: torch.dtype | None = None
        self.scratch = 0


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


class NearPeak(NamedTuple):
    """What was charged when a budget was near its peak: `in_use` bytes, those of `charges`, which
    may have died since, and of what `made` was about to make.
    """

    in_use: int
    charges: tuple[Charge, ...]
    made: Made


class Claim:
    """What a value is reserved as before it is charged: its bytes, and its shape."""

    __slots__ = ("nbytes", "shape")

    def __init__(self, nbytes: int, shape: tuple[int, ...]) -> None:
        self.nbytes = nbytes
        self.shape = shape


#: A young value, what it is reserved as, and what made it.
Young = tuple[torch.Tensor, Claim, Made]


class Budget:
    """The memory account of one logical device.

    Storages die at any moment in any thread, also while this thread holds the lock: their death
    only appends to a queue (which is atomic), and whoever is next does the sums. The lock lets its
    own thread in again, because a garbage collection may run a program's `__del__` inside it.

    A lock costs as much as all the rest of a reservation, so most do without. Python hands the
    processor to another thread only where it calls something or jumps backwards, and the few lines
    that say so do neither (tests look at their bytecode). They work up to the *gate* only: whoever
    needs the sums to stand still closes it, under the lock.

    A weak reference costs half a small op, and most results are small and die at once. So a small
    result of an op that has been seen to make new storages of just this size is *young* first: it
    is held, not charged, until `_YOUNG_BYTES` of them have come or somebody asks for the sums.
    Those that nobody else holds by then are let go, the others are charged.

    Args:
        limit_bytes: the most it may hold; None counts without refusing.
        growth: True maps memory as it is needed, False all of the limit at the first allocation.
        parent: the account of the physical device behind several logical ones, charged as well.
            The family shares lock, queue and charges, so that what one child frees the next
            may have.
    """

    __slots__ = (
        "_charges", "_dead", "_free_to", "_gate", "_in_use", "_known_to", "_limit", "_lock",
        "_next_region", "_on_death", "_peak", "_peaks", "_promised", "_reserved", "_reset_at",
        "_snapshot", "_snapshot_above", "_young", "growth", "parent", "settle_later",
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
        self._snapshot: NearPeak | None = None
        self._snapshot_above = FIRST_SNAPSHOT_BYTES
        # Up to the gate a reservation neither meets the limit, nor raises the peak, nor maps
        # memory, nor lets young results take more than they may. While it is open, `_free_to` says
        # up to where there is room to spare, `_known_to` up to where the peak is.
        self._gate = _CLOSED
        self._free_to: float = 0
        self._known_to = 0
        self._limit = limit_bytes
        #: Held, not charged.
        self._young: deque[Young] = deque()
        #: Takes one more of them, of 1 to MOST_YOUNG_BYTES bytes, where there is no parent.
        self.settle_later = self._young.append

    @property
    def limit_bytes(self) -> int | None:
        """The most it may hold, or None. Less than is in use refuses everything new."""
        return self._limit

    @limit_bytes.setter
    def limit_bytes(self, limit_bytes: int | None) -> None:
        with self._lock:
            self._gate = _CLOSED
            self._limit = limit_bytes

    def reserve(self, nbytes: int) -> None:
        """Sets `nbytes` (rounded already) aside, before they are allocated.

        Raises:
            OutOfBudget: they do not fit, not even after a garbage collection: tensors in dead
                cycles count as free. Nothing has changed.
        """
        in_use = self._in_use + nbytes  # no other thread runs from here
        if in_use <= self._gate:
            self._in_use = in_use  # to here
            return
        if self._dead:
            with self._lock:
                self._tidy()
        else:
            self._let_young_go()
        in_use = self._in_use + nbytes  # nor from here
        if in_use <= self._gate:
            self._in_use = in_use  # to here
            return
        self._reserve_with_care(nbytes)

    def reserve_easily(self, nbytes: int, room: int, promised: int = 0, besides: int = 0) -> bool:
        """Sets `nbytes` aside if `room` and a little more is free; says whether it was.

        `promised` bytes stay free for this thread, besides, until `promise` takes them back.
        `besides` is what is taken for so short a time and is so little that it is not set aside:
        the peak counts it, and what is free besides the room has to do for all threads.
        """
        if not promised:
            in_use = self._in_use  # no other thread runs from here
            if in_use <= self._gate and in_use + room <= self._free_to:
                taken = in_use + nbytes
                if taken + besides <= self._known_to:
                    self._in_use = taken  # to here
                    return True
            if self._young and not self._dead:  # those that have died may be all that is too much
                self._let_young_go()
            in_use = self._in_use  # nor from here
            if in_use <= self._gate and in_use + room <= self._free_to:
                taken = in_use + nbytes
                if taken + besides <= self._known_to:
                    self._in_use = taken  # to here
                    return True
        with self._lock:
            self._gate = _CLOSED
            self._tidy()
            if not self._has(room + _SPARE_BYTES):
                self._open()
                return False
            if promised:
                self._promise(promised)
            self._add(nbytes + besides)
            if besides:
                self.cancel(besides)
            return True

    def promise(self, nbytes: int) -> None:
        """Keeps so much free for this thread, or, below 0, so much less."""
        with self._lock:
            self._gate = _CLOSED
            self._promise(nbytes)
            self._open()

    def _promise(self, nbytes: int) -> None:
        mine = threading.get_ident()
        left = self._promised.pop(mine, 0) + nbytes
        if left > 0:
            self._promised[mine] = left
        if self.parent is not None:
            self.parent._promise(nbytes)

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
            if not self.has_room(nbytes):
                raise
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
        gc.collect(1)  # what has died young costs little to find
        if not self._fits(nbytes):
            let_searches_end()
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
                self._tidy()
                self._check(nbytes)
        except OutOfBudget:
            return False
        return True

    def cancel(self, nbytes: int) -> None:
        """Gives back what `reserve` set aside, because nothing was allocated after all."""
        self._in_use = in_use = self._in_use - nbytes  # no other thread runs from here
        if self._gate > in_use + _YOUNG_BYTES:
            self._gate = in_use + _YOUNG_BYTES  # to here
        if self.parent is not None:
            self.parent._in_use -= nbytes

    def settle(self, reserved: int, values: Iterable[torch.Tensor], maker: Maker | str) -> None:
        """Replaces a reservation by the charges of the storages that really came back.

        Storages charged already (the values are views) cost nothing. `maker` is what made them: an
        op's name, or what else is known.

        Raises:
            OutOfBudget: the storages are larger than was reserved, and do not fit. Neither they
                nor the reservation are charged; the caller drops them.
        """
        with self._lock:
            self._tidy()
            fresh, actual = [], 0
            for value in values:
                storage = value.untyped_storage()
                if weakref.getweakrefcount(storage) and self._has_charged(storage):
                    continue
                nbytes = (storage.nbytes() + GRANULE_BYTES - 1) & -GRANULE_BYTES
                origin = MADE.call(maker, _DEPTH)
                fresh.append(self._charge(storage, nbytes, origin, value.dtype, value.shape))
                actual += nbytes
            if actual < reserved:
                self.cancel(reserved - actual)
            elif actual > reserved:
                try:
                    self._reserve_with_care(actual - reserved)
                except OutOfBudget:
                    self._charges.difference_update(fresh)
                    self.cancel(reserved)
                    raise

    def settle_one(
        self, reserved: int, value: torch.Tensor, maker: Maker | str,
        shape: tuple[int, ...] | None = None,
    ) -> bool:  # fmt: skip
        """The same for one value, whose `shape` the caller may know: if it is new and as large as
        was reserved, as most are, no sum changes and nobody needs to be locked out. Says whether
        it was.
        """
        storage = value.untyped_storage()
        nbytes = (storage.nbytes() + GRANULE_BYTES - 1) & -GRANULE_BYTES
        if not weakref.getweakrefcount(storage):
            if nbytes == reserved:
                dims = value.shape if shape is None else shape
                made = MADE.call(maker, _DEPTH_OF_KERNELS)
                self._charge(storage, nbytes, made, value.dtype, dims)
                return True
        elif not reserved and self._has_charged(storage):
            return False  # a view
        self.settle(reserved, (value,), maker)
        return False

    def _charge(
        self, storage: torch.UntypedStorage, nbytes: int, made: Made, dtype: torch.dtype,
        shape: tuple[int, ...],
    ) -> Charge:  # fmt: skip
        """Charges a storage: all charges are made here. Sums are the caller's business."""
        # This reference lives exactly as long as the memory, whoever holds it: a tensor, a view, a
        # NumPy array or a DLPack capsule.
        charge = Charge(storage, self._on_death)
        charge.made = made
        charge.nbytes = nbytes
        charge.owner = self
        charge.dtype = dtype
        charge.shape = shape
        self._charges.add(charge)
        return charge

    def allocate(
        self, like: torch.Tensor, make: Callable[[], torch.Tensor], maker: Maker | str
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
            self.settle(reserved, (value,), maker)
        except OutOfBudget as refusal:
            refusal.shape, refusal.dtype = tuple(like.shape), like.dtype
            raise
        return value

    def usage(self) -> Usage:
        """The account as it stands."""
        with self._lock:
            self._tidy()
            peak = self._peaks.since(self._reset_at, self._peak)
            return Usage(self._in_use, peak, self._reserved, self._limit)

    def reset_peak(self) -> None:
        """Forgets the peak: it starts again from what is in use now."""
        self._reset_at = self.mark()
        with self._lock:
            self._snapshot, self._snapshot_above = None, self._in_use

    def unmap(self) -> None:
        """Makes as if the allocator had mapped what is in use only, if memory grows."""
        with self._lock:
            self._gate = _CLOSED
            self._tidy()
            if self.growth or self._limit is None:
                self._reserved, self._next_region = self._in_use, FIRST_REGION_BYTES

    def mark(self) -> int:
        """This moment, to ask `peak_since` for. Changes nothing that `usage` tells."""
        with self._lock:
            self._gate = _CLOSED
            self._tidy()
            moment = self._peaks.mark(self._peak)
            self._peak = self._in_use
            return moment

    def peak_since(self, moment: int) -> int:
        """The most bytes in use since a moment; 0 is the beginning."""
        with self._lock:
            return self._peaks.since(moment, self._peak)

    def biggest(self, count: int = 3) -> list[Charge]:
        """The largest charges alive, largest first; a parent's are those of its children."""
        return heapq.nlargest(count, self.holdings()[1], key=lambda charge: charge.nbytes)

    def holdings(self) -> tuple[int, list[Charge]]:
        """The bytes in use, and the charges alive; a parent's are those of its children. What is
        in use besides is set aside for values that do not exist yet.
        """
        with self._lock:
            self._tidy()
            living = list(self._charges)  # a finalizer may add some while we look at them
            return self._in_use, self._mine(living)

    def near_peak(self) -> NearPeak | None:
        """What was charged when the peak was last looked at; None if it is too low for that, or
        has not risen since it was reset.
        """
        with self._lock:
            found = self._snapshot
        return None if found is None else found._replace(charges=tuple(self._mine(found.charges)))

    def free_bytes(self) -> int | None:
        """What the limits leave to this thread, here and in the device behind it; None without."""
        with self._lock:
            self._tidy()
            taken = self._in_use + (self._promised_to_others() if self._promised else 0)
            here = None if self._limit is None else max(0, self._limit - taken)
            behind = None if self.parent is None else self.parent.free_bytes()
            return min((x for x in (here, behind) if x is not None), default=None)

    def _mine(self, charges: Iterable[Charge]) -> list[Charge]:
        return [each for each in charges if self in (each.owner, each.owner.parent)]

    def _has_charged(self, storage: torch.UntypedStorage) -> bool:
        charges = self._charges
        for each in weakref.getweakrefs(storage):  # noqa: SIM110  # a generator costs as much again
            if each in charges and each.owner is self:
                return True
        return False

    def _add(self, nbytes: int) -> None:
        with self._lock:
            self._gate = _CLOSED
            self._tidy()
            self._check(nbytes)
            self._count(nbytes)
            if self.parent is not None:
                self.parent._count(nbytes)
            self._open()

    def _open(self) -> None:
        """Lets reservations pass without the lock, as far as they change nothing but one sum."""
        if self.parent is not None:  # they change two
            return
        self._known_to = min(self._peak, self._reserved)
        self._free_to = math.inf
        if self._limit is not None:
            promised = sum(self._promised.values()) if self._promised else 0
            self._known_to = min(self._known_to, self._limit - promised)
            self._free_to = self._limit - promised - _SPARE_BYTES
        self._gate = max(_CLOSED, min(self._known_to, self._in_use + _YOUNG_BYTES))

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
            if in_use > self._snapshot_above:
                self._look_at_peak(in_use)
        if in_use > self._reserved:
            self._map(nbytes)

    def _look_at_peak(self, in_use: int) -> None:
        self._snapshot = NearPeak(in_use, tuple(self._charges), MADE.call("", _DEPTH))
        self._snapshot_above = in_use + in_use // _SNAPSHOT_STEP

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

    def _tidy(self) -> None:
        """Takes out of the sums what has died; under the lock."""
        self._let_young_go()
        dead = self._dead
        while dead:
            charge = dead.popleft()
            self._charges.discard(charge)
            owner = charge.owner
            owner._in_use -= charge.nbytes
            if owner.parent is not None:
                owner.parent._in_use -= charge.nbytes
        self._narrow()

    def _let_young_go(self) -> None:
        """Lets go of the young values that nobody else holds, and charges the others. Threads that
        are about it at once get each of them out of the queue once.
        """
        young = self._young
        while young:
            try:
                entry = young[0]
            except IndexError:  # another thread was faster
                break
            value, claim, _ = entry
            # Torch's own count tells of views, which hold what they are views of.
            if getrefcount(value) > _LONELY or value._use_count() > 1:  # type: ignore[attr-defined]
                self._grow_up(entry)
            elif young and young[0] is entry:  # no other thread runs from here
                del young[0]
                self._in_use -= claim.nbytes  # to here
        self._narrow()

    def _narrow(self) -> None:
        """Leaves no more room without the lock than young results may take."""
        gate = self._in_use + _YOUNG_BYTES  # no other thread runs from here
        if self._gate > gate:
            self._gate = gate  # to here

    def _grow_up(self, entry: Young) -> None:
        """Charges a young value that somebody holds, if no other thread does."""
        value, claim, made = entry
        with self._lock:
            if not self._young or self._young[0] is not entry:
                return
            del self._young[0]
            storage = value.untyped_storage()
            if weakref.getweakrefcount(storage) and self._has_charged(storage):
                self._in_use -= claim.nbytes  # the memory of something that is charged
                return
            taken = (storage.nbytes() + GRANULE_BYTES - 1) & -GRANULE_BYTES
            self._charge(storage, taken, made, value.dtype, claim.shape)
            self._in_use += taken - claim.nbytes


def _lonely() -> int:
    """What the count of references to a value says where only the queue of young ones holds it."""
    young: deque[Young] = deque([(torch.empty(0), Claim(0, ()), ("", None, 0, "", False, False))])
    entry = young[0]
    value, *_ = entry
    return getrefcount(value)


_LONELY = _lonely()
