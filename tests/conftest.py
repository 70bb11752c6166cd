"""Every test gets a fresh runtime without GPUs, unless it asks for virtual ones, and fails if it
leaves something open: a device scope, a tape, an observer. Only tests/cuda, which is collected
where there is CUDA, sees real GPUs.
"""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from emplace import runtime
from emplace.base.sizes import VirtualGpus
from emplace.core import context
from emplace.core.context import LOCAL, PROCESS
from emplace.devices import inventory
from emplace.devices.cuda import CudaBackend
from emplace.devices.inventory import Inventory
from emplace.ops.op import lift_restrictions

REPOSITORY = Path(__file__).resolve().parents[1]
LEFT_OUT = pytest.StashKey[int]()
"""How many slow tests were left out, and the name under which a worker of pytest-xdist tells it."""
LEFT_OUT_OF_WORKER = "slow tests left out"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options of these tests; tests/contract/conftest.py reads `--family`."""
    parser.addoption(
        "--strict-gpus",
        action="store_true",
        help="virtual GPUs are strict ones, also where a test does not ask for it; a test that "
        "says nothing of GPUs gets one of 2 GB, one that is marked gpus(0) none",
    )
    parser.addoption(
        "--quick",
        action="store_true",
        help="leave out tests that are marked slow, and say how many; `make test` does",
    )
    parser.addoption(
        "--cards",
        action="store_true",
        help="virtual GPUs live on the machine's own GPUs, where there are some; a test that asks "
        "for none gets one of 2 GB. `make cuda` runs the recorded cases so",
    )
    parser.addoption(
        "--family",
        action="append",
        default=[],
        metavar="NAME",
        help="run the recorded cases of this family of tests/contract/op_cases, in eager mode and "
        "in graphs, and nothing else; may be given more than once",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Goes straight to the recorded cases where a family is asked for and no file is; makes virtual
    GPUs strict where that is asked for.
    """
    is_all = config.args_source is not pytest.Config.ArgsSource.ARGS
    if config.getoption("--family") and is_all:
        folder = REPOSITORY / "tests" / "contract"
        config.args = [
            str(folder / name) for name in ("test_ops_oracle.py", "test_graph_oracle.py")
        ]
    if config.getoption("--strict-gpus"):
        wanted = Inventory._virtual_gpus

        def strict(inventory: Inventory) -> VirtualGpus | None:
            found = wanted(inventory)
            return found and VirtualGpus(found.sizes, bool(found.sizes))

        Inventory._virtual_gpus = strict


@pytest.hookimpl(trylast=True)  # of those that -k and -m choose
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves slow tests out where that is asked for. On strict GPUs tests that are marked so fail;
    whichever does not must lose its mark, unless it does `sometimes`: random programs of which some
    have nothing that is refused.
    """
    if config.getoption("--quick"):
        slow = _slow_ones(items)
        items[:] = [item for item in items if item not in slow]
        config.hook.pytest_deselected(items=list(slow))
        config.stash[LEFT_OUT] = len(slow)
        if hasattr(config, "workeroutput"):  # a worker of pytest-xdist
            config.workeroutput[LEFT_OUT_OF_WORKER] = len(slow)
    if not config.getoption("--strict-gpus"):
        return
    for item in items:
        for mark in item.iter_markers("not_strict"):
            always = not mark.kwargs.get("sometimes", False)
            item.add_marker(pytest.mark.xfail(reason=mark.args[0], strict=always))


def _slow_ones(items: list[pytest.Item]) -> dict[pytest.Item, None]:
    """Those that are marked so; and where a test is marked `one_of(n)` all cases but the first and
    one of n others. Which, their names say: neighbours differ in one of several parameters, and a
    new case changes nothing for those that are there.
    """
    slow, tests = dict.fromkeys(i for i in items if i.get_closest_marker("slow")), set()
    for item in items:
        mark = item.get_closest_marker("one_of")
        test = item.nodeid.partition("[")[0]
        if mark and test in tests and crc32(item.nodeid.encode()) % mark.args[0]:
            slow[item] = None
        tests.add(test)
    return slow


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Learns from a worker of pytest-xdist how many tests all workers left out."""
    told = getattr(node, "workeroutput", {}).get(LEFT_OUT_OF_WORKER)  # none by one that crashed
    node.config.stash[LEFT_OUT] = told or node.config.stash.get(LEFT_OUT, 0)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Says what was left out, and how to run it."""
    count = config.stash.get(LEFT_OUT, 0)
    if count:
        terminalreporter.write_line(
            f"Slow tests that were left out: {count}. `make test SLOW=1` runs them, as CI does, "
            "and so does pytest without --quick."
        )


def pytest_report_header() -> str | None:
    """Says so where the facts about real hardware are not tested."""
    why = CudaBackend().why_unavailable()
    return f"tests/cuda is not collected: {why}" if why else None


def pytest_collectstart(collector: pytest.Collector) -> None:
    """What a module makes when it is imported is of eager mode, whatever came before it."""
    context.reset()


def pytest_collection_finish() -> None:
    """Leaves what makes up the tests out of all later collections of garbage: they would go through
    its million objects, half a second each, and refusals of memory ask for one.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def only_garbage_of_this_file() -> None:
    """Leaves what earlier files of tests have loaded and kept out of the collections of this one,
    too: tests ask for hundreds, and half of a process may be Keras and Hypothesis.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def few_loggers() -> None:
    """Lets torch's sixty loggers hand on to the root logger, which pytest listens to: to each that
    does not it goes itself, three times a test. Some are made when torch's compiler is loaded.
    """
    for name, logger in logging.root.manager.loggerDict.items():
        if isinstance(logger, logging.Logger) and name.startswith("torch"):
            logger.propagate = True


def _gpus_of_tests(config: pytest.Config) -> str:
    """The GPUs of a test that says nothing of them, here and in processes that it starts."""
    if config.getoption("--strict-gpus"):
        return "1x2GB:strict"
    return "1x2GB" if config.getoption("--cards") else "0"


def _asks_for_strict(node: pytest.Item) -> bool:
    return any(mark.kwargs.get("strict", False) for mark in node.iter_markers("gpus"))


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    """A runtime of the test's own; the marker `gpus(n, memory=...)` gives it virtual GPUs."""
    for name in [n for n in os.environ if n.startswith(("EMPLACE_", "TF_"))]:
        monkeypatch.delenv(name)
    if request.node.get_closest_marker("cuda") is None:
        # The same tests on a machine with GPUs, here and in processes they start.
        monkeypatch.setenv("EMPLACE_GPUS", _gpus_of_tests(request.config))
        if request.config.getoption("--strict-gpus") and not _asks_for_strict(request.node):
            # What tests refuse they refuse at once; those of late checks ask for strict GPUs.
            monkeypatch.setenv("EMPLACE_IMMEDIATE_CHECKS", "1")
        if not request.config.getoption("--cards"):
            monkeypatch.setattr(inventory, "REAL_GPUS", ())
    if request.node.get_closest_marker("gpus") is None:
        runtime.reset(virtual=True)
    yield
    left = LOCAL.state.scopes, LOCAL.state.tapes, PROCESS.observers
    LOCAL.state.scopes, LOCAL.state.tapes = [], ()
    LOCAL.state.scope = None
    for observer in PROCESS.observers:
        if type(observer).__name__ == "PlacementLog":
            left = (left[0], left[1], ())  # the log is a setting, which reset() forgets
    runtime.reset(virtual=True)
    lift_restrictions()
    assert left == ([], (), ()), f"the test left open: {left}"
