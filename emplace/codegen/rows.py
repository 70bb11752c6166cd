"""Machine code over the rows of large tensors, on as many threads as torch has."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import torch

from ..base import flags
from .addresses import addresses
from .code import Loop, compiled
from .program import Program
from .worth import DoneOtherwise

# So many rows are an iteration: they and what is made of them stay in a processor's cache.
_ROWS = 32
# To compile takes as long as some passes over so many numbers.
NUMBERS_BEFORE = 1 << 24

_DONE = DoneOtherwise()


def run_rows(program: Callable[[int], Program], tensors: Sequence[torch.Tensor]) -> bool:
    """Runs a program over the rows of equally large tensors; False where it cannot run, or not
    yet.

    Args:
        program: makes the program of an iteration of so many rows, whose memories of the kind
            "each" are those rows of the tensors; its scratch memory starts as zeros.
        tensors: dense tensors of float32 on the host; what lies in the last ones is made.
    """
    if not flags.MACHINE_CODE.value() or not _is_worth(tensors[0].numel()):
        return False
    columns = tensors[0].shape[-1]
    count = tensors[0].numel() // columns
    whole = count - count % _ROWS
    for first, last, rows in ((0, whole, _ROWS), (whole, count, count - whole)):
        if first == last:
            continue
        made = program(rows)
        loop = loop_of(made)
        if loop is None:
            return False
        step = rows * columns, 1
        tables = RowTables(loop, (last - first) // rows, (step,) * len(tensors), made.scratch)
        run_tables(tables, (), [x.view(-1, columns)[first:last] for x in tensors])
    return True


def _is_worth(numbers: int) -> bool:
    return _DONE.add(numbers) >= NUMBERS_BEFORE and not torch.compiler.is_compiling()


class RowTables(NamedTuple):
    """Machine code over all rows of some tensors, and where its iterations find them.

    `steps` are pairs per memory of the kind "each": so many numbers further, every so many
    iterations. `scratch` is how many numbers of memory a thread needs besides, zeros at first.
    """

    loop: Loop
    iterations: int
    steps: tuple[tuple[int, int], ...]
    scratch: int = 0


def run_tables(
    tables: RowTables, fixed: Sequence[torch.Tensor], each: Sequence[torch.Tensor]
) -> None:
    """Runs machine code over rows of float32 tensors on the host, on as many threads as torch has.

    Args:
        tables: the machine code.
        fixed: dense tensors that all iterations read.
        each: dense tensors of which every iteration has its part.
    """
    where = addresses(tables.iterations, tables.steps, len(fixed))
    threads = min(torch.get_num_threads(), tables.iterations)
    with where.filled([x.data_ptr() for x in (*fixed, *each)]) as found:
        if threads <= 1 and not tables.scratch:
            tables.loop(tables.iterations, found.fixed, found.table, 0)
            return
        whole = found.by_iteration

        def run(begin: int, end: int) -> None:
            part = np.ascontiguousarray(whole[:, begin:end])
            scratch = torch.zeros(tables.scratch, dtype=torch.float32, device="cpu")
            tables.loop(end - begin, found.fixed, part.ctypes.data, scratch.data_ptr())

        ends = [tables.iterations * i // threads for i in range(threads + 1)]
        if threads <= 1:
            run(0, tables.iterations)
        else:
            list(_pool(threads).map(run, ends[:-1], ends[1:]))


@functools.lru_cache(1024)
def loop_of(program: Program) -> Loop | None:
    """The machine code of a program, made once; None where this machine cannot make it."""
    return compiled(program)


@functools.lru_cache(4)
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="emplace-rows")


if hasattr(os, "register_at_fork"):  # a child process has none of its parent's threads
    os.register_at_fork(after_in_child=_pool.cache_clear)
