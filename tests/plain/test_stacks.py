"""The frames of threads are asked for while no garbage is collected."""

from __future__ import annotations

import gc
import sys
import threading
from pathlib import Path

import pytest

from emplace.base.stacks import innermost_frames


def test_no_garbage_is_collected_while_python_looks_at_its_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Python would wait for itself for ever: it did once in five thousand reports of memory."""
    ask, collects = sys._current_frames, []

    def asked() -> object:
        collects.append(gc.isenabled())
        return ask()

    monkeypatch.setattr(sys, "_current_frames", asked)
    assert threading.get_ident() in innermost_frames()
    assert collects == [False]
    assert gc.isenabled()


def test_a_collector_that_is_off_stays_off() -> None:
    gc.disable()
    try:
        innermost_frames()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_nobody_else_asks_python() -> None:
    files = (Path(__file__).parents[2] / "emplace").rglob("*.py")
    assert [path.name for path in files if "_current_frames" in path.read_text()] == ["stacks.py"]
