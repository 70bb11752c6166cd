"""The tasks of a cluster that are in this process (`tf.distribute.Server`).

A server that is started is found under its address by whoever names it: a strategy, another
server, a session. A task in another process is reached through `rpc.py`.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping
from typing import Any, NoReturn

from ...base.errors import InternalError, NotFoundError
from ...devices.name import TASKS_HERE
from ...graph.resources import Resources
from ..cluster.spec import ClusterDef, ClusterSpec, ServerDef

_SERVERS: dict[str, Server] = {}
_PORTS = itertools.count(1)


class Server:
    """One task of a cluster, in this process (`tf.distribute.Server`, `tf.train.Server`).

    Args:
        server_or_cluster_def: the cluster: a `ClusterSpec`, what it is made of, or a `ServerDef`.
        job_name: the task's job; may be left out if the cluster has one only.
        task_index: its number; may be left out if the job has one task only.
        protocol: "grpc", which is how its target is written.
        config: not used.
        start: whether it is started at once.

    Raises:
        TypeError: there is no cluster.
        ValueError: it is not said which task.
        InternalError: the cluster has no such task.
    """

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        self._def = _server_def(server_or_cluster_def, job_name, task_index, protocol)
        self.cluster = ClusterSpec(self._def.cluster)
        self.job, self.number = self._def.job_name, self._def.task_index
        self.address = _address(self.cluster, self.job, self.number)
        #: What sessions on this task share: variables and queues by name.
        self.resources = Resources()
        if start:
            self.start()

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """A server of a cluster that has no other task."""
        return Server({"local": ["localhost:0"]}, protocol="grpc", config=config, start=start)

    @property
    def target(self) -> str:
        """What a session is given to run on this task."""
        return f"{self._def.protocol}://{self.address}"

    @property
    def server_def(self) -> Any:
        """The cluster and the task, as a `tf.train.ServerDef`."""
        return self._def

    def start(self) -> None:
        """Lets others find it."""
        _SERVERS[self.address] = self
        for job in self.cluster.jobs:
            for number in self.cluster.task_indices(job):
                if job != "local":
                    TASKS_HERE.add((job, number))

    def join(self) -> NoReturn:
        """Waits until the process ends."""
        while True:
            threading.Event().wait(3600)


def server_at(address: str) -> Server | None:
    """The server in this process that has an address, written with its protocol or without."""
    return _SERVERS.get(address.rpartition("://")[2])


def _server_def(given: Any, job: str | None, number: int | None, protocol: str | None) -> Any:
    made = ServerDef()
    if isinstance(given, ServerDef):
        made.CopyFrom(given)
    else:
        made.cluster.CopyFrom(_cluster_def(given))
    if job is not None:
        made.job_name = job
    if not made.job_name:
        if len(made.cluster.job) != 1:
            raise ValueError("Must specify an explicit `job_name`.")
        made.job_name = made.cluster.job[0].name
    if number is not None:
        made.task_index = number
    elif not isinstance(given, ServerDef):
        tasks = [each.tasks for each in made.cluster.job if each.name == made.job_name]
        if tasks and len(tasks[0]) != 1:
            raise ValueError("Must specify an explicit `task_index`.")
    made.protocol = protocol or made.protocol or "grpc"
    return made


def _cluster_def(given: Any) -> Any:
    if not isinstance(given, (ClusterSpec, ClusterDef, Mapping)):
        raise TypeError(
            "Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or "
            "`tf.train.ClusterSpec`."
        )
    return ClusterSpec(given).as_cluster_def()


def _address(cluster: ClusterSpec, job: str, number: int) -> str:
    if job not in cluster.jobs:
        raise InternalError(None, None, f'Job "{job}" was not defined in cluster')
    if number not in cluster.task_indices(job):
        raise InternalError(None, None, f'Task {number} was not defined in job "{job}"')
    address = cluster.task_address(job, number)
    host, _, port = address.rpartition(":")
    # Nothing listens: the port only has to be nobody else's name.
    return f"{host}:{-next(_PORTS)}" if port == "0" else address


def resources_at(target: str) -> Resources:
    """What sessions share whose target is this.

    Raises:
        NotFoundError: no server in this process has the address.
    """
    server = server_at(target)
    if server is None:
        raise NotFoundError(
            None, None,
            f"No server in this process is at {target}. A session runs on servers that were "
            "started in its own process with tf.train.Server; those of other processes are not "
            "reached by sessions.",
        )  # fmt: skip
    return server.resources
