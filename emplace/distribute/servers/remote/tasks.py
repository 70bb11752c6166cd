"""The tasks of a cluster that are in this process (`tf.distribute.Server`).

A server that is started is found under its address by whoever names it: a strategy, another
server, a session. Tasks in other processes are reached through `rpc.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from ....base.errors import InternalError, NotFoundError, UnknownError, invalid_argument
from ....core.context import at_reset
from ....devices.device import Device
from ....devices.name import TASKS_HERE, DeviceSpec
from ....graph.representation.graph import Operation
from ....graph.session.resources import Resources
from ....graph.session.session import RESOURCES_AT
from ....ops.variables.resource import Storage
from ...cluster.spec import ClusterDef, ClusterSpec, ServerDef
from . import rpc

_SERVERS: dict[str, Server] = {}
_LOCK = threading.Lock()


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
        InvalidArgumentError: its address has no port.
        UnknownError: another server has the address.
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
        """Lets others find it.

        Raises:
            UnknownError: another server in this process has the address.
        """
        if _SERVERS.setdefault(self.address, self) is not self:
            raise UnknownError(
                None, None, f"Could not start the server: another one is at {self.address} already."
            )
        TASKS_HERE.add((self.job, self.number))

    def join(self) -> None:
        """Serves a coordinator in another process until that ends. Waits for it, and for the other
        tasks, first. A task of a cluster without parameter servers waits for ever.

        Raises:
            DeadlineExceededError: somebody does not come.
            UnavailableError: the coordinator is lost.
        """
        if "ps" not in self.cluster.jobs or self.job not in ("ps", "worker"):
            threading.Event().wait()
        rpc.connect(self.cluster, rpc.task_name(self.job, self.number))
        rpc.wait_for_end()


def server_at(address: str) -> Server | None:
    """The server in this process that has an address, written with its protocol or without."""
    return _SERVERS.get(address.rpartition("://")[2])


def _server_def(given: object, job: str | None, number: int | None, protocol: str | None) -> Any:
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


def _cluster_def(given: object) -> Any:
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
    if not port.isdigit():
        raise invalid_argument(
            f'Could not parse port for local server from "{address}": an address is "host:port".'
        )
    # Nothing listens: the port only has to be nobody else's name.
    return f"{host}:{rpc.free_port()}" if port == "0" else address


class _Shared:
    """What the sessions on a task share, with the sessions on other tasks too: an operation's
    variable or queue is kept by the task that its device names, else by the session's own.

    Args:
        server: the session's task.
    """

    def __init__(self, server: Server) -> None:
        self._server = server

    def get(self, operation: Operation, device: Device) -> Any:
        """What an operation makes; the first session that asks makes it.

        Raises:
            NotFoundError: its task is not in this process.
            InvalidArgumentError: another session has made another thing of that name.
        """
        kept = self._server_of(operation).resources
        with _LOCK:
            found = kept.get(operation, device)
        if isinstance(found, Storage):
            _check_alike(found, operation)
        return found

    def _server_of(self, operation: Operation) -> Server:
        spec = DeviceSpec.from_string(_device_of(operation))
        if spec.job in (None, "localhost"):
            return self._server
        cluster = self._server.cluster
        number = cluster.task_indices(spec.job)[0] if spec.task is None else spec.task
        found = server_at(cluster.task_address(spec.job, number))
        if found is None:
            raise _not_here(f"/job:{spec.job}/task:{number}")
        return found

    def clear(self) -> None:
        """Nothing: other sessions use it."""


def _device_of(operation: Operation) -> str:
    """What an operation asks for, or the one that it is colocated with."""
    names = [group.removeprefix("loc:@") for group in operation.groups]
    beside = [operation.graph._by_name.get(name) for name in names if name != operation.name]
    found = next((each for each in beside if each is not None), None)
    return operation.device or (_device_of(found) if found is not None else "")


def _check_alike(found: Storage, operation: Operation) -> None:
    dtype, shape = operation.attrs["dtype"], operation.attrs["shape"]
    if found.dtype is not dtype or not found.value_shape.is_compatible_with(shape):
        raise invalid_argument(
            f"The variable {found.name} is {found.dtype.name} of shape {found.value_shape} for "
            f"another session on the same task, and {dtype.name} of shape {shape} in this graph."
        )


def _not_here(task: str) -> NotFoundError:
    return NotFoundError(
        None, None,
        f"No server in this process is at {task}. A session runs on servers that were started in "
        "its own process with tf.train.Server; it does not reach those of other processes.",
    )  # fmt: skip


def resources_at(target: str) -> _Shared:
    """What sessions share whose target is this.

    Raises:
        NotFoundError: no server in this process has the address.
    """
    server = server_at(target)
    if server is not None:
        return _Shared(server)
    if "://" in target:
        raise _not_here(target)
    raise NotFoundError(
        None, None,
        f'No session factory registered for the given session options: {{target: "{target}" '
        "config: } Registered factories are {DIRECT_SESSION, GRPC_SESSION}. Leave `target` out, or "
        "give it the `target` of a tf.train.Server.",
    )  # fmt: skip


@at_reset
def _forget() -> None:
    _SERVERS.clear()
    TASKS_HERE.clear()


RESOURCES_AT.bind(resources_at)
