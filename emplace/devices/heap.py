"""What the C library keeps of the memory that has been freed, for the next op."""

from __future__ import annotations

import ctypes
import functools
import sys

from ..base import flags

if sys.platform == "linux":
    import resource

# The numbers of malloc.h, and what they are set to: the largest block that glibc takes there on 64
# bits, and what is kept at most at the end of the heap.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_LARGEST_BLOCK = 32 << 20
_KEPT_BYTES = 256 << 20
# The process may come to need this part more before holes are given back again.
_GROWTH = 32


@functools.cache
def keep_freed_memory() -> None:
    """Lets the process keep up to 256 MiB of freed memory, once, unless the flag forbids it.

    Otherwise glibc returns the large temporaries of every op to the kernel, which then fills each
    page of the next one with zeros: up to a fifth of a training step of a small network.
    """
    library = _glibc() if flags.KEEP_MEMORY.value() else None
    if library is not None:
        library.mallopt(_MMAP_THRESHOLD, _LARGEST_BLOCK)
        library.mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)
        _HOLES.library = library


def give_back_freed_memory() -> None:
    """Gives freed memory back to the system, where the C library can be asked to."""
    library = _glibc()
    if library is not None:
        library.malloc_trim(0)


def give_back_holes() -> None:
    """Gives freed memory back if the process has needed more than ever before, by a part.

    What many ops share is cut by small blocks that stay, such as those of machine code that has
    just been made, and the next ops, which need it in other pieces, take new memory from the end.
    So holes are given back while the process grows. One that does not grow keeps all that it has.
    """
    _HOLES.give_back()


class _Holes:
    """Gives holes back when the peak has grown. `library` is None where glibc is left as it is."""

    def __init__(self) -> None:
        self.library: ctypes.CDLL | None = None
        self._bar = 0

    def give_back(self) -> None:
        if self.library is None:
            return
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if peak > self._bar:
            self._bar = peak + peak // _GROWTH
            self.library.malloc_trim(0)


_HOLES = _Holes()


def _glibc() -> ctypes.CDLL | None:
    """The C library of this process, if it is glibc; others allocate in their own ways."""
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "gnu_get_libc_version") else None
