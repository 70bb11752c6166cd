"""Where the frames of plans lie: `_code` of graph/plan/splitting.py."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from emplace.graph.plan.splitting import functions_of

resource = pytest.importorskip("resource")
_LINES = 400


def _kernel(x: int) -> int:
    return x


def _plan() -> Callable[..., object]:
    lines = ["def plan(v0):", *["    v0 = kernel(v0)"] * _LINES, "    return [v0]"]
    run, _ = functions_of(lines, ["v0"], {"kernel": _kernel}, "<frames>")
    return run


def _faults(run: Callable[..., object], depth: int) -> int:
    """How many pages a run at a depth of calls asks the system for."""
    if depth:
        return _faults(run, depth - 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    run(1)
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)


@pytest.mark.skipif(sys.platform != "linux", reason="others count pages otherwise")
def test_calls_of_a_plan_ask_for_no_memory_at_any_depth() -> None:
    run = _plan()
    worst = max(min(_faults(run, depth) for _ in range(3)) for depth in range(300))
    assert worst < _LINES // 4


def test_short_plans_keep_their_frames() -> None:
    run, (code,) = functions_of(["def plan(v0):", "    return [v0]"], ["v0"], {}, "<short>")
    assert run(3) == [3]
    assert code.co_stacksize < 10
