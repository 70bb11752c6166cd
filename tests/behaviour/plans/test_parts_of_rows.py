"""Threads take parts of a pass over memory as they come to run (codegen/team.py)."""

from __future__ import annotations

import sys
from concurrent.futures import Future

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf
from emplace.codegen import library, rows, team
from emplace.codegen.code import compiled_text, is_possible
from emplace.codegen.kernel_text import KernelText
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
    monkeypatch.setattr(rows, "_SPARE_PART", 1)


@pytest.fixture(params=["team", "crew", "threads of Python"])
def _sharing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Torch's team takes the parts, a crew as on a crowded machine, or, as where torch has no team,
    threads of Python.
    """
    monkeypatch.setattr(team, "is_crowded", lambda: request.param == "crew")
    monkeypatch.setattr(team, "most_threads", lambda threads: min(threads, 4))
    if request.param == "threads of Python":
        monkeypatch.setattr(library, "team", lambda: None)


def _chain(x):
    y = tf.nn.relu(x * ROW + BLOCK) * COLUMN
    return y, tf.reduce_sum(y, [0, 1, 2])


@pytest.mark.usefixtures("_sharing")
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
    monkeypatch.setattr(library, "team", lambda: None)
    monkeypatch.setattr(team, "_pool", lambda threads: _Idle())
    begun = []
    team.run_parts([lambda begin, *_: begun.append(begin)], _parts(3), 2)
    assert begun == [0, 1, 2]


def _parts(count: int, *fixed: int) -> list[list[team.PartCall]]:
    return [[team.PartCall(i, fixed, (10 * i,))] for i in range(count)]


@pytest.mark.skipif(not is_possible(), reason="no machine code is made here")
@pytest.mark.usefixtures("_sharing")
@pytest.mark.parametrize("count", [1, 2, 3, 40])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_each_part_runs_once_and_is_told_its_own(count: int, threads: int):
    """A function that adds 1 to two places: the one of its part, and that of its size."""
    code = KernelText(1)
    for number in ("%begin", code.size(0)):
        place = code.at(code.fixed(0), number)
        code.store(code.add(f"fadd {code.type} {code.load(place)}, {code.literal(1.0)}"), place)
    loop = compiled_text(code.function_text())
    assert loop is not None
    counts = torch.zeros(400)
    team.run_parts([loop, loop], [each * 2 for each in _parts(count, counts.data_ptr())], threads)
    wanted = torch.zeros(400)
    wanted[:count] += 2
    wanted[: 10 * count : 10] += 2
    np.testing.assert_array_equal(counts, wanted)


@pytest.mark.skipif(not is_possible(), reason="no machine code is made here")
@pytest.mark.usefixtures("_sharing")
@pytest.mark.parametrize("count", [1, 2, 40])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_each_number_runs_once(count: int, threads: int):
    """A function that adds its size to the place of its number."""
    code = KernelText(1)
    place = code.at(code.fixed(0), "%begin")
    more = code.add(f"uitofp i64 {code.size(0)} to float")
    vector = code.add(f"insertelement {code.type} poison, float {more}, i32 0")
    code.store(code.add(f"fadd {code.type} {code.load(place)}, {vector}"), place)
    loop = compiled_text(code.function_text())
    assert loop is not None
    counts = torch.zeros(50)
    team.run_numbered(loop, team.PartCall(3, (counts.data_ptr(),), (7,)), count, threads)
    wanted = torch.zeros(50)
    wanted[3 : count + 3] = 7
    np.testing.assert_array_equal(counts, wanted)


@pytest.mark.skipif(not is_possible(), reason="no machine code is made here")
@pytest.mark.usefixtures("_sharing")
@pytest.mark.parametrize("threads", [2, 3])
def test_no_two_threads_work_in_one_memory(threads: int):
    """Each part counts up a number in its thread's memory and one in its own."""
    code = KernelText(1)
    with code.loop(0, 1 << 16):
        value = code.load("%scratch")
        code.store(code.add(f"fadd {code.type} {value}, {code.literal(1.0)}"), "%scratch")
    loop = compiled_text(code.function_text())
    assert loop is not None
    counts = torch.zeros(threads, 64)
    scratch = team.PartMemory(counts.data_ptr(), per_thread=256, threads=threads)
    team.run_parts([loop], _parts(40), threads, scratch)
    assert counts[:, 0].sum() == 40 << 16
    apart = torch.zeros(40, 64)
    team.run_parts([loop], _parts(40), threads, team.PartMemory(apart.data_ptr(), per_part=256))
    np.testing.assert_array_equal(apart[:, 0], np.full(40, 1 << 16))


@pytest.mark.skipif(sys.platform != "linux", reason="torch has other threads there")
def test_torch_lends_its_team():
    assert "OpenMP" in torch.__config__.parallel_info()
    assert library.team() is not None
    assert library.thread_number() is not None
