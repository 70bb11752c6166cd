"""Parts of work that calls of machine code do, shared among the threads of torch's own team.

Torch's kernels run on a team of OpenMP's threads, which turn for a moment behind each kernel and
wait for the next one. Machine code runs on the same team: a second set of threads would want the
cores on which the first one turns, and threads of Python would have to take Python's lock for each
part. Where torch shares no OpenMP, threads of Python do it.
"""

from __future__ import annotations

import functools
import itertools
import os
import struct
from array import array
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from . import library
from .code import Loop, compiled_text
from .crew import crew
from .crowd import is_crowded


class PartCall(NamedTuple):
    """What a function of machine code is told: where to begin, addresses, whole numbers."""

    begin: int
    fixed: Sequence[int]
    sizes: Sequence[int]


class PartMemory(NamedTuple):
    """Memory that parts work with: the address of the first one's, and so many bytes further that
    of the next thread which takes any, and that of the next part. With memory per thread, no more
    than so many threads work.
    """

    place: int = 0
    per_thread: int = 0
    per_part: int = 0
    threads: int = 1


NO_MEMORY = PartMemory()
_ANY_NUMBER = 1 << 32
# On a crowded machine so many times as many threads take parts, where there is memory for them, but
# no more than so many more: it is more likely that one of them runs.
_TIMES = 4
_MOST_MORE = 8
# Behind what threads count up, so that no two of them want the same line of a cache.
_APART = (0,) * 6
Part = Sequence[PartCall]


def most_threads(threads: int) -> int:
    """How many threads may take parts where so many are asked for."""
    return threads if threads == 1 else threads + min((_TIMES - 1) * threads, _MOST_MORE)


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
    if not _can_share():
        _share(loops, parts, threads, scratch)
        return
    first = parts[0][0]
    numbers = 2 + len(first.fixed) + len(first.sizes)
    work = _work(len(parts), threads, _CallForm(len(loops), numbers, 2 + len(first.fixed)), scratch)
    for part in parts:
        for loop, (begin, fixed, sizes) in zip(loops, part, strict=True):
            work.extend((loop.address, begin, *fixed, *sizes))
    _do(work, threads)


class NumberedParts:
    """Parts that differ in their number alone, ready to run any number of times: in each run, a
    function is told the part's number, some addresses, and sizes that stay.
    """

    def __init__(self, loop: Loop, call: PartCall, count: int, threads: int) -> None:
        """
        Args:
            loop: the function.
            call: what it is told for the first part; each run gives addresses of its own.
            count: how many parts there are, 1 or more.
            threads: as for `run_parts`.
        """
        self._loop, self._call, self._count, self._threads = loop, call, count, threads
        self._alone = _taker(_BY_NUMBER)
        self._is_shared = self._alone is not None and (threads == 1 or _can_share())
        if self._is_shared:
            begin, fixed, sizes = call
            form = _CallForm(1, numbers=0, sizes_at=2 + len(fixed), is_numbered=True)
            work = _work(count, threads, form, NO_MEMORY)
            work.extend((loop.address, begin))
            self._addresses_at = work.itemsize * len(work)
            work.extend((*fixed, *sizes))
            self._work = work
            self._put = _struct(len(fixed)).pack_into

    def run(self, fixed: Sequence[int], scratch: PartMemory = NO_MEMORY) -> None:
        """Runs them all.

        Args:
            fixed: the addresses, as many as in the first part's call.
            scratch: as for `run_parts`.
        """
        if self._is_shared:
            work = self._work[:]
            self._put(work, self._addresses_at, *fixed)
            if scratch is not NO_MEMORY:
                _put_memory(work, scratch)
            if self._threads == 1 and self._alone is not None:
                self._alone(0, work.buffer_info()[0], 0, 0)
            else:
                _do(work, self._threads)
            return
        first = self._call.begin
        parts = [(self._call._replace(begin=first + i, fixed=fixed),) for i in range(self._count)]
        run_parts((self._loop,), parts, self._threads, scratch)


def run_numbered(
    loop: Loop, call: PartCall, count: int, threads: int, scratch: PartMemory = NO_MEMORY
) -> None:
    """Runs parts that differ in their number alone once, as `NumberedParts` does.

    Args:
        loop: the function.
        call: what it is told for the first part.
        count: how many parts there are, 1 or more.
        threads: as for `run_parts`.
        scratch: as there.
    """
    NumberedParts(loop, call, count, threads).run(call.fixed, scratch)


