"""Which of a cluster's workers this process is, told by a cluster's description or by `torchrun`.

The rules are TensorFlow's: a chief is number 0, workers follow in their order, and an evaluator is
a cluster of its own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_TYPES = ("chief", "worker", "evaluator", "ps", None)
_TORCHRUN = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


class Role(NamedTuple):
    """One of several workers.

    Attributes:
        number: its place among all of them, from 0.
        names: what all of them are called in messages, such as "worker 1 (10.0.0.2:2222)".
        addresses: host:port of each; of `torchrun`'s workers nothing is known.
        by_environment: whether they meet where `torchrun`'s environment says.
    """

    number: int
    names: tuple[str, ...]
    addresses: tuple[str, ...]
    by_environment: bool

    @property
    def name(self) -> str:
        """What it is called itself."""
        return self.names[self.number]


Jobs = Mapping[str, Sequence[str]]


def check(jobs: Jobs, task_type: str, task_id: int, spec: Any) -> None:
    """Refuses a description in which a task has no place, in TensorFlow's words.

    Args:
        jobs: the addresses of each job.
        task_type: the job of this process.
        task_id: its number in its job.
        spec: the description, as it is shown.

    Raises:
        ValueError: a job that there is not, two chiefs, or a number past the last task.
    """
    if any(job not in _TYPES for job in jobs):
        raise ValueError(
            f"Disallowed task type found in cluster spec. Allowed types are {_TYPES} and the "
            f"cluster spec is {spec}."
        )
    if task_type not in _TYPES:
        raise ValueError(f"Unrecognized task_type: {task_type}, valid task types are: {_TYPES}")
    if task_type and task_type not in jobs and task_type != "evaluator":
        raise ValueError(f"`task_type` {task_type!r} not found in cluster_spec.")
    for job in ("chief", "evaluator"):
        if len(jobs.get(job, ())) > 1:
            raise ValueError(f"There must be at most one {job!r} job.")
    if task_type in jobs and task_id >= len(jobs[task_type]):
        raise ValueError(f"The `task_id` {task_id} exceeds the maximum id of {task_type}.")


def role_of(jobs: Jobs, task_type: Any, task_id: Any, spec: Any) -> Role:
    """The worker that a task is.

    Raises:
        ValueError: a task is missing or has no place in the description, or does not train.
    """
    if task_type is None or task_id is None:
        raise ValueError(
            "When `cluster_spec` is given, you must also specify `task_type` and `task_id`."
        )
    check(jobs, task_type, task_id, spec)
    if task_type not in ("chief", "worker", "evaluator"):
        raise ValueError(f"Unexpected `task_type` {task_type!r}")
    together = ("evaluator",) if task_type == "evaluator" else ("chief", "worker")
    named = [(job, i, each) for job in together for i, each in enumerate(jobs.get(job, ()))]
    number = task_id + (len(jobs.get("chief", ())) if task_type == "worker" else 0)
    names = tuple(f"{job} {i} ({address})" for job, i, address in named) or ("evaluator 0",)
    addresses = tuple(address for _, _, address in named)
    found = torchrun()
    is_same = found is not None and found[0] == number and found[1] == len(names)
    return Role(number, names, addresses, is_same)


def is_chief(jobs: Jobs, task_type: Any, task_id: int) -> bool:
    """Whether a task is the one that writes."""
    if task_type in ("chief", "evaluator"):
        return True
    return "chief" not in jobs and task_type == "worker" and task_id == 0


def torchrun() -> tuple[int, int] | None:
    """The number of this process and how many there are, if `torchrun` started it; else None.

    Raises:
        ValueError: its environment variables hold no numbers.
    """
    given = [os.environ.get(name, "") for name in _TORCHRUN]
    if not all(given):
        return None
    try:
        number, count = int(given[0]), int(given[1])
    except ValueError:
        raise ValueError(
            f"RANK={given[0]!r} and WORLD_SIZE={given[1]!r} must be integers, as torchrun sets "
            "them. Unset them, or start this program with torchrun."
        ) from None
    return number, count


def role_by_torchrun() -> Role | None:
    """The worker that `torchrun` says this process is; None for one of one, and without it."""
    found = torchrun()
    if found is None or found[1] < 2:
        return None
    number, count = found
    return Role(number, tuple(f"worker {i}" for i in range(count)), (), True)
