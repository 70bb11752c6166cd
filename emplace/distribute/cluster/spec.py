"""The addresses of the processes that work together, by job and number (`tf.train.ClusterSpec`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from ...base.protos import declare
from ...base.typing import TensorLike

_MESSAGES = declare(
    __name__,
    {
        "JobDef": ["string name = 1", "map<int32, string> tasks = 2"],
        "ClusterDef": ["repeated JobDef job = 1"],
        "ServerDef": [
            "ClusterDef cluster = 1", "string job_name = 2", "int32 task_index = 3",
            "string protocol = 5", "int32 port = 6", "int32 replica = 8",
        ],
    },
)  # fmt: skip
JobDef = _MESSAGES["JobDef"]
ClusterDef = _MESSAGES["ClusterDef"]
ServerDef = _MESSAGES["ServerDef"]


class ClusterSpec:
    """The tasks of a cluster (`tf.train.ClusterSpec`).

    Args:
        cluster: the addresses ("host:port") of each job by its name: a list, or a dictionary by
            the tasks' numbers; a `ClusterDef`; or another `ClusterSpec`.

    Raises:
        TypeError: it is none of these.

    >>> import emplace.tensorflow as tf
    >>> cluster = tf.train.ClusterSpec({"worker": ["a:1", "b:1"], "ps": {3: "c:1"}})
    >>> cluster.num_tasks("worker"), cluster.task_address("ps", 3)
    (2, 'c:1')
    """

    def __init__(self, cluster: Any) -> None:
        self._tasks = {job: _tasks_of(job, tasks) for job, tasks in _jobs_of(cluster)}

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._tasks == other._tasks

    # A spec equals another by what it holds, and TensorFlow's cannot be hashed either.
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        jobs = self.as_dict()
        return f"ClusterSpec({ {job: jobs[job] for job in sorted(jobs)}!r})"

    def as_dict(self) -> dict[str, Any]:
        """The addresses by job: a list where tasks are numbered from 0 on, else a dictionary."""
        return {job: _plain(tasks) for job, tasks in self._tasks.items()}

    def as_cluster_def(self) -> Any:
        """The same as a `tf.train.ClusterDef`, jobs in the order of their names."""
        made = ClusterDef()
        for job in sorted(self._tasks):
            added = made.job.add(name=job)
            for number, address in self._tasks[job].items():
                added.tasks[number] = address
        return made

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._tasks)

    def num_tasks(self, job_name: str) -> int:
        """How many tasks a job has.

        Raises:
            ValueError: there is no such job; so below.
        """
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of a job's tasks, in order."""
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task.

        Raises:
            ValueError: there is no such task.
        """
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of a job's tasks by number; None where a number is left out."""
        tasks = self._job(job_name)
        return [tasks.get(number) for number in range(max(tasks, default=-1) + 1)]

    def _job(self, name: str) -> dict[int, str]:
        if name not in self._tasks:
            raise ValueError(f"No such job in cluster: {name!r}")
        return self._tasks[name]


def _jobs_of(cluster: ClusterSpec) -> Iterable[tuple[Any, Any]]:
    if isinstance(cluster, Mapping):
        return cluster.items()
    if isinstance(cluster, ClusterDef):
        return [(job.name, dict(job.tasks)) for job in cluster.job]
    if isinstance(cluster, ClusterSpec):
        return cluster._tasks.items()
    raise TypeError(
        "`cluster` must be a dictionary mapping one or more job names to lists of network "
        "addresses, or a `ClusterDef` protocol buffer"
    )


def _tasks_of(job: Any, tasks: object) -> dict[int, str]:
    if not isinstance(job, (str, bytes)):
        _refuse_text("Job name", job)
    if isinstance(tasks, (list, tuple)):
        tasks = dict(enumerate(tasks))
    if not isinstance(tasks, Mapping):
        raise TypeError(
            f"The tasks for job {job!r} must be a list or a dictionary from integers to strings."
        )
    return {int(number): _address(address) for number, address in tasks.items()}


def _address(value: TensorLike) -> str:
    if isinstance(value, bytes):
        return value.decode()
    return value if isinstance(value, str) else _refuse_text("Task address", value)


def _refuse_text(what: str, value: TensorLike) -> NoReturn:
    raise TypeError(f"{what} {value!r} must be bytes or unicode")


def _plain(tasks: dict[int, str]) -> Any:
    # TF: a job without tasks is a dictionary.
    is_list = tasks and sorted(tasks) == list(range(len(tasks)))
    return [tasks[number] for number in range(len(tasks))] if is_list else dict(tasks)
