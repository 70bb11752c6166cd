"""How threads of torch's kernels wait for each other: a moment awake, then asleep.

Libgomp, torch's OpenMP on Linux, lets a thread that waits turn in a loop for milliseconds. On a
machine with other work its partner stands still meanwhile, and every kernel takes that long. How
long it turns is read from the environment when torch is loaded, so this is the first thing that
`import emplace` does, and when the devices start the environment is as it was: processes that the
program starts, and libraries that it loads later, never see the variable.
"""

from __future__ import annotations

import os
import sys

from . import flags

# A little longer than it takes to fall asleep and be woken again: see docs/DECISIONS.md.
TURNS = "2500"
_HINT = (
    "torch was imported before emplace, so the threads of its kernels wait for each other in busy "
    "loops, which makes them many times slower on a machine with other work. Import emplace "
    f"first, or set {flags.SPIN_COUNT.name}={TURNS} in the environment."
)

_is_decided = False
_is_ours = False
_is_late = False


def wait_asleep() -> None:
    """Sets the variable for a torch that is not loaded yet, once, unless the user has."""
    global _is_decided, _is_ours, _is_late
    is_chosen = flags.SPIN_COUNT.name in os.environ or flags.WAIT_POLICY.name in os.environ
    if _is_decided or is_chosen or sys.platform != "linux":
        return
    _is_decided = True
    if "torch" in sys.modules:
        _is_late = True
        return
    os.environ[flags.SPIN_COUNT.name] = TURNS
    _is_ours = True


def torch_is_loaded() -> str:
    """Gives the environment back as it was. Returns what to tell the user, "" if all is well."""
    global _is_ours, _is_late
    if _is_ours and os.environ.get(flags.SPIN_COUNT.name) == TURNS:
        del os.environ[flags.SPIN_COUNT.name]
    hint = _HINT if _is_late else ""
    _is_ours = _is_late = False
    return hint
