"""Who tells the cluster and this process's place in it (`tf.distribute.cluster_resolver`)."""

from __future__ import annotations

import abc
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from ...devices.config import list_logical_devices
from .spec import ClusterSpec


def master_url(address: str, rpc_layer: str | None) -> str:
    """An address with the protocol in front."""
    return f"{rpc_layer}://{address}" if rpc_layer else address


class ClusterResolver(abc.ABC):
    """Tells the cluster (`tf.distribute.cluster_resolver.ClusterResolver`). A resolver of your own
    says `cluster_spec` and `master`, and sets `task_type`, `task_id` and `rpc_layer`.

    Attributes:
        task_type: the job of this process; None if there is none.
        task_id: its number in that job.
    """

    task_type: str | None = None
    task_id: int | None = None

    @abc.abstractmethod
    def cluster_spec(self) -> ClusterSpec:
        """The cluster as it is now."""

    @abc.abstractmethod
    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """Returns the address of a task, or of this process's master; '' for this process itself.

        Args:
            task_type: the job of the task.
            task_id: its number in the job.
            rpc_layer: the protocol before the address, such as "grpc".
        """

    @property
    def environment(self) -> str:
        """Where the cluster runs: 'google', or '' for everywhere else."""
        return ""

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: object = None
    ) -> Mapping[str, int]:
        """Counts the GPUs of a task, by the type of device.

        A process sees its own devices only: those of other tasks are not counted. They are its
        own where the task that is asked for (`task_type` and `task_id`, else the resolver's) is
        this process, or there is no cluster.

        Args:
            task_type: the job of the task.
            task_id: its number in the job.
            config_proto: not used.

        Raises:
            ValueError: there is no such task.
        """
        counts: dict[str, int] = defaultdict(int)
        task = self._task(task_type, task_id)
        address = self.master(*task)
        if not address or task == (self.task_type, self.task_id):
            for each in list_logical_devices():
                if each.device_type != "CPU":
                    counts[each.device_type] += 1
        return counts

    def _task(self, task_type: str | None, task_id: int | None) -> tuple[Any, Any]:
        """The task asked for: what is not given is this process's."""
        return (
            self.task_type if task_type is None else task_type,
            self.task_id if task_id is None else task_id,
        )


class SimpleClusterResolver(ClusterResolver):
    """Tells what it is given (`tf.distribute.cluster_resolver.SimpleClusterResolver`).

    Args:
        cluster_spec: the cluster.
        master: what `master()` says.
        task_type: this process's job.
        task_id: its number in it.
        environment: what `environment` says.
        num_accelerators: what `num_accelerators()` says, {"GPU": 2} for example.
        rpc_layer: the protocol in front of addresses, such as "grpc".

    Raises:
        TypeError: `cluster_spec` is no `ClusterSpec`.
    """

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: Mapping[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        self.task_type, self.task_id, self.rpc_layer = task_type, task_id, rpc_layer
        self._cluster_spec = cluster_spec
        self._master = master
        self._environment = environment
        self._num_accelerators = num_accelerators

    def cluster_spec(self) -> ClusterSpec:
        """The cluster that was given."""
        return self._cluster_spec

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """Returns the address of a task if its job and its number are given, else what was given.

        Args:
            task_type: the job of the task.
            task_id: its number in the job.
            rpc_layer: the protocol before the address, such as "grpc".

        Raises:
            ValueError: there is no such task.
        """
        named = task_type is not None and task_id is not None
        address = self.cluster_spec().task_address(task_type, task_id) if named else self._master  # type: ignore[arg-type]
        return master_url(address, rpc_layer or self.rpc_layer)

    @property
    def environment(self) -> str:
        """What was given."""
        return self._environment

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: object = None
    ) -> Mapping[str, int]:
        """Returns what was given, whatever the task.

        Args:
            task_type: the job of the task.
            task_id: its number in the job.
            config_proto: not used.
        """
        return {} if self._num_accelerators is None else self._num_accelerators


class UnionResolver(ClusterResolver):
    """The clusters of several resolvers as one (`tf.distribute.cluster_resolver.UnionResolver`).
    All but the cluster is what the first resolver says.

    Args:
        *args: the resolvers.
        **kwargs: `task_type`, `task_id` and `rpc_layer`, instead of the first resolver's.

    Raises:
        ValueError: there is no resolver, or another keyword.
        TypeError: something is no resolver.
    """

    def __init__(self, *args: ClusterResolver, **kwargs: Any) -> None:
        given = {name: kwargs.pop(name, None) for name in ("task_type", "task_id", "rpc_layer")}
        if kwargs:
            raise ValueError(f"Unexpected kwargs provided {kwargs!r}")
        if not args:
            raise ValueError("At least one ClusterResolver is required.")
        if not all(isinstance(each, ClusterResolver) for each in args):
            raise TypeError("All arguments must be a sub-class of `ClusterResolver.`")
        self._resolvers = args
        self.rpc_layer: str | None = None
        for name, value in given.items():
            setattr(self, name, getattr(args[0], name, None) if value is None else value)

    def cluster_spec(self) -> ClusterSpec:
        """All tasks. Jobs that several resolvers have are joined: lists one after the other, else
        each task keeps its number.

        Raises:
            KeyError: two tasks have the same job and number.
        """
        merged: dict[str, Any] = {}
        specs = [each.cluster_spec().as_dict() for each in self._resolvers]
        for job in dict.fromkeys(job for spec in specs for job in spec):
            merged[job] = _joined([spec[job] for spec in specs if job in spec])
        return ClusterSpec(merged)

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """Returns the address of a task if both its job and its number are given, else the first
        resolver's master.

        Args:
            task_type: the job of the task.
            task_id: its number in the job.
            rpc_layer: the protocol before the address, such as "grpc".

        Raises:
            ValueError: there is no such task.
        """
        if task_type is None or task_id is None:
            return self._resolvers[0].master()
        address = self.cluster_spec().task_address(task_type, task_id)
        return master_url(address, rpc_layer or self.rpc_layer)

    @property
    def environment(self) -> str:
        """The first resolver's."""
        return self._resolvers[0].environment

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> Mapping[str, int]:
        """Returns what the first resolver does.

        Args:
            task_type: the job of the task.
            task_id: its number in the job.
            config_proto: not used.
        """
        return self._resolvers[0].num_accelerators(task_type, task_id, config_proto)


def _joined(parts: list[Any]) -> Any:
    """The tasks of one job in several clusters."""
    if all(isinstance(each, list) for each in parts):
        return [address for each in parts for address in each]
    joined: dict[int, str] = {}
    for part in parts:
        each = dict(enumerate(part)) if isinstance(part, list) else part
        twice = set(joined) & set(each)
        if twice:
            raise KeyError(f"Duplicate keys detected when merging two ClusterSpecs: {twice!r}")
        joined.update(each)
    return joined
