"""A pytest plugin: tests of a library on Emplace or TensorFlow, each outcome a line of JSON.

`LIBRARY_RESULTS` names the file; tests that it tells of already are left out, and those
that `LIBRARY_IDS`, if given, does not list. `LIBRARY_SAMPLE`
asks for so many of them, spread evenly.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
from pathlib import Path
from typing import Any

if os.environ["LIBRARY_ON"] == "emplace":
    import emplace

    emplace.install()

RESULTS = Path(os.environ["LIBRARY_RESULTS"])


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def _name(nodeid: str) -> str:
    """A test's name without addresses of memory, which are others in each process."""
    return re.sub("at0x[0-9a-f]+", "", nodeid)


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Leaves out what is done, or not asked for."""
    ids = os.environ.get("LIBRARY_IDS")
    wanted = set(_lines(Path(ids))) if ids else None
    done = {json.loads(line)["id"] for line in _lines(RESULTS)}
    items[:] = [
        each
        for each in items
        if _name(each.nodeid) not in done
        and (wanted is None or _name(each.nodeid) in wanted)
        and each.name != "test_session"  # TestCase's scope of sessions, which is no test
    ]
    RESULTS.with_suffix(".count").write_text(str(len(items) + len(done)))
    wish = int(os.environ.get("LIBRARY_SAMPLE") or 0)
    if wish and wanted is None:
        items[:] = items[:: max(1, len(items) // wish)]


class _Keeper:
    """Writes an outcome when a test's last phase is over."""

    def __init__(self) -> None:
        self._outcomes: dict[str, tuple[str, str]] = {}

    def pytest_runtest_logstart(self, nodeid: str, location: Any) -> None:
        RESULTS.with_suffix(".now").write_text(_name(nodeid))

    def pytest_runtest_logreport(self, report: Any) -> None:
        outcome = self._outcomes.setdefault(report.nodeid, ("passed", ""))
        if report.outcome != "passed" and outcome[0] == "passed":
            self._outcomes[report.nodeid] = (report.outcome, _last_line(report))
        if report.when == "teardown":
            outcome, why = self._outcomes[report.nodeid]
            line = {"id": _name(report.nodeid), "outcome": outcome} | ({"why": why} if why else {})
            with RESULTS.open("a") as file:
                file.write(json.dumps(line) + "\n")


def _last_line(report: Any) -> str:
    """The last line of an error, which tells failures of one cause from others."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        return f"{Path(crash.path).name}:{crash.lineno}: {crash.message}"[:400]
    return str(report.longrepr)[-400:]


def pytest_configure(config: Any) -> None:
    """Starts to keep outcomes; flags are parsed as `absl` does where tests are a program."""
    with contextlib.suppress(ImportError):
        importlib.import_module("absl.flags").FLAGS.mark_as_parsed()
    config.pluginmanager.register(_Keeper(), "emplace-libraries-keeper")
