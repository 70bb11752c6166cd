"""`emplace launch`: several workers on this machine, started, watched and started again by torch's
elastic agent."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
import uuid
from collections.abc import Sequence
from typing import Any

import torch
from torch.distributed.elastic.agent.server.api import WorkerGroup, WorkerSpec, WorkerState
from torch.distributed.elastic.agent.server.local_elastic_agent import LocalElasticAgent
from torch.distributed.elastic.multiprocessing import DefaultLogsSpecs, SignalException, Std
from torch.distributed.elastic.rendezvous import RendezvousParameters
from torch.distributed.elastic.rendezvous.registry import get_rendezvous_handler

from ....base import flags
from .begin import PLAN

_HERE = "127.0.0.1"
_LOOK_S = 0.1
# How long workers that are stopped may take, and how long those that are done wait for others.
_STOP_S, _END_S = 10, 10.0


class _Agent(LocalElasticAgent):
    """The agent, with words of our own."""

    first: Any = None

    def _monitor_workers(self, worker_group: WorkerGroup) -> Any:
        found = super()._monitor_workers(worker_group)
        if found.state is WorkerState.FAILED and found.failures:
            self.first = min(found.failures.values(), key=lambda each: each.timestamp)
            number = worker_group.workers[self.first.local_rank].global_rank
            _say(f"worker {number} {_how(self.first.exitcode)}. {self._next(worker_group)}")
        return found

    def _next(self, group: WorkerGroup) -> str:
        most, left = group.spec.max_restarts, self._remaining_restarts
        count = len(group.workers)
        if left:
            return f"Starting all {count} workers again: restart {most - left + 1} of {most}."
        again = "" if most else " `--restarts N` would start all of them again."
        return f"Stopping all {count} workers.{again}"

    def _stop_workers(self, worker_group: WorkerGroup, *args: Any, **kwargs: Any) -> None:
        self._shutdown(signal.SIGTERM, _STOP_S)


def _say(text: str) -> None:
    print(f"[emplace launch] {text}", file=sys.stderr, flush=True)


def _how(code: int) -> str:
    """How a worker ended."""
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"was killed by {signal.Signals(-code).name}"
    return f"failed with exit code {code}"


def launch(command: Sequence[str], workers: int, gpus: str | None, restarts: int) -> int:
    """Runs a script in several workers on this machine until all have ended.

    Args:
        command: the program as `emplace work` takes it, and its arguments.
        workers: how many.
        gpus: the GPUs of each: a number of real ones if there are as many, else virtual ones as in
            EMPLACE_GPUS; None shares the real ones.
        restarts: how often all workers are started again when one has failed.

    Returns:
        0, or the exit code of the worker that failed first; 128 + N if signal N ended it.
    """
    _prepare(workers, gpus)
    if isinstance(sys.stdout, io.TextIOWrapper):  # else lines of workers wait in it, in a pipe
        sys.stdout.reconfigure(line_buffering=True)
    logging.getLogger("torch.distributed").setLevel(logging.CRITICAL)
    os.environ["TORCHELASTIC_SIGNALS_TO_HANDLE"] = "SIGTERM,SIGINT,SIGHUP,SIGQUIT"
    logs = tempfile.mkdtemp(prefix="emplace_launch_")
    handler = get_rendezvous_handler(
        RendezvousParameters(
            backend="c10d", endpoint=f"{_HERE}:0", run_id=uuid.uuid4().hex, min_nodes=1,
            max_nodes=1, local_addr=_HERE,
        )
    )  # fmt: skip
    spec = WorkerSpec(
        role="worker", local_world_size=workers, entrypoint=sys.executable,
        args=("-u", "-m", "emplace", "work", *command), rdzv_handler=handler,
        max_restarts=restarts, monitor_interval=_LOOK_S, local_addr=_HERE,
    )  # fmt: skip
    agent = _Agent(
        spec, DefaultLogsSpecs(log_dir=logs, tee=Std.ALL), exit_barrier_timeout=_END_S,
        log_line_prefix_template="[worker ${rank}] ", shutdown_timeout=_STOP_S,
    )  # fmt: skip
    try:
        return _code(agent)
    finally:
        handler.shutdown()
        shutil.rmtree(logs, ignore_errors=True)


def _code(agent: _Agent) -> int:
    try:
        result = agent.run()
    except SignalException as error:
        _say(f"{signal.Signals(error.sigval).name}: stopped all workers.")
        return 128 + int(error.sigval)
    if not result.is_failed():
        return 0
    code = 1 if agent.first is None else int(agent.first.exitcode)
    return 128 - code if code < 0 else code


def _prepare(workers: int, gpus: str | None) -> None:
    """Tells the workers their cluster and their GPUs, by the environment."""
    real = torch.cuda.device_count() if torch.cuda.is_available() else 0
    each = real // workers if gpus is None else int(gpus) if gpus.isdigit() else 0
    shares = None
    if each and each * workers <= real:
        shares = [",".join(map(str, range(i * each, (i + 1) * each))) for i in range(workers)]
        os.environ.pop(flags.GPUS.name, None)
    elif gpus is not None:
        os.environ[flags.GPUS.name] = gpus
    plan = {"addresses": [f"{_HERE}:{port}" for port in _free_ports(workers)], "gpus": shares}
    os.environ[PLAN] = json.dumps(plan)
    cores = os.cpu_count() or 1
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, cores // workers)))
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")


def _free_ports(count: int) -> list[int]:
    """Ports that nobody uses now."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((_HERE, 0))
        return [each.getsockname()[1] for each in sockets]
