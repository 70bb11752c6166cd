"""Pages of libraries in this process's memory."""

from __future__ import annotations

import ctypes
import sys
from array import array
from mmap import PAGESIZE
from pathlib import Path

_MAPS, _PAGES = Path("/proc/self/maps"), Path("/proc/self/pagemap")
_DONT_NEED = 4  # of sys/mman.h
# What the system says of a page by the highest bits: in memory, set aside, and as in the file.
_PRESENT, _SWAPPED, _OF_FILE = 1 << 63, 1 << 62, 1 << 61


def forget_pages(library: str) -> int:
    """Lets go of what the process has read of a library's file: the system has it as well, and maps
    it again when it is used. Loading a large library touches much that only loading needs.

    Args:
        library: how the file's name begins.

    Returns:
        Of how many bytes of addresses; 0 where the system cannot be asked.
    """
    if sys.platform != "linux":
        return 0
    advise = ctypes.CDLL(None).madvise
    advise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    try:
        return sum(
            end - start
            for start, end in _mapped(library)
            if _is_as_in_file(start, end) and advise(start, end - start, _DONT_NEED) == 0
        )
    except (OSError, ValueError):  # a system that does not tell, or tells it in another way
        return 0


def _mapped(library: str) -> list[tuple[int, int]]:
    """Where the parts of a file lie that nobody may write to: first and last address."""
    found = []
    for line in _MAPS.read_text().splitlines():
        addresses, rights, _, _, _, *path = line.split(maxsplit=5)
        if path and "w" not in rights and Path(path[0]).name.startswith(library):
            start, end = [int(x, 16) for x in addresses.split("-")]
            found.append((start, end))
    return found


def _is_as_in_file(start: int, end: int) -> bool:
    """Whether no page is the process's own: a loader that has entered addresses, or a debugger."""
    with _PAGES.open("rb") as file:
        file.seek(start // PAGESIZE * 8)
        pages = array("Q", file.read((end - start) // PAGESIZE * 8))
    is_whole = len(pages) * PAGESIZE == end - start
    return is_whole and not any(x & (_PRESENT | _SWAPPED) and not x & _OF_FILE for x in set(pages))
