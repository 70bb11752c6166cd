"""Programs that start in no time: forks of a process that has loaded what they import.

A new interpreter works for two seconds until it has torch and Emplace, for five until it has Keras,
and for one to take all down again. `Warm` pays that once:

    with Warm() as warm:
        done = warm.run(["python", "-m", "emplace", "run", "program.py"], folder, os.environ)

`done` is what `subprocess.run` returns. A fork has a folder, an environment, arguments and output
of its own, and ends with its `atexit` functions and its exit code. What differs: modules are loaded
already, so who asks how a program starts, what importing does, or how the interpreter goes down
starts a process of its own.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[1]
Done = subprocess.CompletedProcess[str]


class Warm:
    """A process that has loaded Emplace, also Keras on it if that is asked for, and becomes
    programs. It starts with the first one. Programs run one after another.
    """

    def __init__(self, has_keras: bool = False) -> None:
        self._has_keras = has_keras
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Warm:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def run(
        self,
        words: Sequence[object],
        folder: Path,
        environment: Mapping[str, str],
        is_apart: bool = True,
    ) -> Done:
        """Runs a command, which begins with `python`, `emplace` or `pytest`, in a folder and with
        this environment and no other. Does not raise if it fails. Errors are written among the
        output if they are not kept apart.
        """
        command = [str(word) for word in words]
        with tempfile.TemporaryDirectory() as kept:
            files = [f"{kept}/out", f"{kept}/err"] if is_apart else [f"{kept}/out"] * 2
            code = self._ask([command, str(folder), dict(environment), files])
            out, err = (Path(file).read_text() for file in files)
        return Done(command, code, out, err if is_apart else "")

    def close(self) -> None:
        """Ends the process, and a program that still runs."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()
            self._process = None

    def _ask(self, question: object) -> int:
        process = self._process = self._process or self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(question) + "\n")
            process.stdin.flush()
            return int(process.stdout.readline())
        except BaseException:  # a test that takes too long, an interrupt: nobody reads the answer
            self.close()
            raise

    def _started(self) -> subprocess.Popen[str]:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("EMPLACE_", "TF_"))}
        return subprocess.Popen(
            [sys.executable, "-m", "scripts.warm", *(["keras"] if self._has_keras else [])],
            cwd=ROOT,
            env=clean
            | {"PYTHONPATH": str(ROOT), "KERAS_BACKEND": "tensorflow"}
            | {"PYTHONUNBUFFERED": "1"},  # what is printed stands among the errors in its order
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )


def _serve(has_keras: bool) -> None:
    """Becomes each program that is asked for, in a fork, and answers with its exit code."""
    _load(has_keras)
    gc.collect()
    gc.freeze()  # forks do not go through what was there before them, and share its memory
    for line in sys.stdin:
        words, folder, environment, files = json.loads(line)
        child = os.fork()
        if not child:
            _become(words, folder, environment, files)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _load(has_keras: bool) -> None:
    """Imports what programs import. Nothing may compute yet: a thread would be lost in a fork."""
    import pytest  # noqa: F401

    import emplace
    import emplace.cli
    import emplace.tensorflow.compat.v1

    if has_keras:
        finders = list(sys.meta_path)
        emplace.install()
        import keras._tf_keras.keras  # noqa: F401

        sys.meta_path[:] = finders  # whether `tensorflow` is there is the program's choice
    assert threading.active_count() == 1, threading.enumerate()


def _become(
    words: list[str], folder: str, environment: dict[str, str], files: list[str]
) -> NoReturn:
    """Runs a program as if this process had begun with it, and ends."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for i, file in enumerate(files, 1):
        os.dup2(os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), i)
    if "OMP_NUM_THREADS" in environment:  # torch has read it when it was loaded
        sys.modules["torch"].set_num_threads(int(environment["OMP_NUM_THREADS"]))
    code = 0
    try:
        _run(*words)
    except SystemExit as end:
        code = _code(end)
    except BaseException as error:
        traceback.print_exception(error)
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)  # to take everything down takes a second


def _run(command: str, *arguments: str) -> Any:
    sys.argv = [command, *arguments]
    if command == "emplace":
        sys.modules["emplace.cli"].main()
    elif command == "pytest":
        loaded = "ignore::pytest.PytestAssertRewriteWarning"
        pytest = sys.modules["pytest"]
        sys.exit(pytest.main(["-p", "no:cacheprovider", "-W", loaded, *arguments]))
    elif arguments[0] == "-m":
        sys.argv, sys.path[0] = list(arguments[1:]), os.getcwd()
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    elif arguments[0] == "-c":
        sys.argv, sys.path[0] = ["-c", *arguments[2:]], ""
        main = sys.modules["__main__"] = ModuleType("__main__")
        exec(arguments[1], vars(main))
    else:
        sys.argv, sys.path[0] = list(arguments), str(Path(arguments[0]).resolve().parent)
        runpy.run_path(arguments[0], run_name="__main__")


def _code(end: SystemExit) -> int:
    """The exit code that Python ends with; tells what the program said instead of a number."""
    if end.code is None or isinstance(end.code, int):
        return int(end.code or 0) & 255
    print(end.code, file=sys.stderr)
    return 1


if __name__ == "__main__":
    _serve("keras" in sys.argv[1:])
