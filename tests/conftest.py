"""Every test gets a fresh runtime without GPUs, unless it asks for virtual ones, and fails if it
leaves something open: a device scope, a tape, an observer. Only tests/cuda, which is collected
where there is CUDA, sees real GPUs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from emplace import runtime
from emplace.core import context
from emplace.core.context import LOCAL, PROCESS
from emplace.devices import inventory
from emplace.devices.cuda import CudaBackend
from emplace.devices.inventory import Inventory
from emplace.devices.virtual import VirtualGpus
from emplace.ops.op import lift_restrictions

REPOSITORY = Path(__file__).resolve().parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--strict-gpus",
        action="store_true",
        help="virtual GPUs are strict ones, also where a test does not ask for it; a test that "
        "asks for none gets one of 2 GB",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--strict-gpus"):
        wanted = Inventory._virtual_gpus

        def strict(inventory: Inventory) -> VirtualGpus | None:
            found = wanted(inventory) or VirtualGpus(())
            return VirtualGpus(found.sizes or (2 << 30,), True)

        Inventory._virtual_gpus = strict


def pytest_report_header() -> str | None:
    """Says so where the facts about real hardware are not tested."""
    why = CudaBackend().why_unavailable()
    return f"tests/cuda is not collected: {why}" if why else None


def pytest_collectstart(collector: pytest.Collector) -> None:
    """What a module makes when it is imported is of eager mode, whatever came before it."""
    context.reset()


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    """A runtime of the test's own; the marker `gpus(n, memory=...)` gives it virtual GPUs."""
    for name in [n for n in os.environ if n.startswith(("EMPLACE_", "TF_"))]:
        monkeypatch.delenv(name)
    if request.node.get_closest_marker("cuda") is None:
        # The same tests on a machine with GPUs, here and in processes they start.
        monkeypatch.setenv("EMPLACE_GPUS", "0")
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