def run_ranges(loop: Loop, call: PartCall, end: int, parts: int, threads: int) -> None:
    """Runs a function on the numbers from 0 to below `end`, cut into so many parts, as `run_parts`.

    Args:
        loop: the function, whose first size is where a part ends.
        call: what it is told, but for where a part begins and ends.
        end: how many numbers there are.
        parts: in how many parts they are cut, 1 to as many as there are.
        threads: as there.
    """
    ends = [end * i // parts for i in range(parts + 1)]
    cut = [
        (PartCall(begin, call.fixed, (last, *call.sizes)),)
        for begin, last in itertools.pairwise(ends)
    ]
    run_parts((loop,), cut, threads)


def _can_share() -> bool:
    """Whether torch has a team for machine code."""
    return library.team() is not None and _taker(_BY_TEAM) is not None


def _do(work: array[int], threads: int) -> None:
    """Has so many threads, 2 or more, take the parts of what `_work` has begun."""
    place, taker = work.buffer_info()[0], _taker(_BY_NUMBER)
    assert taker is not None, "it was asked whether there is one"
    if is_crowded():
        helpers = crew(most_threads(threads), taker.address)
        if helpers is not None and helpers.run(place):
            return
    team, taker = library.team(), _taker(_BY_TEAM)
    assert team is not None, "it was asked whether there is one"
    assert taker is not None, "it was asked whether there is one"
    team(taker.address, place, threads, 0)


class _CallForm(NamedTuple):
    """How calls are written down: how many each part makes, how many numbers each of them has,
    where its sizes are among them, and whether there is but one for all parts, which has the first
    one's number.
    """

    per_part: int
    numbers: int
    sizes_at: int
    is_numbered: bool = False


def _work(parts: int, threads: int, form: _CallForm, scratch: PartMemory) -> array[int]:
    """What threads are given, but for the calls."""
    work = _work_without_memory(parts, threads, form)[:]
    if scratch is not NO_MEMORY:
        _put_memory(work, scratch)
    return work


def _put_memory(work: array[int], scratch: PartMemory) -> None:
    work[6], work[7], work[8] = scratch.place, scratch.per_thread, scratch.per_part
    work[9] = scratch.threads if scratch.per_thread else _ANY_NUMBER


@functools.lru_cache(256)
def _work_without_memory(parts: int, threads: int, form: _CallForm) -> array[int]:
    work = array("q", (0, threads, *form, 0, 0, 0, _ANY_NUMBER, *(0,) * 6))
    for i in range(threads):
        work.extend((parts * i // threads, parts * (i + 1) // threads, *_APART))
    return work


def packed(numbers: Sequence[int]) -> bytes:
    """Addresses or whole numbers as machine code reads them."""
    return _packing(len(numbers))(*numbers)


@functools.cache
def _packing(count: int) -> Callable[..., bytes]:
    return _struct(count).pack


@functools.cache
def _struct(count: int) -> struct.Struct:
    """So many whole numbers of 64 bits."""
    return struct.Struct(f"{count}q")


# What a thread of the team does. The numbers that it is given begin with how many threads have
# come: so many pieces of memory are used, and who comes when none is left does nothing. Then come
# those of `_work`, the parts of each thread, as the next one and the end, and the calls. A thread
# takes its own parts first, whose memory its core may have from the kernel before, and then what
# others have left.
_TAKER = """
define void @loop(ARGUMENTS) {
entry:
  %at.threads = getelementptr i64, ptr %work, i64 1
  %at.calls = getelementptr i64, ptr %work, i64 2
  %at.numbers = getelementptr i64, ptr %work, i64 3
  %at.sizes = getelementptr i64, ptr %work, i64 4
  %at.numbered = getelementptr i64, ptr %work, i64 5
  %at.place = getelementptr i64, ptr %work, i64 6
  %at.per.thread = getelementptr i64, ptr %work, i64 7
  %at.per.part = getelementptr i64, ptr %work, i64 8
  %at.most = getelementptr i64, ptr %work, i64 9
  %shares = getelementptr i64, ptr %work, i64 16
  %threads = load i64, ptr %at.threads
  %calls = load i64, ptr %at.calls
  %numbers = load i64, ptr %at.numbers
  %sizes.at = load i64, ptr %at.sizes
  %numbered = load i64, ptr %at.numbered
  %place = load ptr, ptr %at.place
  %per.thread = load i64, ptr %at.per.thread
  %per.part = load i64, ptr %at.per.part
  %of.shares = mul i64 %threads, 8
  %rows = getelementptr i64, ptr %shares, i64 %of.shares
MY_NUMBER
  %most = load i64, ptr %at.most
  %thread = atomicrmw add ptr %work, i64 1 monotonic
  %has.memory = icmp slt i64 %thread, %most
  %of.thread = mul i64 %thread, %per.thread
  %mine = getelementptr i8, ptr %place, i64 %of.thread
  br i1 %has.memory, label %share, label %done
share:
  %k = phi i64 [0, %entry], [%next.k, %other]
  %sum = add i64 %me, %k
  %owner = urem i64 %sum, %threads
  %of.owner = mul i64 %owner, 8
  %share.place = getelementptr i64, ptr %shares, i64 %of.owner
  %at.end = getelementptr i64, ptr %share.place, i64 1
  %end = load i64, ptr %at.end
  br label %take
take:
  %part = atomicrmw add ptr %share.place, i64 1 monotonic
  %is.left = icmp slt i64 %part, %end
  br i1 %is.left, label %begin, label %other
other:
  %next.k = add i64 %k, 1
  %is.another = icmp ult i64 %next.k, %threads
  br i1 %is.another, label %share, label %done
begin:
  %before = mul i64 %part, %calls
  %of.part = mul i64 %part, %per.part
  %further = mul i64 %part, %numbered
  %scratch = getelementptr i8, ptr %mine, i64 %of.part
  br label %call
call:
  %i = phi i64 [0, %begin], [%next, %call]
  %number = add i64 %before, %i
  %offset = mul i64 %number, %numbers
  %row = getelementptr i64, ptr %rows, i64 %offset
  %function = load ptr, ptr %row
  %at.first = getelementptr i64, ptr %row, i64 1
  %written.number = load i64, ptr %at.first
  %first.number = add i64 %written.number, %further
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


_BY_NUMBER, _BY_TEAM = "its number is an argument", "the team has given it a number"
_MY_NUMBER = """  %short = call i32 inttoptr (i64 THREAD_NUMBER to ptr)()
  %me = zext i32 %short to i64"""


@functools.cache
def _taker(how: str) -> Loop | None:
    """That function: `loop(number of the thread, work)`, or `loop(work)` for threads of a team."""
    if how is _BY_NUMBER:
        arguments, own = "i64 %me, ptr %work, ptr %x, ptr %y", ""
    else:
        number = library.thread_number()
        if number is None:
            return None
        arguments, own = "ptr %work", _MY_NUMBER.replace("THREAD_NUMBER", str(number))
    return compiled_text(_TAKER.replace("ARGUMENTS", arguments).replace("MY_NUMBER", own))


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
