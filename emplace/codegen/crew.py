"""Threads of machine code that take parts of work as they come to run.

A team of OpenMP's ends when all of its threads have been there. Beside other work, a thread that is
not running holds up all others so, for milliseconds. Who asks this crew for help waits only for
those of its members that have begun. Its members sleep when there is nothing to do, and so are
preferred by the scheduler when there is; quiet machines are better served by threads that turn.
"""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import struct
import threading
from array import array
from typing import NamedTuple

from .code import Loop, compiled_text


class _Machine(NamedTuple):
    """The numbers of Linux's call that waits at an address and wakes who waits there, and of the
    one that tells it how to schedule a thread; what a processor does in a loop that waits.
    """

    futex: int
    sched_setattr: int
    pause: str
    declared: str


_MACHINES = {
    "x86_64": _Machine(202, 314, "@llvm.x86.sse2.pause()", "declare void @llvm.x86.sse2.pause()"),
    "aarch64": _Machine(
        98, 274, "@llvm.aarch64.hint(i32 1)", "declare void @llvm.aarch64.hint(i32)"
    ),
}
# What a member asks to run at once. Linux, from 6.12 on, lets who asks for less run the sooner:
# beside other work a member that had 2.8 ms, as others have, would wait that long before it runs.
_SLICE_NS = 100_000
# `struct sched_attr`: its size, policy and flags, niceness and priority, runtime, deadline, period.
_ATTRIBUTES = struct.Struct("=IIQiIQQQ")
_KEEP_POLICY = 0x08
# How often a member looks for work, and a caller for those who work, before falling asleep.
_LOOKS = 200


class Crew:
    """So many threads that help one caller at a time."""

    def __init__(self, members: int, run: Loop, member: Loop) -> None:
        self._memory = array("q", bytes(8 * _SIZE))
        self._place = self._memory.buffer_info()[0]
        self._run, self._member = run, member
        self._is_used = threading.Lock()
        for i in range(members):
            threading.Thread(
                target=self._help, args=(i + 1,), name=f"emplace-crew-{i + 1}", daemon=True
            ).start()

    def _help(self, number: int) -> None:
        """What a member does, for as long as the process lives: so do this object and its code."""
        _ask_for_short_slices()
        self._member(number, self._place, 0, 0)

    def run(self, work: int) -> bool:
        """Runs the function that takes parts on the caller's thread, and on those that come.

        Args:
            work: the address of what the function is given.

        Returns:
            False if others use the crew; then nothing has been done.
        """
        if not self._is_used.acquire(blocking=False):
            return False
        try:
            self._run(work, self._place, 0, 0)
        finally:
            self._is_used.release()
        return True


def _ask_for_short_slices() -> None:
    """Tells Linux that this thread runs for a moment only. Who does not know that, or refuses it,
    does as ever.
    """
    niceness = os.getpriority(os.PRIO_PROCESS, 0)  # it is set, too: to what it is
    asked = _ATTRIBUTES.pack(_ATTRIBUTES.size, 0, _KEEP_POLICY, niceness, 0, _SLICE_NS, 0, 0)
    ctypes.CDLL(None).syscall(_MACHINES[platform.machine()].sched_setattr, 0, asked, 0)


@functools.lru_cache(4)
def crew(threads: int, taker: int) -> Crew | None:
    """A crew that makes so many threads, with its caller; None where there is none.

    Args:
        threads: how many, 2 or more.
        taker: the address of `loop(number of the thread, work)`, which takes parts until none are
            left. It must be there for as long as the process lives.
    """
    run, member = (_compiled(text, taker) for text in (_RUN, _MEMBER))
    if run is None or member is None:
        return None
    return Crew(threads - 1, run, member)


def _compiled(text: str, taker: int) -> Loop | None:
    machine = _MACHINES.get(platform.machine())
    if machine is None or platform.system() != "Linux":
        return None
    address = ctypes.cast(ctypes.CDLL(None).syscall, ctypes.c_void_p).value
    text = f"{machine.declared}\n{text}{_FUTEX}".replace("PLACES", _PLACES)
    for name, value in (
        ("TAKER", taker), ("SYSCALL", address), ("FUTEX", machine.futex), ("LOOKS", _LOOKS),
        ("PAUSE", machine.pause),
    ):  # fmt: skip
        text = text.replace(name, str(value))
    return compiled_text(text)


if hasattr(os, "register_at_fork"):  # a child process has none of its parent's threads
    os.register_at_fork(after_in_child=crew.cache_clear)

