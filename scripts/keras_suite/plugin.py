"""A pytest plugin: Keras's own tests on Emplace, each outcome kept as a line of JSON.

`EMPLACE_KERAS_RESULTS` names the file; tests that it tells of already are left out. On virtual GPUs
(`EMPLACE_GPUS`) Keras is told that there is no GPU, for it leaves out 140 tests that fail on
TensorFlow's: the ops run on them all the same.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

if os.environ.get("EMPLACE_KERAS_ON", "emplace") == "emplace":
    import emplace

    emplace.install()
    if os.environ.get("EMPLACE_GPUS"):
        import tensorflow
        from keras.src.testing import test_case

        test_case.uses_gpu._value = False  # type: ignore[attr-defined]
        tensorflow.test.is_gpu_available = lambda *args, **kwargs: False

RESULTS = Path(os.environ["EMPLACE_KERAS_RESULTS"])


def skip_if_backend(backend: str, reason: str) -> Any:
    """A marker that Keras's tests import from the `conftest` of its repository."""
    return pytest.mark.skipif(os.environ["KERAS_BACKEND"] == backend, reason=reason)


sys.modules.setdefault("conftest", sys.modules[__name__])


def node_id(nodeid: str) -> str:
    """The id as the baseline has it: from `keras/src` on."""
    return nodeid[nodeid.index("keras/src/") :] if "keras/src/" in nodeid else nodeid


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "requires_trainable_backend: needs gradients")
    config.addinivalue_line("markers", "multi_device: needs several devices")


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    wanted = os.environ.get("EMPLACE_KERAS_IDS")
    done = {json.loads(line)["id"] for line in _lines(RESULTS)}
    chosen = set(Path(wanted).read_text().split("\n")) if wanted else None
    kept, left = [], []
    for item in items:
        name = node_id(item.nodeid)
        is_wanted = name not in done and (chosen is None or name in chosen)
        (kept if is_wanted else left).append(item)
    items[:] = kept
    if left:
        config.hook.pytest_deselected(items=left)
    for item in items:
        if item.get_closest_marker("multi_device"):
            item.add_marker(pytest.mark.skip(reason="needs several devices"))


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


class _Keeper:
    """Writes an outcome when a test's last phase is over; lives where reports arrive."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._outcomes: dict[str, tuple[str, str]] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        name = node_id(report.nodeid)
        self._seconds[name] = self._seconds.get(name, 0.0) + report.duration
        if report.outcome != "passed" or report.when == "call":
            text = "" if report.outcome == "passed" else _last_line(report)
            if self._outcomes.get(name, ("passed",))[0] == "passed":
                self._outcomes[name] = (report.outcome, text)
        if report.when == "teardown" or "crashed" in str(report.longrepr or ""):
            outcome, text = self._outcomes.get(name, ("failed", "crashed"))
            line = {"id": name, "outcome": outcome, "seconds": round(self._seconds[name], 3)}
            if text:
                line["why"] = text
            with RESULTS.open("a") as file:
                file.write(json.dumps(line) + "\n")


def _last_line(report: Any) -> str:
    """The last line of an error, which tells failures of one cause from others."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        return f"{Path(crash.path).name}:{crash.lineno}: {crash.message}"[:600]
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2])[:300]
    return str(report.longrepr)[-600:]


def pytest_sessionstart(session: Any) -> None:
    if not hasattr(session.config, "workerinput"):
        session.config.pluginmanager.register(_Keeper(), "emplace-keras-keeper")
