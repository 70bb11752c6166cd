"""What torch reads from the environment when it is loaded, chosen unless the user has.

- How threads of its kernels wait for each other: a moment awake, then asleep. Libgomp, torch's
  OpenMP on Linux, lets a thread that waits turn in a loop for milliseconds. On a machine with other
  work its partner stands still meanwhile, and every kernel takes that long.
- Whether its large blocks of memory ask for huge pages. The kernel fills every page with zeros when
  it is touched first: of 4 KiB each, that takes longer than most operations on them.

So this is the first thing that `import emplace` does, and when the devices start the environment is
as it was: processes that the program starts, and libraries that it loads later, see none of it.
"""

from __future__ import annotations

import os
import sys

from . import flags

# A little longer than it takes to fall asleep and be woken again: see docs/DECISIONS.md.
TURNS = "8000"
_OURS = {flags.SPIN_COUNT.name: TURNS, flags.HUGE_PAGES.name: "1"}
_HINT = (
    "torch was imported before emplace, so the threads of its kernels wait for each other in busy "
    "loops, which makes them many times slower on a machine with other work. Import emplace "
    f"first, or set {flags.SPIN_COUNT.name}={TURNS} in the environment."
)

_is_decided = False
_is_late = False
_set: list[str] = []


def prepare_torch() -> None:
    """Sets the variables for a torch that is not loaded yet, once, unless the user has."""
    global _is_decided, _is_late
    if _is_decided or sys.platform != "linux":
        return
    _is_decided = True
    open_ones = [name for name in _OURS if name not in os.environ]
    if flags.WAIT_POLICY.name in os.environ and flags.SPIN_COUNT.name in open_ones:
        open_ones.remove(flags.SPIN_COUNT.name)
    if "torch" in sys.modules:
        _is_late = flags.SPIN_COUNT.name in open_ones
        return
    for name in open_ones:
        os.environ[name] = _OURS[name]
        _set.append(name)


def torch_is_loaded() -> str:
    """Gives the environment back as it was, once torch has made its first tensor. Returns what to
    tell the user, "" if all is well.
    """
    global _is_late
    for name in _set:
        if os.environ.get(name) == _OURS[name]:
            del os.environ[name]
    _set.clear()
    hint = _HINT if _is_late else ""
    _is_late = False
    return hint
