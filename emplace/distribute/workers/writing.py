"""The chief alone writes what all workers would write alike.

The others do the same into a folder that is gone afterwards, for what is saved may be brought
together from all workers when it is read.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from .processes.link import Link, existing


def _not_chief() -> Link | None:
    """The connection of a worker that does not write; None for all others."""
    link = existing()
    return None if link is None or link.number == 0 else link


def is_writer() -> bool:
    """Whether this process writes: it is the chief, or alone."""
    return _not_chief() is None


def announce(folder: str) -> None:
    """Tells the other workers that the chief writes into a folder."""
    link = existing()
    if link is not None and link.number == 0:
        link.note(_key(folder))


def _key(folder: str) -> str:
    return f"writes/{os.path.abspath(folder)}"


def is_chiefs(folder: str) -> bool:
    """Whether another worker, the chief, writes into a folder for all."""
    link = _not_chief()
    return link is not None and link.has_note(_key(folder))


@contextmanager
def place_to_write(folder: str) -> Iterator[str]:
    """The folder, or one that is gone afterwards if the chief writes into this one."""
    if not is_chiefs(folder):
        yield folder
        return
    with nowhere() as elsewhere:
        yield elsewhere


@contextmanager
def nowhere() -> Iterator[str]:
    """A folder that is gone afterwards."""
    made = tempfile.mkdtemp(prefix="emplace_worker_")
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


@contextmanager
def whole_folder(folder: str) -> Iterator[str]:
    """A new folder that takes the place of another one once it is complete.

    Whenever the process is killed, `mend_folder` finds either the old one or the new one.
    """
    new, old = f"{folder}.new", f"{folder}.old"
    shutil.rmtree(new, ignore_errors=True)
    os.makedirs(new)
    yield new
    shutil.rmtree(old, ignore_errors=True)
    if os.path.isdir(folder):
        os.rename(folder, old)
    os.rename(new, folder)
    shutil.rmtree(old, ignore_errors=True)


def mend_folder(folder: str) -> None:
    """Ends what `whole_folder` had begun when the process was killed."""
    new, old = f"{folder}.new", f"{folder}.old"
    if not os.path.isdir(folder) and os.path.isdir(old):  # killed between the two renamings
        os.rename(new if os.path.isdir(new) else old, folder)
    shutil.rmtree(new, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)
