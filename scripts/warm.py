"""Programs that start in no time: forks of a process that has loaded what they import.

A new interpreter works for two seconds until it has torch and Emplace, for five until it has Keras,
and for one to take all down again. `Warm` pays that once:

    with Warm() as warm:
        done = warm.run(["python", "-m", "emplace", "run", "program.py"], folder, os.environ)

`done` is what `subprocess.run` returns; `warm.start` lets several run at a time. A fork has a
folder, an environment, arguments and output of its own, and ends with its `atexit` functions and
its exit code. What differs: modules are loaded already, so who asks how a program starts, what
importing does, or how the interpreter goes down starts a process of its own.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import re
import runpy
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[1]
Done = subprocess.CompletedProcess[str]


class Program:
    """A program that runs in a fork, with some of what `subprocess.Popen` has."""

    def __init__(self, warm: Warm, command: list[str], pid: int, files: Sequence[Path]) -> None:
        self.command, self.pid = command, pid
        self.returncode: int | None = None
        self._warm, self._files = warm, files

    def poll(self) -> int | None:
        """Its exit code, or None while it runs."""
        return self.wait(0)

    def wait(self, timeout: float | None = None) -> int | None:
        """Waits for its end, or for so many seconds; returns what `poll` does."""
        if self.returncode is None:
            self.returncode = self._warm.ended(self.pid, timeout)
        return self.returncode

    def kill(self) -> None:
        """Ends it at once, if it has not ended."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def written(self) -> list[str]:
        """What it has written until now: its output and its errors, or both in one."""
        return [file.read_text() for file in self._files]


class Warm:
    """A process that has loaded Emplace, also Keras on it if that is asked for, and becomes
    programs. It starts with the first one.
    """

    def __init__(self, has_keras: bool = False) -> None:
        self._has_keras = has_keras
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._heard = b""
        self._count = 0
        self._codes: dict[int, int] = {}

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
        """Runs a command, as `start` does, to its end. Does not raise if it fails."""
        try:
            program = self.start(words, folder, environment, is_apart)
            code = program.wait()
        except BaseException:  # a test that takes too long, an interrupt
            self.close()
            raise
        assert code is not None
        out, *err = program.written()
        return Done(program.command, code, out, "".join(err))

    def start(
        self,
        words: Sequence[object],
        folder: Path,
        environment: Mapping[str, str],
        is_apart: bool = True,
    ) -> Program:
        """Starts a command, which begins with `python`, `emplace` or `pytest`, in a folder and with
        this environment and no other. Errors are written among the output if they are not kept
        apart. Several may run at the same time.
        """
        process = self._process = self._process or self._started()
        self._folder = self._folder or tempfile.TemporaryDirectory()
        command = [str(word) for word in words]
        self._count += 1
        files = [Path(self._folder.name, f"{self._count}.{end}") for end in ("out", "err")]
        files = files if is_apart else files[:1]
        for file in files:
            file.touch()
        names = [str(files[0]), str(files[-1])]
        question = [command, str(folder), dict(environment), names]
        assert process.stdin is not None
        process.stdin.write(json.dumps(question).encode() + b"\n")
        process.stdin.flush()
        while (told := self._hear(None)) is None or told[0] != "runs":
            pass
        return Program(self, command, told[1], files)

    def ended(self, pid: int, timeout: float | None) -> int | None:
        """Waits for the end of a program, or for so many seconds; returns its exit code."""
        until = None if timeout is None else time.monotonic() + timeout
        while pid not in self._codes:
            if self._hear(until) is None:
                return None
        return self._codes[pid]

    def close(self) -> None:
        """Ends the process, and programs that still run."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()
            self._process, self._heard = None, b""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _hear(self, until: float | None) -> tuple[str, int] | None:
        """The next thing that the process tells, which program it is about, or None if it tells
        nothing until then; keeps how programs end.
        """
        assert self._process is not None
        assert self._process.stdout is not None
        while b"\n" not in self._heard:
            left = None if until is None else max(0.0, until - time.monotonic())
            if not select.select([self._process.stdout], [], [], left)[0]:
                return None
            self._heard += (read := os.read(self._process.stdout.fileno(), 4096))
            if not read:
                raise ChildProcessError("the process that becomes programs has ended")
        line, _, self._heard = self._heard.partition(b"\n")
        found = _TOLD.fullmatch(line.decode())
        if not found:
            raise ValueError(f"the process that becomes programs tells {line.decode()!r}")
        what, pid, code = found.groups()
        if what == "ended":
            self._codes[int(pid)] = int(code)
        else:
            self._codes.pop(int(pid), None)
        return what, int(pid)

    def _started(self) -> subprocess.Popen[bytes]:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("EMPLACE_", "TF_"))}
        return subprocess.Popen(
            [sys.executable, "-m", "scripts.warm", *(["keras"] if self._has_keras else [])],
            cwd=ROOT,
            env=clean
            | {"PYTHONPATH": str(ROOT), "KERAS_BACKEND": "tensorflow"}
            | {"PYTHONUNBUFFERED": "1"},  # what is printed stands among the errors in its order
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )


_TOLD = re.compile(r"(runs|ended) (\d+) (-?\d+)")


def _serve(has_keras: bool) -> None:
    """Becomes each program that is asked for, in a fork, and tells when it runs and how it ends."""
    _load(has_keras)
    gc.collect()
    gc.freeze()  # forks do not go through what was there before them, and share its memory
    signal.signal(signal.SIGCHLD, _tell_who_ended)
    for line in sys.stdin:
        words, folder, environment, files = json.loads(line)
        # Who ends at once is not told of before it is told that it runs.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        child = os.fork()
        if not child:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
            _become(words, folder, environment, files)
        os.write(1, f"runs {child} 0\n".encode())
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])


def _tell_who_ended(*_: object) -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        os.write(1, f"ended {pid} {os.waitstatus_to_exitcode(status)}\n".encode())


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
