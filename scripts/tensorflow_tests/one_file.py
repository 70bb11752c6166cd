"""Runs one of TensorFlow's test files and adds a line of JSON per test to its result.

`run.py` starts it, again after a crash: tests that the result tells of are left out, and one that
had begun and not ended has ended the process.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import signal
import sys
import time
import traceback
import unittest
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from absl import flags

from .helpers import test_loader
from .holes import USES
from .program_part import add_tests

IMPORT_SECONDS = 120
# What switches NumPy's ways on: where a file is run as a program, or where another one is imported.
_LIKE_NUMPY = "enable_numpy_methods_on_tensor()", "numpy_ops.tests.np_wrapper"
_FAILED = ("fail", "error", "timeout")


class Late(BaseException):
    """A test has not ended in time. No `except Exception` of its own catches this."""


def _ring(number: int, frame: FrameType | None) -> None:
    raise Late("not ended in time")


def _alarm(seconds: float) -> None:
    signal.setitimer(signal.ITIMER_REAL, seconds)


class Log:
    """A result: lines of JSON, each written at once."""

    def __init__(self, path: Path) -> None:
        lines = path.read_text().splitlines() if path.exists() else []
        rows = [json.loads(line) for line in lines]
        self.done = {row["id"] for row in rows if row["e"] == "end"}
        begun = [row["id"] for row in rows if row["e"] == "start"]
        self._file = path.open("a", buffering=1)
        for test in begun[-1:]:
            if test not in self.done:
                error = "the process ended or was killed in this test"
                self.say(e="end", id=test, status="crash", error=error)
                self.done.add(test)

    def say(self, **row: Any) -> None:
        """Adds a line."""
        self._file.write(json.dumps(row) + "\n")

    def close(self) -> None:
        """Writes what is left."""
        self._file.close()


class Outcome(unittest.TestResult):
    """How one test ended; of several errors the first counts."""

    def __init__(self) -> None:
        super().__init__()
        self.row: dict[str, Any] = {}

    def note(self, status: str, error: Any) -> None:
        """Keeps an error, as `sys.exc_info` tells it."""
        if self.row.get("status") in _FAILED:
            return
        self.row = {
            "status": "timeout" if error[0] is Late else status,
            "kind": error[0].__name__,
            "error": str(error[1])[:1200],
            "tb": "".join(traceback.format_exception(*error))[-2600:],
        }

    def addSuccess(self, test: unittest.TestCase) -> None:
        self.row = self.row or {"status": "ok"}

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        self.row = self.row or {"status": "skip", "error": str(reason)[:200]}

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        self.note("fail", err)

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        self.note("error", err)

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        if err is not None:
            self.note("fail" if issubclass(err[0], AssertionError) else "error", err)

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:
        self.row = {"status": "ok"}

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        self.row = {"status": "fail", "error": "unexpected success"}


def prepare(on_tensorflow: bool, source: Path) -> None:
    """Makes `tensorflow` what the tests run on."""
    flags.FLAGS(["test"], known_only=True)
    if on_tensorflow:
        return
    os.environ["TEST_SRCDIR"] = str(source)
    import emplace

    emplace.install()
    from emplace.private import eager_context

    from . import importer

    importer.install(source)
    eager_context._reset_context()  # devices start when a test says so


def load(file: str, source: Path, on_tensorflow: bool) -> ModuleType:
    """Imports a test file."""
    name = "tensorflow." + file.replace("/", ".").removesuffix(".py")
    if on_tensorflow:
        name += "_here"  # not within the package that is installed
    path = source / "tensorflow" / file
    loader = test_loader(name, path, on_tensorflow)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if not on_tensorflow and any(words in path.read_text() for words in _LIKE_NUMPY):
        import emplace.tensorflow as tf

        tf.experimental.numpy.experimental_enable_numpy_behavior()
    loader.exec_module(module)
    add_tests(module, path.read_text(), str(path))
    return module


def flat(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    """The tests of a suite."""
    for each in suite:
        if isinstance(each, unittest.TestSuite):
            yield from flat(each)
        else:
            yield each


def id_of(test: unittest.TestCase) -> str:
    """What a test is called in results and lists."""
    return f"{type(test).__name__}.{test._testMethodName}"


class Runner:
    """Runs tests one by one; a class is set up before its first one."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._set_up: dict[type, Any] = {}  # class -> the error of its setUpClass

    def _error_of_class(self, cls: type[unittest.TestCase]) -> Any:
        if cls not in self._set_up:
            try:
                cls.setUpClass()
                self._set_up[cls] = None
            except BaseException:
                self._set_up[cls] = sys.exc_info()
        return self._set_up[cls]

    def run(self, test: unittest.TestCase) -> dict[str, Any]:
        """A test's status, and its error."""
        USES.touched.clear()
        outcome = Outcome()
        error = self._error_of_class(type(test))
        try:
            _alarm(self._limit)
            if error is not None:
                outcome.note("error", error)
            else:
                test.run(outcome)
        except BaseException:  # what unittest lets through: `Late`, SystemExit
            outcome.row = {}
            outcome.note("error", sys.exc_info())
        finally:
            _alarm(0)
        row = outcome.row or {"status": "ok"}
        if USES.touched and row["status"] not in ("ok", "skip"):
            row["touched"] = list(dict.fromkeys(USES.touched))[:6]
        return row


def run_all(module: ModuleType, log: Log, limit: float, only: list[str] | None) -> None:
    """Runs the tests of a file that have not run yet, or those of them that are named."""
    USES.importing = False
    tests = list(flat(unittest.TestLoader().loadTestsFromModule(module)))
    log.say(e="list", count=len(tests), ids=[id_of(test) for test in tests])
    runner = Runner(limit)
    for test in tests:
        name = id_of(test)
        if name not in log.done and (only is None or name in only):
            log.say(e="start", id=name)
            began = time.time()
            row = runner.run(test)
            log.say(e="end", id=name, s=round(time.time() - began, 2), **row)
    log.say(e="finished")


def main() -> None:
    """The process of one file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", help="such as python/eager/backprop_test.py")
    parser.add_argument("result", type=Path)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--limit", type=float, required=True, help="seconds of a test")
    parser.add_argument("--on-tensorflow", action="store_true")
    parser.add_argument("--only", type=Path, help="a file with a list of tests")
    options = parser.parse_args()
    only = json.loads(options.only.read_text()) if options.only else None
    prepare(options.on_tensorflow, options.source)
    log = Log(options.result)
    signal.signal(signal.SIGALRM, _ring)
    try:
        _alarm(IMPORT_SECONDS)
        module = load(options.file, options.source, options.on_tensorflow)
        _alarm(0)
    except BaseException as error:  # whatever it is: it is told
        text = f"{type(error).__name__}: {error}"[:600]
        log.say(e="import", error=text, tb=traceback.format_exc()[-1500:])
    else:
        run_all(module, log, options.limit, only)
    log.close()
    os._exit(0)  # threads that tests have left go on otherwise


if __name__ == "__main__":
    main()
