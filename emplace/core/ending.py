"""The end of the program: no thread may be inside of a kernel when Python ends.

A kernel gives up Python's lock while it computes. If Python has ended when it wants the lock back,
Python tears its thread down inside of torch's C++, which aborts the whole process. So at the end
every thread that has run an op of ours is asked to leave, by a SystemExit, and those inside of a
kernel are waited for. Threads that only wait, for a queue or for time to pass, are left where
they are: Python ends those in peace.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
import threading
import time
import weakref
from types import FrameType
from typing import Any

from ..base.stacks import innermost_frames

# How long it waits for a kernel, for the program's own code to leave, and between two looks.
_PATIENCE_S = 10.0
_GRACE_S = 0.1
_PAUSE_S = 0.001
# A program's own `except:` may catch the exception: it comes again, and after a while for good.
_AGAIN_S, _POLITE_S = 0.05, 1.0

# Where code stands that calls kernels: here, in plans, and in torch.
_PLACES = [os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "<plan "]


class Here:
    """A thread that runs ops, for as long as somebody keeps this: its thread-local state."""

    __slots__ = ("__weakref__", "thread")

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        _THREADS.add(self)


_THREADS: weakref.WeakSet[Here] = weakref.WeakSet()


def _leave() -> None:
    """Asks all threads that run ops to end, and waits for those in a kernel."""
    if not _others():
        return
    _hush()
    _PLACES.extend(getattr(sys.modules.get("torch"), "__path__", ()))
    start, last_call_s = time.monotonic(), -1.0
    parked: set[int] = set()
    while (others := _others()) and (passed := time.monotonic() - start) < _PATIENCE_S:
        if passed - last_call_s > _AGAIN_S:
            last_call_s = passed
            _ask(others, passed, parked)
        elif all(_is_harmless(thread, frame, parked) for thread, frame in others.items()):
            return
        del others
        time.sleep(_PAUSE_S)


def _others() -> dict[int, FrameType]:
    """The other threads that run ops and live, and what they do."""
    frames = innermost_frames()
    mine = {here.thread for here in list(_THREADS)} - {threading.get_ident()}
    return {thread: frames[thread] for thread in mine if thread in frames}


def _ask(threads: dict[int, FrameType], seconds: float, parked: set[int]) -> None:
    for thread, frame in threads.items():
        if seconds < (_POLITE_S if _may_compute(frame) else _GRACE_S):
            _raise_in(thread, SystemExit)
        elif not _waits(frame):
            parked.add(thread)
            _raise_in(thread, _Parks)


def _may_compute(frame: FrameType) -> bool:
    """Whether a thread may be in a kernel. Code of the program's own may sleep as well."""
    return frame.f_code.co_filename.startswith(tuple(_PLACES))


def _waits(frame: FrameType) -> bool:
    """Whether a thread waits for another one."""
    return frame.f_code.co_filename == threading.__file__


def _is_harmless(thread: int, frame: FrameType, parked: set[int]) -> bool:
    """Whether a thread is in no kernel, and will not be again."""
    return _waits(frame) or (thread in parked and not _may_compute(frame))


class _Parks(SystemExit):
    """Nobody catches it: the thread in which it would be made waits for ever."""

    def __init__(self) -> None:
        threading.Event().wait()


def _raise_in(thread: int, kind: type[SystemExit]) -> None:
    number, error = ctypes.c_ulong(thread), ctypes.py_object(kind)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(number, error)


def _hush() -> None:
    """Says nothing of a SystemExit that comes up where nobody can catch it, and nothing of errors
    in threads that come of one: it comes in the middle of anything.
    """
    tell, tell_of_thread = sys.unraisablehook, threading.excepthook

    def hook(unraisable: Any) -> None:
        if not _comes_of_leaving(unraisable.exc_value):
            tell(unraisable)

    def thread_hook(args: Any) -> None:
        if not _comes_of_leaving(args.exc_value):
            tell_of_thread(args)

    sys.unraisablehook, threading.excepthook = hook, thread_hook


def _comes_of_leaving(error: BaseException | None) -> bool:
    """Whether an error is a SystemExit, or was raised while one was handled."""
    while error is not None and not isinstance(error, SystemExit):
        error = error.__cause__ or error.__context__
    return error is not None


atexit.register(_leave)
