"""Threads take parts of a pass over memory as they come to run: codegen/rows.py."""

from __future__ import annotations

import threading
from concurrent.futures import Future

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf
from emplace.codegen import rows
from emplace.graph.passes import maps
from emplace.ops.math import fused_map

pytestmark = pytest.mark.not_strict("plans on strict GPUs keep their instrumented form")
_RANDOM = np.random.default_rng(0)


def _numbers(*shape: int) -> tf.Tensor:
    return tf.constant(_RANDOM.normal(size=shape).astype("float32"))


X, ROW, BLOCK, COLUMN = (
    _numbers(6, 4, 5, 190), _numbers(190), _numbers(6, 1, 1, 190), _numbers(6, 4, 5, 1)
)  # fmt: skip


@pytest.fixture(autouse=True)
def _shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passes of any size are machine code, and shared."""
    monkeypatch.setattr(maps, "LEAST_NUMBERS", 1)
    monkeypatch.setattr(fused_map, "NUMBERS_BEFORE", 0)
    monkeypatch.setattr(fused_map, "_NUMBERS_AT_ONCE", 190 * 4)
    monkeypatch.setattr(rows, "LEAST_SHARED", 0)
    monkeypatch.setattr(rows, "_LEAST_PART", 1)


def _chain(x):
    y = tf.nn.relu(x * ROW + BLOCK) * COLUMN
    return y, tf.reduce_sum(y, [0, 1, 2])


def test_parts_do_not_change_bits(monkeypatch: pytest.MonkeyPatch):
    found = []
    for threads in (1, 2, 5, 100):
        monkeypatch.setattr(torch, "get_num_threads", lambda threads=threads: threads)
        found.append([y.numpy() for y in tf.function(_chain)(X)])
    for made in found[1:]:
        for one, other in zip(found[0], made, strict=True):
            np.testing.assert_array_equal(one, other)
    for one, other in zip(found[0], _chain(X), strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-5)


def test_parts_begin_where_all_memories_take_a_step():
    def no_loop(*_: object) -> None:
        raise AssertionError("nothing runs here")

    tables = rows.RowTables(no_loop, 12, ((8, 1), (4, 3)), 96, 0)
    assert rows._parts(tables, 1) == [(0, 12)]
    assert rows._parts(tables, 2) == [(0, 3), (3, 6), (6, 9), (9, 12)]
    few = rows.RowTables(no_loop, 5, ((8, 1),), 40, 0)
    assert rows._parts(few, 2) == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]


class _Idle:
    """Threads that never come to run."""

    def submit(self, *_: object) -> Future[None]:
        return Future()


def test_a_thread_that_does_not_come_to_run_holds_nobody_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(rows, "_pool", lambda threads: _Idle())
    done: list[tuple[int, int]] = []
    rows.in_parts([(0, 1), (1, 2), (2, 3)], 2, lambda *part: done.append(part))
    assert done == [(0, 1), (1, 2), (2, 3)]


def test_an_error_of_another_thread_is_told():
    both = threading.Barrier(2)
    here = threading.current_thread()

    def run(begin: int, end: int) -> None:
        both.wait(20)
        if threading.current_thread() is not here:
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        rows.in_parts([(0, 1), (1, 2)], 2, run)
