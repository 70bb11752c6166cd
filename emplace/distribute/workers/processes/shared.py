"""Sums of large vectors over the workers of one machine, by memory that all of them see.

Each worker has a box there, and writes values into its own only. Of every stretch of a vector a
worker adds up one part: what lies in the others' boxes to what lies in its own. All read the parts
of the sum where they are. What `torch.distributed` carries are messages that say how far everybody
is: memory is copied twice instead of four times and more on the ways through the system's sockets.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch

from .sums import Laid, Sums

_PLACE = Path("/dev/shm")
_PART_BYTES, _UNDER_WAY = 16 << 20, 3
_BOX_BYTES = _PART_BYTES * _UNDER_WAY


class _Boxed(NamedTuple):
    """A piece of a vector, and the part of the boxes that it goes through."""

    laid: Laid
    start: int
    end: int
    boxes: Sequence[torch.Tensor]


class SharedMemory(Sums):
    """Boxes of bytes, one for each worker, that all see.

    Args:
        number: which worker this is.
        boxes: the workers' boxes, in their order.
    """

    def __init__(self, number: int, boxes: Sequence[torch.Tensor]) -> None:
        super().__init__(number, len(boxes))
        self._parts = [
            [box[i : i + _PART_BYTES] for box in boxes] for i in range(0, _BOX_BYTES, _PART_BYTES)
        ]
        self._used = 0  # parts of boxes, in turns, over all sums
        self._message = torch.zeros(1, dtype=torch.uint8)

    @torch.no_grad()
    def _sum(self, group: Any, vectors: Sequence[Laid]) -> None:
        stretches = [each for laid in vectors for each in self._cut(laid)]
        count = len(stretches)
        # A part of the boxes is written anew when all have said that they read what was there.
        for i in range(count + 2):
            if i < count:
                laid, start, end, boxes = stretches[i]
                laid.put(start, end, boxes[self._number])
            if 0 <= i - 1 < count:
                self._add(stretches[i - 1])
            if 0 <= i - 2 < count:
                self._tell(stretches[i - 2])
            if i < count + 1:
                self._meet(group)

    def _cut(self, laid: Laid) -> Iterator[_Boxed]:
        size, dtype = laid.total.numel(), laid.total.dtype
        most = _PART_BYTES // laid.total.itemsize
        for start in range(0, size, most):
            end = min(start + most, size)
            boxes = self._parts[self._used % _UNDER_WAY]
            yield _Boxed(laid, start, end, [box.view(dtype)[: end - start] for box in boxes])
            self._used += 1

    def _own_part(self, stretch: _Boxed, number: int) -> slice:
        """What a worker adds up of a stretch."""
        count = stretch.end - stretch.start
        return slice(count * number // self._size, count * (number + 1) // self._size)

    def _add(self, stretch: _Boxed) -> None:
        part = self._own_part(stretch, self._number)
        own = stretch.boxes[self._number][part]
        for box in (*stretch.boxes[self._number + 1 :], *stretch.boxes[: self._number]):
            own.add_(box[part])

    def _tell(self, stretch: _Boxed) -> None:
        total = stretch.laid.total[stretch.start : stretch.end]
        for number, box in enumerate(stretch.boxes):
            part = self._own_part(stretch, number)
            total[part].copy_(box[part])

    def _meet(self, group: Any) -> None:
        """Waits until all are here: everyone hears of twice as many each time."""
        far = 1
        while far < self._size:
            sent = group.send([self._message], (self._number + far) % self._size, 0)
            came = torch.empty_like(self._message)
            self._wait(group.recv([came], (self._number - far) % self._size, 0))
            self._wait(sent)
            far *= 2


class Box:
    """This worker's memory that the others see, while they look for it.

    Attributes:
        name: what it is called, as bytes; as long for all workers, and zeros if there is none.
    """

    def __init__(self) -> None:
        self._path = _PLACE / f"emplace-{secrets.token_hex(16)}"
        self._own: torch.Tensor | None = None
        with contextlib.suppress(OSError):
            self._own = _mapped(self._path, os.O_CREAT | os.O_EXCL)
        name = self._path.name.encode()
        self.name = torch.tensor(list(name if self._own is not None else bytes(len(name))))

    def among(self, names: Sequence[bytes]) -> list[torch.Tensor]:
        """The boxes of all workers; none if one of them is not to be seen from here."""
        boxes = []
        for name in names:
            path = _PLACE / name.rstrip(b"\0").decode()
            try:
                own = self._own if path == self._path else None
                boxes.append(_mapped(path) if own is None else own)
            except OSError:
                return []
        return boxes

    def hide(self) -> None:
        """Takes its name away: the memory is gone with the last process that has it."""
        self._path.unlink(missing_ok=True)


def _mapped(path: Path, flags: int = 0) -> torch.Tensor:
    """The memory of a name. With flags that make it, there is room for all of it.

    Raises:
        OSError: there is no such memory here, or no room.
    """
    file = os.open(path, os.O_RDWR | flags, 0o600)
    try:
        if flags:
            os.posix_fallocate(file, 0, _BOX_BYTES)
        return torch.frombuffer(mmap.mmap(file, _BOX_BYTES), dtype=torch.uint8)
    except BaseException:
        if flags:
            path.unlink(missing_ok=True)
        raise
    finally:
        os.close(file)
