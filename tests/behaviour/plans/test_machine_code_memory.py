"""Machine code keeps little more in memory than itself."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import psutil
import pytest

from emplace.base.pages import forget_pages
from emplace.codegen import code
from emplace.codegen.text import NAME

pytestmark = pytest.mark.skipif(not code.is_possible(), reason="no machine code can be made here")


def _adds(number: int) -> str:
    """A function that adds a number to one in memory."""
    return f"""
define void @{NAME}(i64 %times, ptr %fixed, ptr %table, ptr %scratch) {{
  %before = load i64, ptr %scratch
  %after = add i64 %before, {number}
  store i64 %after, ptr %scratch
  ret void
}}
"""


def _made(numbers: Iterator[int] | range) -> list[code.Loop]:
    loops = [code.compiled_text(_adds(number)) for number in numbers]
    assert None not in loops
    return loops  # type: ignore[return-value]


def _results(loops: list[code.Loop]) -> list[int]:
    cells = np.zeros(len(loops), np.int64)
    for i, loop in enumerate(loops):
        loop(1, 0, 0, cells[i:].ctypes.data)
    return cells.tolist()


def test_many_functions_take_some_kilobytes_each() -> None:
    first = _made(range(1, 9))
    process = psutil.Process()
    before = process.memory_info().rss
    loops = _made(range(100, 300))
    assert process.memory_info().rss - before < 20 << 20  # not 150 MB, as with an engine for each
    assert _results([*first, *loops]) == [*range(1, 9), *range(100, 300)]


def test_what_no_function_needs_is_let_go() -> None:
    host: Any = code._host()
    loops = _made(range(2 * code._PER_ENGINE))
    engines = [weakref.ref(x) for x in {loop.engine for loop in loops} - {host._engine}]
    assert engines
    kept = loops[-1]
    loops.clear()
    gc.collect()
    assert [x() for x in engines] == [None] * len(engines)
    assert _results([kept]) == [2 * code._PER_ENGINE - 1]


def test_the_compiler_s_pages_come_back_when_they_are_used() -> None:
    loops = _made(range(3))
    if not forget_pages(code._FILE):
        pytest.skip("this system cannot be asked to")
    assert _results([*loops, *_made(range(3, 6))]) == list(range(6))


def test_no_library_s_own_changes_are_forgotten() -> None:
    # Every library of the process, some of whose pages the loader has written addresses into.
    forget_pages("lib")
    assert _results(_made(range(3))) == [0, 1, 2]
    assert forget_pages("no such library") == 0