# -- what is shared, in whole numbers of 64 bits, each in a line of a cache -----------------------
#
#  0: how many times there has been work   8: the work, or nothing
# 16: how many members are at it          24: how many sleep       32: whether the caller does
_SIZE = 48
_PLACES = """  %at.work = getelementptr i64, ptr %crew, i64 8
  %inside = getelementptr i64, ptr %crew, i64 16
  %sleepers = getelementptr i64, ptr %crew, i64 24
  %at.caller = getelementptr i64, ptr %crew, i64 32
"""

_FUTEX = """
define internal void @sleep(ptr %place, i32 %value) {
  call i64 (i64, ...) inttoptr (i64 SYSCALL to ptr)(
    i64 FUTEX, ptr %place, i64 128, i32 %value, ptr null)
  ret void
}
define internal void @wake(ptr %place) {
  call i64 (i64, ...) inttoptr (i64 SYSCALL to ptr)(
    i64 FUTEX, ptr %place, i64 129, i64 2147483647, ptr null)
  ret void
}
"""

_MEMBER = """
define void @loop(i64 %me, ptr %crew, ptr %x, ptr %y) {
entry:
PLACES  br label %look
look:
  %seen = phi i32 [0, %entry], [%seen, %again], [%seen, %tired], [%now, %leave], [%now, %last]
  %looks = phi i32 [0, %entry], [%looked, %again], [0, %tired], [0, %leave], [0, %last]
  %now = load atomic i32, ptr %crew seq_cst, align 4
  %is.new = icmp ne i32 %now, %seen
  br i1 %is.new, label %come, label %wait
wait:
  call void PAUSE
  %looked = add i32 %looks, 1
  %is.early = icmp ult i32 %looked, LOOKS
  br i1 %is.early, label %again, label %tired
again:
  br label %look
tired:
  %a = atomicrmw add ptr %sleepers, i32 1 seq_cst
  call void @sleep(ptr %crew, i32 %seen)
  %b = atomicrmw sub ptr %sleepers, i32 1 seq_cst
  br label %look
come:
  %c = atomicrmw add ptr %inside, i32 1 seq_cst
  %work = load atomic ptr, ptr %at.work seq_cst, align 8
  %is.over = icmp eq ptr %work, null
  br i1 %is.over, label %leave.now, label %take
take:
  call void inttoptr (i64 TAKER to ptr)(i64 %me, ptr %work, ptr null, ptr null)
  br label %leave.now
leave.now:
  %before = atomicrmw sub ptr %inside, i32 1 seq_cst
  %is.last = icmp eq i32 %before, 1
  br i1 %is.last, label %last.one, label %leave
last.one:
  %caller = load atomic i32, ptr %at.caller seq_cst, align 4
  %sleeps = icmp ne i32 %caller, 0
  br i1 %sleeps, label %last, label %leave
last:
  call void @wake(ptr %inside)
  br label %look
leave:
  br label %look
}
"""

_RUN = """
define void @loop(ptr %work, ptr %crew, ptr %x, ptr %y) {
entry:
PLACES  store atomic ptr %work, ptr %at.work seq_cst, align 8
  %a = atomicrmw add ptr %crew, i32 1 seq_cst
  %sleeping = load atomic i32, ptr %sleepers seq_cst, align 4
  %are.asleep = icmp ne i32 %sleeping, 0
  br i1 %are.asleep, label %wake, label %take
wake:
  call void @wake(ptr %crew)
  br label %take
take:
  call void inttoptr (i64 TAKER to ptr)(i64 0, ptr %work, ptr null, ptr null)
  store atomic ptr null, ptr %at.work seq_cst, align 8
  br label %look
look:
  %looks = phi i32 [0, %take], [%looked, %again], [0, %awake]
  %left = load atomic i32, ptr %inside seq_cst, align 4
  %is.over = icmp eq i32 %left, 0
  br i1 %is.over, label %done, label %wait
wait:
  call void PAUSE
  %looked = add i32 %looks, 1
  %is.early = icmp ult i32 %looked, LOOKS
  br i1 %is.early, label %again, label %tired
again:
  br label %look
tired:
  store atomic i32 1, ptr %at.caller seq_cst, align 4
  %still = load atomic i32, ptr %inside seq_cst, align 4
  %is.left = icmp ne i32 %still, 0
  br i1 %is.left, label %sleep, label %awake
sleep:
  call void @sleep(ptr %inside, i32 %still)
  br label %awake
awake:
  store atomic i32 0, ptr %at.caller seq_cst, align 4
  br label %look
done:
  ret void
}
"""
