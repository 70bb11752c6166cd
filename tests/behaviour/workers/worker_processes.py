"""Starts worker processes on this machine, forks that have loaded Emplace, and always ends them."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import programs

from scripts.warm import Program

LIMIT_S = 200


class Ended(NamedTuple):
    """How a worker ended, and what it has written."""

    code: int
    text: str


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def environment(**more: str) -> dict[str, str]:
    """That of a process of its own."""
    left_out = "RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "TF_CONFIG"
    env = {name: value for name, value in os.environ.items() if name not in left_out}
    return {**env, "OMP_NUM_THREADS": "1", "TORCH_CPP_LOG_LEVEL": "ERROR", **more}


def configs(count: int, port: int) -> list[str]:
    """The TF_CONFIG of each worker. Only the first one listens at its address."""
    addresses = [f"127.0.0.1:{port}"] + [f"127.0.0.1:{i}" for i in range(1, count)]
    return [
        json.dumps({"cluster": {"worker": addresses}, "task": {"type": "worker", "index": i}})
        for i in range(count)
    ]


def start(program: Path, arguments: Sequence[str], env: dict[str, str], **how: bool) -> Program:
    """Starts `emplace run program arguments`; `has_keras` says that the program uses Keras."""
    return programs.start(["emplace", "run", program, *arguments], env, **how)


def ended(processes: Sequence[Program], limit: float = LIMIT_S) -> list[Ended]:
    """Waits for all of them, and ends those that take too long."""
    until = time.monotonic() + limit
    codes = [each.wait(max(0.0, until - time.monotonic())) for each in processes]
    for each in processes:
        each.kill()
    texts = [each.written()[0] for each in processes]
    assert None not in codes, f"after {limit} seconds: {codes}\n{texts}"
    return [Ended(code or 0, text) for code, text in zip(codes, texts, strict=True)]


def run(program: Path, count: int, arguments: Sequence[str] = (), **more: str) -> list[Ended]:
    """Runs a program in several workers, which find each other by TF_CONFIG."""
    return ended([
        start(program, arguments, environment(TF_CONFIG=config, **more))
        for config in configs(count, free_port())
    ])  # fmt: skip
