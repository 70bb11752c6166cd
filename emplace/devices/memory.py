"""Memory budgets: how much a logical device may hold, how much it holds, and what holds it.

A `Budget` is asked before anything is allocated (`reserve`), told afterwards which storages came
back (`settle`), and gives their bytes back by itself when the last tensor on a storage dies.
Views share a storage, so they cost nothing. Everything here is in bytes, and every storage
counts as a multiple of 256 bytes, as in TensorFlow's allocator.
"""

from __future__ import annotations

import heapq
import re
import threading
import weakref
from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

import torch

GRANULE_BYTES = 256
FIRST_REGION_BYTES = 2 << 20

_UNITS = {"": 1, "B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)i?(B?)\s*", re.IGNORECASE)


def parse_bytes(size: str | int) -> int:
    """A memory size in bytes: 1073741824, "1GB", "1GiB", "512 MB" (units are powers of 1024).

    Raises:
        ValueError: `size` is not a size, or is negative.
    """
    if isinstance(size, int) and not isinstance(size, bool) and size >= 0:
        return size
    match = _SIZE.fullmatch(size) if isinstance(size, str) else None
    if match is None:
        raise ValueError(
            f"{size!r} is not a memory size. Write bytes as a number or a text such as '1GB', "
            "'512MB' or '64KB'."
        )
    unit = f"{match[2]}B".upper() if match[2] else ""
    return int(float(match[1]) * _UNITS[unit])


