"""Machine code over the rows of large tensors, on as many threads as torch has."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch

from ..base import flags
from .code import Loop, compiled
from .program import Program
from .team import PartCall, PartMemory, packed, run_parts
from .worth import DoneOtherwise

# So many rows are an iteration: they and what is made of them stay in a processor's cache.
_ROWS = 32
# To compile takes as long as some passes over so many numbers.
NUMBERS_BEFORE = 1 << 24
# Another thread of torch's team takes some 4 us to come while it turns behind another kernel, and
# 40 when it sleeps; one thread needs 25 for so many numbers. Parts of the last size may be more
# than threads, so that who is held up by other work takes fewer; each costs a microsecond.
LEAST_SHARED = 1 << 18
_LEAST_PART = 1 << 16
_SPARE_PART = 1 << 18
_PARTS_PER_THREAD = 4

_DONE = DoneOtherwise()


def run_rows(program: Callable[[int], Program], tensors: Sequence[torch.Tensor]) -> bool:
    """Runs a program over the rows of equally large tensors; False where it cannot run, or not
    yet.

    Args:
        program: makes the program of an iteration of so many rows, whose memories of the kind
            "each" are those rows of the tensors; its scratch memory starts as zeros.
        tensors: dense tensors of float32 on the host; what lies in the last ones is made.
    """
    if not flags.MACHINE_CODE_SWITCH.is_on() or not _is_worth(tensors[0].numel()):
        return False
    columns = tensors[0].shape[-1]
    count = tensors[0].numel() // columns
    whole = count - count % _ROWS
    for first, last, rows in ((0, whole, _ROWS), (whole, count, count - whole)):
        if first == last:
            continue
        steps = [(rows * columns, 1)] * len(tensors)
        tables = tables_of(program(rows), (last - first) // rows, steps)
        if tables is None:
            return False
        run_tables(tables, (), [x.view(-1, columns)[first:last].data_ptr() for x in tensors])
    return True


def _is_worth(numbers: int) -> bool:
    return _DONE.add(numbers) >= NUMBERS_BEFORE and not torch.compiler.is_compiling()


class RowTables(NamedTuple):
    """Machine code over all rows of some tensors, and where its iterations find them.

    `steps` are those of the program; `numbers` is how many all iterations go through, `scratch` how
    many of memory a thread needs besides, zeros at first. `is_whole` says that sums go on from
    iteration to iteration, all of which one thread runs.
    """

    loop: Loop
    iterations: int
    steps: tuple[tuple[int, int], ...]
    numbers: int
    scratch: int
    is_whole: bool = False


def tables_of(
    program: Program, iterations: int, steps: Sequence[tuple[int, int]]
) -> RowTables | None:
    """The machine code of a program over all rows; None where this machine cannot make it.

    Args:
        program: what an iteration does.
        iterations: how many there are.
        steps: per memory of the kind "each", so many numbers further, every so many iterations.
    """
    program = program._replace(steps=tuple(steps))
    loop = loop_of(program)
    if loop is None:
        return None
    numbers = iterations * max(step // every for step, every in steps)
    is_whole = not all(step for step, _ in steps)
    return RowTables(loop, iterations, program.steps, numbers, program.scratch, is_whole)


def is_shared(numbers: int) -> bool:
    """Whether to go through so many numbers is for several threads."""
    return numbers >= LEAST_SHARED


def run_tables(tables: RowTables, fixed: Sequence[int], starts: Sequence[int]) -> None:
    """Runs machine code over rows of float32 tensors on the host, on as many threads as torch has.

    Args:
        tables: the machine code.
        fixed: the addresses of dense tensors that all iterations read.
        starts: those of dense tensors of which every iteration has its part.
    """
    may_share = is_shared(tables.numbers) and not tables.is_whole
    threads = torch.get_num_threads() if may_share else 1
    if threads == 1 and not tables.scratch:
        tables.loop(tables.iterations, packed(fixed), packed(starts), 0)
        return
    cut = _parts(tables, threads)
    parts = [(_part_of(tables, begin, end, fixed, starts),) for begin, end in cut]
    if not tables.scratch:
        run_parts((tables.loop,), parts, threads)
        return
    memory = torch.zeros(len(parts) * tables.scratch, dtype=torch.float32, device="cpu")
    scratch = PartMemory(memory.data_ptr(), per_part=4 * tables.scratch)
    run_parts((tables.loop,), parts, threads, scratch)


def _part_of(
    tables: RowTables, begin: int, end: int, fixed: Sequence[int], starts: Sequence[int]
) -> PartCall:
    moved = [
        start + begin // every * (4 * step)
        for start, (step, every) in zip(starts, tables.steps, strict=True)
    ]
    return PartCall(end - begin, fixed, moved)


@functools.lru_cache(1024)
def loop_of(program: Program) -> Loop | None:
    """The machine code of a program, made once; None where this machine cannot make it."""
    return compiled(program)


def _parts(tables: RowTables, threads: int) -> list[tuple[int, int]]:
    """Where parts of the iterations begin and end: only where all memories take a step."""
    if threads == 1:
        return [(0, tables.iterations)]
    together = max(every for _, every in tables.steps)
    count = tables.iterations // together
    some = min(threads, max(2, tables.numbers // _LEAST_PART))
    many = min(threads * _PARTS_PER_THREAD, tables.numbers // _SPARE_PART)
    wanted = min(count, max(some, many))
    ends = [count * i // wanted * together for i in range(wanted + 1)]
    return list(itertools.pairwise(ends))
