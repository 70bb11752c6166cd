"""Two loops of machine code that run at once, each on half of the threads."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch

from ...codegen.library import with_product_threads
from .loops import MachineLoop

# Shorter runs are over before another thread has begun: about so many numbers, 0.2 ms.
_LEAST_WORK = 1 << 19
_Results = list[Any] | None


def both(
    first: MachineLoop, first_values: Sequence[Any],
    second: MachineLoop, second_values: Sequence[Any],
) -> tuple[_Results, _Results]:  # fmt: skip
    """The results of two loops that need nothing of each other."""
    threads = torch.get_num_threads()
    work = min(first.last_work, second.last_work)
    if threads == 1 or work < _LEAST_WORK or torch.compiler.is_compiling():
        return first(*first_values), second(*second_values)
    share = threads // 2
    other = _pool().submit(with_product_threads, share, second, *second_values)
    try:
        results = with_product_threads(share, first, *first_values)
    finally:
        is_left = other.cancel()  # nobody need wait for a thread that has not come to run
        if not is_left:
            others = other.result()
    if is_left:
        others = with_product_threads(share, second, *second_values)
    return results, others


@functools.lru_cache(1)
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="emplace-loops")


if hasattr(os, "register_at_fork"):  # a child process has none of its parent's threads
    os.register_at_fork(after_in_child=_pool.cache_clear)