def format_bytes(nbytes: float) -> str:
    """A size as people read it: '24 B', '1.50 MiB'."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(nbytes) < 1024:
            return f"{nbytes:.0f} B" if unit == "B" else f"{nbytes:.2f} {unit}"
        nbytes /= 1024
    return f"{nbytes:.2f} TiB"


def round_up(nbytes: int) -> int:
    """`nbytes` as a budget counts it: the next multiple of 256; nothing for nothing."""
    return -(-nbytes // GRANULE_BYTES) * GRANULE_BYTES


class OutOfBudget(Exception):  # noqa: N818  # never leaves the runtime: it becomes ResourceExhausted
    """`nbytes` more would pass the limit of `budget`. Nothing was charged."""

    def __init__(self, budget: Budget, nbytes: int) -> None:
        super().__init__(nbytes)
        self.budget = budget
        self.nbytes = nbytes


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
    """The bytes one living storage is charged with, and who asked for them."""

    __slots__ = ("key", "nbytes", "op_name", "shape")

    key: int
    nbytes: int
    op_name: str
    shape: tuple[int, ...]


class Budget:
    """The memory account of one logical device.

    Args:
        limit_bytes: the most it may hold; None counts without refusing.
        growth: True maps memory as it is needed, False all of the limit at the first allocation.
        parent: the account of the physical device behind several logical ones, charged as well.
    """

    __slots__ = (
        "_charges", "_dead", "_in_use", "_lock", "_next_region", "_peak", "_peaks", "_reserved",
        "_reset_at", "growth", "limit_bytes", "parent",
    )  # fmt: skip

    def __init__(
        self, limit_bytes: int | None, growth: bool = False, parent: Budget | None = None
    ) -> None:
        self.limit_bytes = limit_bytes
        self.growth = growth
        self.parent = parent
        self._lock = threading.Lock()
        self._charges: dict[int, Charge] = {}
        # Storages die at any moment, even while this thread holds the lock: their death only
        # appends here (which is atomic), and the next caller does the sums.
        self._dead: deque[Charge] = deque()
        self._in_use = self._peak = self._reserved = 0
        self._peaks = Peaks()
        self._reset_at = 0
        self._next_region = FIRST_REGION_BYTES

    def reserve(self, nbytes: int) -> None:
        """Sets `nbytes` (rounded already) aside, before they are allocated.

        Raises:
            OutOfBudget: they do not fit; nothing has changed.
        """
        with self._lock:
            self._bury()
            self._add(nbytes)
        if self.parent is not None:
            try:
                self.parent.reserve(nbytes)
            except OutOfBudget:
                self.cancel(nbytes, parent=False)
                raise

    def cancel(self, nbytes: int, parent: bool = True) -> None:
        """Gives back what `reserve` set aside, because nothing was allocated after all."""
        with self._lock:
            self._in_use -= nbytes
        if parent and self.parent is not None:
            self.parent.cancel(nbytes)

    def settle(self, reserved: int, values: Iterable[torch.Tensor], op_name: str) -> None:
        """Replaces a reservation by the charges of the storages that really came back.

        Storages charged already (the values are views) cost nothing.

        Raises:
            OutOfBudget: the storages are larger than was reserved, and do not fit. They are not
                charged; the caller drops them.
        """
        with self._lock:
            self._bury()
            fresh = self._fresh_storages(values)
        actual = sum(round_up(storage.nbytes()) for storage, _ in fresh)
        if actual < reserved:
            self.cancel(reserved - actual)
        elif actual > reserved:
            try:
                self.reserve(actual - reserved)
            except OutOfBudget:
                self.cancel(reserved)
                raise
        with self._lock:
            for storage, shape in fresh:
                self._charge(storage, shape, op_name)

    def usage(self) -> Usage:
        """The account as it stands."""
        with self._lock:
            self._bury()
            peak = self._peaks.since(self._reset_at, self._peak)
            return Usage(self._in_use, peak, self._reserved, self.limit_bytes)

    def reset_peak(self) -> None:
        """Forgets the peak: it starts again from what is in use now."""
        self._reset_at = self.mark()

    def mark(self) -> int:
        """This moment, to ask `peak_since` for. Changes nothing that `usage` tells."""
        with self._lock:
            self._bury()
            moment = self._peaks.mark(self._peak)
            self._peak = self._in_use
            return moment

    def peak_since(self, moment: int) -> int:
        """The most bytes in use since a moment; 0 is the beginning."""
        with self._lock:
            return self._peaks.since(moment, self._peak)

    def biggest(self, count: int = 3) -> list[Charge]:
        """The largest charges alive, largest first."""
        with self._lock:
            self._bury()
            return heapq.nlargest(count, self._charges.values(), key=lambda charge: charge.nbytes)

    def _add(self, nbytes: int) -> None:
        if self.limit_bytes is not None and nbytes > max(0, self.limit_bytes - self._in_use):
            raise OutOfBudget(self, nbytes)
        self._in_use += nbytes
        self._peak = max(self._peak, self._in_use)
        if self._in_use > self._reserved:
            self._map(nbytes)

    def _map(self, nbytes: int) -> None:
        # TF: the whole limit at once, or with growth in regions of 2, 4, 8 ... MiB that are
        # never given back.
        if not self.growth and self.limit_bytes is not None:
            self._reserved = self.limit_bytes
            return
        while self._reserved < self._in_use:
            while self._next_region < nbytes:
                self._next_region *= 2
            self._reserved += self._next_region
            self._next_region *= 2
        if self.limit_bytes is not None:
            self._reserved = min(self._reserved, self.limit_bytes)

    def _fresh_storages(
        self, values: Iterable[torch.Tensor]
    ) -> list[tuple[torch.UntypedStorage, tuple[int, ...]]]:
        fresh = {}
        for value in values:
            storage = value.untyped_storage()
            if storage.nbytes() and storage._cdata not in self._charges:
                fresh[storage._cdata] = storage, tuple(value.shape)
        return list(fresh.values())

    def _charge(self, storage: torch.UntypedStorage, shape: tuple[int, ...], op_name: str) -> None:
        # A weak reference to a storage lives exactly as long as its memory, whoever holds it:
        # a tensor, a view, a NumPy array or a DLPack capsule.
        charge = Charge(storage, self._dead.append)
        charge.key = storage._cdata
        charge.nbytes = round_up(storage.nbytes())
        charge.op_name = op_name
        charge.shape = shape
        self._charges[charge.key] = charge

    def _bury(self) -> None:
        while self._dead:
            charge = self._dead.popleft()
            del self._charges[charge.key]
            self._in_use -= charge.nbytes
            if self.parent is not None:
                self.parent.cancel(charge.nbytes)
