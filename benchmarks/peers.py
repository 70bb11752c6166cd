"""The libraries that are compared: where each lives, and the processes that run its rows.

TensorFlow and JAX live in an environment of their own, `.bench-venv`, or where the environment
variable BENCH_VENV says. It is made when it is first needed; without it they are missing.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .device import DEVICE

ROOT = Path(__file__).parent.parent
REQUIREMENTS = ROOT / "requirements" / "bench.txt"

# One thread each, on the CPU, whatever the machine has. JAX takes more in spite of its flags, so
# every process is also kept on one core, unless its suite is about workers.
_ALIKE = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
    "CUDA_VISIBLE_DEVICES": "-1",
}

# Emplace runs from its sources here: like the others it may keep what it compiled.
_DROPPED = ("EMPLACE_", "PYTHONDONTWRITEBYTECODE")
_THREADS = ("OMP_", "GOMP_", "MKL_", "TF_NUM_", "XLA_FLAGS")


def on_device(gpus: int) -> dict[str, str]:
    """What the environment of a peer's process says of where it computes."""
    count = f"{gpus}" if gpus > 1 or DEVICE in ("virtual", "strict") else ""
    text = {"cpu": "", "strict": f"{count}:strict"}.get(DEVICE, count)
    return {"BENCH_DEVICE": DEVICE, **({"EMPLACE_GPUS": text} if text else {})}


def _on_one_core() -> None:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


class UnavailableError(Exception):
    """A peer or a row cannot run here. The text says why."""


@dataclass(frozen=True)
class Peer:
    """One column of the table.

    `library` is the module that tells its version, `program` the module of a suite that holds
    its rows, `prepare` Python to run before that is imported, `elsewhere` whether it lives in
    the separate environment, and `variables` what its process finds in its environment.
    """

    name: str
    library: str
    program: str
    prepare: str = ""
    elsewhere: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)

    def options(self, spreads: bool, threads: bool = False, gpus: int = 1) -> dict[str, Any]:
        """How its processes are started; `spreads` leaves them all cores, `threads` as many
        threads as each library takes by itself. `gpus` is how many virtual GPUs stand for a card.
        """
        dropped = (*_DROPPED, *_THREADS) if threads else _DROPPED
        env = {**os.environ, **_ALIKE}
        env = {name: text for name, text in env.items() if not name.startswith(dropped)}
        options: dict[str, Any] = {"env": {**env, **on_device(gpus), **self.variables}}
        if DEVICE == "cuda":
            options["env"].pop("CUDA_VISIBLE_DEVICES", None)
        if not spreads and hasattr(os, "sched_setaffinity"):
            options["preexec_fn"] = _on_one_core
        return {"cwd": ROOT, "text": True, **options}

    def python(self) -> str:
        """The interpreter that can import it."""
        found = _bench_python() if self.elsewhere else sys.executable
        if not found:
            raise UnavailableError(f"{self.name}: the separate environment could not be made")
        return found


# One program for Emplace and TensorFlow: `import tensorflow` means the one or the other.
_INSTALL = "import emplace; emplace.install()"
PEERS = (
    Peer("emplace", "emplace", "tf_program", _INSTALL),
    Peer("watched", "emplace", "tf_program", f"{_INSTALL}; emplace.watch().__enter__()"),
    Peer("bounded", "emplace", "tf_program", _INSTALL, variables={"EMPLACE_GPUS": "1x64MB"}),
    Peer("torch", "torch", "torch_program"),
    Peer("tensorflow", "tensorflow", "tf_program", elsewhere=True),
    Peer("jax", "jax", "jax_program", elsewhere=True),
)


@functools.cache
def _bench_python() -> str | None:
    """The interpreter of the separate environment, made first if need be; None if it cannot be."""
    folder = Path(os.environ.get("BENCH_VENV", ROOT / ".bench-venv"))
    python, ready = str(folder / "bin" / "python"), folder / ".ready"
    wanted = REQUIREMENTS.read_text()
    if ready.exists() and ready.read_text() == wanted:
        return python
    print("Making an environment with TensorFlow and JAX; this takes minutes, once.")
    for command in (
        [sys.executable, "-m", "venv", str(folder)],
        [python, "-m", "pip", "install", "--quiet", "--requirement", str(REQUIREMENTS)],
    ):
        if subprocess.run(command).returncode:
            return None
    ready.write_text(wanted)
    return python


class Worker:
    """A process that runs rows of a program; idle until it is asked.

    Raises:
        UnavailableError: it did not start.
    """

    def __init__(
        self, peer: Peer, suite: str, spreads: bool = False, threads: bool = False, gpus: int = 1
    ) -> None:
        self.name = peer.name
        self._process = subprocess.Popen(
            [peer.python(), "-m", "benchmarks.worker", f"{suite}.{peer.program}", peer.library,
             peer.prepare],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            **peer.options(spreads, threads, gpus),
        )  # fmt: skip
        hello = self._answer()
        self.rows: list[str] = hello["rows"]
        self.version: str = hello["version"]

    def microseconds(self, row: str, seconds: float) -> float:
        """Runs a row for about `seconds` seconds; microseconds per repetition.

        Raises:
            UnavailableError: the row failed, or the process died.
        """
        print(json.dumps({"row": row, "seconds": seconds}), file=self._process.stdin, flush=True)
        return float(self._answer(f", {row}")["microseconds"])

    def _answer(self, row: str = "") -> Any:
        line = self._process.stdout.readline() if self._process.stdout else ""
        answer = json.loads(line or '{"error": "the process died"}')
        if "error" in answer:
            raise UnavailableError(f"{self.name}{row}: {answer['error']}")
        return answer

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()


class Starter:
    """Runs a statement in a fresh interpreter each time: what an import costs."""

    def __init__(self, peer: Peer, starts: Mapping[str, Mapping[str, str]]) -> None:
        self.name = peer.name
        self.rows = [row for row, statements in starts.items() if peer.name in statements]
        self._peer = peer
        self._starts = starts

    def microseconds(self, row: str, seconds: float) -> float:
        """Runs a statement once, however long it takes; microseconds, without Python's own start.

        Raises:
            UnavailableError: it failed.
        """
        code = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"
        statement = code.format(self._starts[row][self.name])
        command = [self._peer.python(), "-c", statement]
        done = subprocess.run(command, capture_output=True, **self._peer.options(spreads=False))
        if done.returncode:
            raise UnavailableError(f"{self.name}, {row}: {done.stderr.strip()[-300:]}")
        return float(done.stdout) * 1e6
