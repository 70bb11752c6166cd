"""Parts of work that calls of machine code do, shared among the threads of torch's own team.

Torch's kernels run on a team of OpenMP's threads, which turn for a moment behind each kernel and
wait for the next one. Machine code runs on the same team: a second set of threads would want the
cores on which the first one turns, and threads of Python would have to take Python's lock for each
part. Where torch shares no OpenMP, threads of Python do it.
"""

from __future__ import annotations

import functools
import os
import struct
from array import array
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from . import library
from .code import Loop, compiled_text


class PartCall(NamedTuple):
    """What a function of machine code is told: where to begin, addresses, whole numbers."""

    begin: int
    fixed: Sequence[int]
    sizes: Sequence[int]


class PartMemory(NamedTuple):
    """Memory that parts work with: the address of the first one's, and so many bytes further that
    of the next thread which takes any, and that of the next part.
    """

    place: int = 0
    per_thread: int = 0
    per_part: int = 0


NO_MEMORY = PartMemory()
# Behind what threads count up, so that no two of them want the same line of a cache.
_APART = (0,) * 6
Part = Sequence[PartCall]


def run_parts(
    loops: Sequence[Loop], parts: Sequence[Part], threads: int, scratch: PartMemory = NO_MEMORY
) -> None:
    """Runs parts on so many threads, this one among them: each takes the next part that is left, so
    who is held up by other work takes fewer.

    Args:
        loops: the functions that each part calls, one after the other.
        parts: for each part, what each function is told; always as many addresses and numbers.
        threads: 1, or as many as torch has: a team of another size would be a new one.
        scratch: what the functions are given as memory.
    """
    if threads == 1 or len(parts) == 1:
        _take(iter(enumerate(parts)), loops, scratch, 0)
        return
    team, taker = library.team(), _taker()
    if team is None or taker is None:
        _share(loops, parts, threads, scratch)
        return
    first = parts[0][0]
    numbers = 2 + len(first.fixed) + len(first.sizes)
    work = array("q", (
        0, threads, len(loops), numbers, 2 + len(first.fixed),
        scratch.place, scratch.per_thread, scratch.per_part,
    ))  # fmt: skip
    for i in range(threads):
        ends = len(parts) * i // threads, len(parts) * (i + 1) // threads
        work.extend((*ends, *_APART))
    for part in parts:
        for loop, (begin, fixed, sizes) in zip(loops, part, strict=True):
            work.extend((loop.address, begin, *fixed, *sizes))
    team(taker.address, work.buffer_info()[0], threads, 0)


def packed(numbers: Sequence[int]) -> bytes:
    """Addresses or whole numbers as machine code reads them."""
    return _packing(len(numbers))(*numbers)


@functools.cache
def _packing(count: int) -> Callable[..., bytes]:
    return struct.Struct(f"{count}q").pack


