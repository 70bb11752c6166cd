"""Parts of work on a crowded machine (codegen/crew.py, codegen/crowd.py)."""

from __future__ import annotations

import ctypes
import os
import platform
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from emplace.codegen import crew, crowd, team
from emplace.codegen.code import compiled_text, is_possible
from emplace.codegen.kernel_text import KernelText

pytestmark = pytest.mark.skipif(
    not is_possible() or sys.platform != "linux", reason="no crew is made here"
)


class _Counts:
    """Work of 100 parts, each of which counts up a number of its own, while a crew is asked."""

    def __init__(self) -> None:
        import torch

        code = KernelText(1)
        place = code.at(code.fixed(0), "%begin")
        code.store(code.add(f"fadd {code.type} {code.load(place)}, {code.literal(1.0)}"), place)
        self._loop = compiled_text(code.function_text())
        self._counts = torch.zeros(100)

    def run(self) -> list[float]:
        """What was counted, in all."""
        call = team.PartCall(0, (self._counts.data_ptr(),), ())
        team.run_numbered(self._loop, call, 100, 2)
        return self._counts.tolist()


@pytest.fixture
def _crowded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(team, "is_crowded", lambda: True)


def _helpers() -> crew.Crew:
    taker = team._taker(team._BY_NUMBER)
    assert taker is not None
    made = crew.crew(team.most_threads(2), taker.address)
    assert made is not None
    return made


@pytest.mark.usefixtures("_crowded")
def test_members_that_do_not_come_hold_nobody_up(monkeypatch: pytest.MonkeyPatch):
    helpers = _helpers()
    alone = crew.Crew(3, helpers._run, lambda *_: None)
    monkeypatch.setattr(team, "crew", lambda *_: alone)
    assert _Counts().run() == [1.0] * 100


@pytest.mark.usefixtures("_crowded")
def test_who_comes_while_others_use_the_crew_asks_the_team(monkeypatch: pytest.MonkeyPatch):
    helpers, asked = _helpers(), []
    assert helpers._is_used.acquire(timeout=5)
    try:
        assert not helpers.run(0)
        monkeypatch.setattr(team, "crew", lambda *_: asked.append(1) or helpers)
        assert _Counts().run() == [1.0] * 100
    finally:
        helpers._is_used.release()
    assert asked


@pytest.mark.usefixtures("_crowded")
def test_many_callers_get_all_that_they_ask_for():
    results = []

    def work() -> None:
        counts = _Counts()
        for _ in range(200):
            last = counts.run()
        results.append(last)

    callers = [threading.Thread(target=work) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert results == [[200.0] * 100] * 4


def _attributes(thread: int) -> tuple[int, int, int]:
    """A thread's policy, niceness, and how much it asks to run at once, in nanoseconds."""
    number = {"x86_64": 315, "aarch64": 275}[platform.machine()]
    told = ctypes.create_string_buffer(crew._ATTRIBUTES.size)
    if ctypes.CDLL(None).syscall(number, thread, told, len(told), 0) != 0:
        pytest.skip("this system does not tell how threads are scheduled")
    _, policy, _, niceness, _, runtime, _, _ = crew._ATTRIBUTES.unpack(told.raw)
    return policy, niceness, runtime


@pytest.mark.usefixtures("_crowded")
def test_members_ask_to_run_for_a_moment_only():
    _Counts().run()
    members = [x for x in threading.enumerate() if x.name.startswith("emplace-crew")]
    assert members
    mine = _attributes(threading.get_native_id())
    for member in members:
        policy, niceness, runtime = _attributes(member.native_id)
        assert (policy, niceness) == mine[:2]
        if [int(x) for x in platform.release().split(".")[:2]] >= [6, 12]:
            assert runtime == 100_000
            assert mine[2] != 100_000


_FORK = """
import os, sys
from emplace.codegen import team
from tests.behaviour.plans.test_crew import _Counts

team.is_crowded = lambda: True
assert _Counts().run() == [1.0] * 100
child = os.fork()
assert _Counts().run() == [1.0] * 100
if child:
    _, status = os.waitpid(child, 0)
    sys.exit(os.waitstatus_to_exitcode(status))
"""


def test_a_forked_process_has_a_crew_of_its_own():
    """And a process ends although members of its crew wait for work."""
    root = Path(__file__).parents[3]
    path = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-W", "ignore", "-c", _FORK]
    subprocess.run(command, check=True, timeout=120, env={**os.environ, "PYTHONPATH": path})


@pytest.mark.parametrize(("waited", "is_crowded"), [(0, False), (5, False), (20, True), (90, True)])
def test_a_machine_is_crowded_where_threads_wait_to_run(
    monkeypatch: pytest.MonkeyPatch, waited: int, is_crowded: bool
):
    """Of 100 ms in which a thread ran or could have run."""
    now, told = (
        iter([1e9, 1.001e9, 1.2e9]),
        iter([(3e9, 7e9), (3.1e9 - waited * 1e6, 7e9 + waited * 1e6)]),
    )
    monkeypatch.setattr(crowd, "_watched", crowd._Watched())
    monkeypatch.setattr(crowd, "_can_tell", True)
    monkeypatch.setattr(crowd.time, "monotonic_ns", lambda: int(next(now)))
    monkeypatch.setattr(crowd, "_times", lambda: tuple(map(int, next(told))))
    assert not crowd.is_crowded()
    assert not crowd.is_crowded()  # it has asked just before
    assert crowd.is_crowded() == is_crowded


def test_a_thread_that_waits_for_its_own_crew_alone_is_not_crowded_for_ever(
    monkeypatch: pytest.MonkeyPatch,
):
    """With the crew it waits for half of its time, and without one only while others run."""
    clock, others_run = {"now": 0, "ran": 0, "waited": 0}, True
    monkeypatch.setattr(crowd, "_watched", crowd._Watched())
    monkeypatch.setattr(crowd, "_can_tell", True)
    monkeypatch.setattr(crowd.time, "monotonic_ns", lambda: clock["now"])
    monkeypatch.setattr(crowd, "_times", lambda: (clock["ran"], clock["waited"]))

    def crowded_share(milliseconds: int) -> float:
        crowded = 0
        for _ in range(milliseconds):
            has_crew = crowd.is_crowded()
            crowded += has_crew
            clock["now"] += 1_000_000
            clock["waited" if (has_crew or others_run) and clock["now"] % 2_000_000 else "ran"] += (
                1_000_000
            )
        return crowded / milliseconds

    assert crowded_share(4000) > 0.95
    others_run = False
    crowded_share(1000)
    assert crowded_share(1000) == 0


def test_where_nothing_tells_no_machine_is_crowded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(crowd, "_watched", crowd._Watched())
    monkeypatch.setattr(crowd, "_can_tell", False)
    assert not crowd.is_crowded()


def test_linux_tells_how_long_a_thread_has_run():
    before = crowd._times()
    sum(range(2_000_000))
    after = crowd._times()
    assert after[0] > before[0]
    assert after[1] >= before[1]