# What a thread of the team does. The numbers that it is given begin with how many threads have
# taken a part: so many pieces of memory are used. Then come those that `run_parts` tells, the parts
# of each thread, as the next one and the end, and the calls. A thread takes its own parts first,
# whose memory its core may have from the kernel before, and then what others have left.
_TAKER = """
define void @loop(ptr %work) {
entry:
  %at.threads = getelementptr i64, ptr %work, i64 1
  %at.calls = getelementptr i64, ptr %work, i64 2
  %at.numbers = getelementptr i64, ptr %work, i64 3
  %at.sizes = getelementptr i64, ptr %work, i64 4
  %at.place = getelementptr i64, ptr %work, i64 5
  %at.per.thread = getelementptr i64, ptr %work, i64 6
  %at.per.part = getelementptr i64, ptr %work, i64 7
  %shares = getelementptr i64, ptr %work, i64 8
  %threads = load i64, ptr %at.threads
  %calls = load i64, ptr %at.calls
  %numbers = load i64, ptr %at.numbers
  %sizes.at = load i64, ptr %at.sizes
  %place = load ptr, ptr %at.place
  %per.thread = load i64, ptr %at.per.thread
  %per.part = load i64, ptr %at.per.part
  %of.shares = mul i64 %threads, 8
  %rows = getelementptr i64, ptr %shares, i64 %of.shares
  %short = call i32 inttoptr (i64 THREAD_NUMBER to ptr)()
  %me = zext i32 %short to i64
  br label %share
share:
  %k = phi i64 [0, %entry], [%next.k, %other]
  %memory = phi ptr [null, %entry], [%memory.now, %other]
  %sum = add i64 %me, %k
  %owner = urem i64 %sum, %threads
  %of.owner = mul i64 %owner, 8
  %share.place = getelementptr i64, ptr %shares, i64 %of.owner
  %at.end = getelementptr i64, ptr %share.place, i64 1
  %end = load i64, ptr %at.end
  br label %take
take:
  %memory.now = phi ptr [%memory, %share], [%mine, %call]
  %part = atomicrmw add ptr %share.place, i64 1 monotonic
  %is.left = icmp slt i64 %part, %end
  br i1 %is.left, label %come, label %other
other:
  %next.k = add i64 %k, 1
  %is.another = icmp ult i64 %next.k, %threads
  br i1 %is.another, label %share, label %done
come:
  %is.new = icmp eq ptr %memory.now, null
  br i1 %is.new, label %first, label %begin
first:
  %thread = atomicrmw add ptr %work, i64 1 monotonic
  %of.thread = mul i64 %thread, %per.thread
  %given = getelementptr i8, ptr %place, i64 %of.thread
  br label %begin
begin:
  %mine = phi ptr [%given, %first], [%memory.now, %come]
  %before = mul i64 %part, %calls
  %of.part = mul i64 %part, %per.part
  %scratch = getelementptr i8, ptr %mine, i64 %of.part
  br label %call
call:
  %i = phi i64 [0, %begin], [%next, %call]
  %number = add i64 %before, %i
  %offset = mul i64 %number, %numbers
  %row = getelementptr i64, ptr %rows, i64 %offset
  %function = load ptr, ptr %row
  %at.first = getelementptr i64, ptr %row, i64 1
  %first.number = load i64, ptr %at.first
  %fixed = getelementptr i64, ptr %row, i64 2
  %sizes = getelementptr i64, ptr %row, i64 %sizes.at
  call void %function(i64 %first.number, ptr %fixed, ptr %sizes, ptr %scratch)
  %next = add i64 %i, 1
  %is.more = icmp ult i64 %next, %calls
  br i1 %is.more, label %call, label %take
done:
  ret void
}
"""


@functools.cache
def _taker() -> Loop | None:
    number = library.thread_number()
    return None if number is None else compiled_text(_TAKER.replace("THREAD_NUMBER", str(number)))


# -- without OpenMP -----------------------------------------------------------------------------


def _share(loops: Sequence[Loop], parts: Sequence[Part], threads: int, scratch: PartMemory) -> None:
    left = enumerate(parts)  # threads take from it one at a time: Python's lock sees to that
    others = [
        _pool(threads).submit(_take, left, loops, scratch, i)
        for i in range(1, min(threads, len(parts)))
    ]
    try:
        _take(left, loops, scratch, 0)
    finally:
        for other in others:
            if not other.cancel():  # nothing is left: who has not begun need not
                other.result()


def _take(
    left: Iterator[tuple[int, Part]], loops: Sequence[Loop], scratch: PartMemory, thread: int
) -> None:
    place = scratch.place + thread * scratch.per_thread
    for i, part in left:
        memory = place + i * scratch.per_part
        for loop, (begin, fixed, sizes) in zip(loops, part, strict=True):
            loop(begin, packed(fixed), packed(sizes), memory)


@functools.lru_cache(4)
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads - 1, thread_name_prefix="emplace-parts")


if hasattr(os, "register_at_fork"):  # a child process has none of its parent's threads
    os.register_at_fork(after_in_child=_pool.cache_clear)
