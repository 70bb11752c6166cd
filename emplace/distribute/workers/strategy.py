"""`tf.distribute.MultiWorkerMirroredStrategy`: the same model on the devices of several workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ...classic.scopes.messages import get_logger
from ...data.dataset.dataset import Dataset
from ...devices.config import list_logical_devices
from ..cluster.resolver import ClusterResolver, SimpleClusterResolver
from ..cluster.spec import ClusterSpec
from ..cluster.tf_config import TFConfigClusterResolver
from ..inputs.inputs import InputContext, InputOptions, InputReplicationMode, ValueContext
from ..reductions.cross_device import (
    CommunicationImplementation,
    CommunicationOptions,
    default_ops,
    full_name,
    here,
)
from ..replicas.values import DistributedValues, PerReplica, ReduceOp, mapped
from ..strategies.mirrored import ReplicatedStrategy
from .extended import WorkersExtended
from .inputs import for_worker, shared_among_workers
from .ops import summed
from .processes.link import Link, linked
from .processes.roles import Role, is_chief, role_by_torchrun, role_of
from .reductions import WorkersOps


class MultiWorkerMirroredStrategy(ReplicatedStrategy):
    """The same model on the devices of several processes, which may be on several machines
    (`tf.distribute.MultiWorkerMirroredStrategy`).

    Every process runs the same program and makes this strategy; it waits until all are there. The
    environment variable `TF_CONFIG` says who they are and which of them this one is, and `torchrun`
    may say it instead. Without either there is one worker. docs/CLUSTERS.md shows how to start
    them.

    A worker's replicas are on its GPUs, or on its CPU if it has none. Variables get the values that
    the chief gives them.

    Args:
        cluster_resolver: who tells the cluster; `TF_CONFIG` or `torchrun` if None.
        communication_options: how values travel, and for how many seconds a step waits.

    Raises:
        ValueError: the cluster has no place for this process, workers have different numbers of
            replicas, or an argument is of another kind.
        DeadlineExceededError: a worker did not come within EMPLACE_WORKERS_START_SECONDS.
        UnavailableError: the first worker's address cannot be used, or a worker went away.
    """

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        options = CommunicationOptions() if communication_options is None else communication_options
        if not isinstance(options, CommunicationOptions):
            raise ValueError(
                "communication_options must be an instance of "
                "tf.distribute.experimental.CommunicationOptions"
            )
        resolver = cluster_resolver or TFConfigClusterResolver()
        if not isinstance(resolver, ClusterResolver):
            raise ValueError(
                "cluster_resolver must be an instance of "
                "tf.distribute.cluster_resolver.ClusterResolver"
            )
        self._options, self._resolver = options, resolver
        role = self._role(resolver, cluster_resolver is None)
        devices = _local_devices(resolver)
        if role is None or len(role.names) == 1:
            self._be_alone(devices)
        else:
            self._join(role, devices)

    def _role(self, resolver: ClusterResolver, may_be_torchrun: bool) -> Role | None:
        """Which worker this is; None if there is no other."""
        spec = resolver.cluster_spec()
        jobs = {
            job: [spec.task_address(job, i) for i in spec.task_indices(job)] for job in spec.jobs
        }
        self._is_chief = True
        if jobs:
            role = role_of(jobs, resolver.task_type, resolver.task_id, spec)
            self._is_chief = is_chief(jobs, resolver.task_type, resolver.task_id or 0)
            return role
        found = role_by_torchrun() if may_be_torchrun else None
        if found is not None:
            self._is_chief = found.number == 0
        return found

    def _be_alone(self, devices: tuple[str, ...]) -> None:
        self._link: Link | None = None
        names = tuple(full_name(name) for name in devices)
        super().__init__(names, default_ops(names))
        get_logger().info(f"Using MirroredStrategy with devices {devices!r}")
        get_logger().info(
            f"Single-worker MultiWorkerMirroredStrategy with local_devices = {devices!r}, "
            f"communication = {self._options.implementation}"
        )

    def _join(self, role: Role, devices: tuple[str, ...]) -> None:
        names = tuple(full_name(name) for name in devices)
        self._link = linked(role, {"number of replicas": len(names)}, self._gpus(names))
        if self._options.timeout_seconds:
            self._link.limit = float(self._options.timeout_seconds)
        ops = WorkersOps(len(role.names), self._options)
        super().__init__(names, ops)
        self._first_replica = role.number * len(names)
        self.extended = WorkersExtended(self, ops, self._is_chief)
        if not self._resolver.cluster_spec():
            spec = ClusterSpec({"worker": self._link.hosts})
            self._resolver = SimpleClusterResolver(spec, task_type="worker", task_id=role.number)
        get_logger().info(f"Using MirroredStrategy with devices {devices!r}")
        get_logger().info(
            "MultiWorkerMirroredStrategy with cluster_spec = "
            f"{self._resolver.cluster_spec().as_dict()!r}, task_type = "
            f"{self._resolver.task_type!r}, task_id = {self._resolver.task_id!r}, num_workers = "
            f"{len(role.names)!r}, local_devices = {devices!r}, communication = "
            f"{self._options.implementation}"
        )

    def _gpus(self, names: Sequence[str]) -> list[str]:
        """The identities of the real GPUs that replicas may be on; none if Gloo is asked for."""
        is_ring = self._options.implementation is CommunicationImplementation.RING
        if is_ring or "GPU" not in names[0] or not torch.cuda.is_available():
            return []
        count = torch.cuda.device_count()
        return [str(torch.cuda.get_device_properties(i).uuid) for i in range(count)]

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas of all workers."""
        return self._workers * len(self.replica_devices)

    @property
    def _workers(self) -> int:
        return 1 if self._link is None else self._link.size

    @property
    def cluster_resolver(self) -> Any:
        """Who tells the cluster."""
        return self._resolver

    # -- values ---------------------------------------------------------------------------------

    def _reduced(self, kind: ReduceOp, value: object) -> Any:
        if self._link is None:
            return super()._reduced(kind, value)
        made = self.extended.reduce_to(kind, value, here())
        return made.values[0] if isinstance(made, DistributedValues) else made

    def _sum(self, values: Any) -> Any:
        if self._link is None:
            return super()._sum(values)
        return self.extended.reduce_to(ReduceOp.SUM, values, here())

    def _gathered(self, value: object, axis: int) -> Any:
        if self._link is None:
            return super()._gathered(value, axis)
        return self.extended._gather_to(value, here(), axis)

    def _rows_in_sync(self, rows: object) -> Any:
        """The number of examples of all workers, of that of this one."""
        return rows if self._link is None else summed([rows])[0]

    # -- inputs ---------------------------------------------------------------------------------

    def experimental_distribute_dataset(self, dataset: Dataset, options: Any = None) -> Any:
        """This worker's part of a dataset whose elements are batches for all replicas of all
        workers. `tf.data.experimental.AutoShardPolicy` among the dataset's options says how it is
        divided: by files, or each batch.

        Args:
            dataset: a dataset of batches of the global size, the same on all workers.
            options: a `tf.distribute.InputOptions`.

        Raises:
            NotFoundError: it is to be divided by files, and reads none.
            NotImplementedError: an input pipeline for each replica is asked for.
        """
        if self._link is None:
            return super().experimental_distribute_dataset(dataset, options)
        return shared_among_workers(dataset, self, self._link.size, self._link.number, options)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[..., Any], options: Any = None
    ) -> Any:
        """A dataset whose elements are batches for this worker's replicas, taken from the dataset
        that `dataset_fn` makes, one for each in turn.

        Args:
            dataset_fn: takes an `InputContext`, which tells this worker's number, and returns a
                dataset of batches of a replica's size.
            options: a `tf.distribute.InputOptions`.

        Raises:
            NotImplementedError: an input pipeline for each replica is asked for.
        """
        if self._link is None:
            return super().distribute_datasets_from_function(dataset_fn, options)
        mode = (options or InputOptions()).experimental_replication_mode
        if mode is InputReplicationMode.PER_REPLICA:
            raise NotImplementedError(
                "InputReplicationMode.PER_REPLICA is only supported in "
                "`distribute_datasets_from_function` of tf.distribute.MirroredStrategy"
            )
        link = self._link
        made = dataset_fn(InputContext(link.size, link.number, self.num_replicas_in_sync))
        return for_worker(made, self, options)

    def experimental_distribute_values_from_function(self, value_fn: Callable[..., Any]) -> Any:
        """The values that `value_fn` makes for this worker's replicas, as a distributed one.

        Args:
            value_fn: takes a `ValueContext`, which numbers the replicas of all workers.
        """
        if self._link is None:
            return super().experimental_distribute_values_from_function(value_fn)
        numbers = range(self._first_replica, self._first_replica + len(self.replica_devices))
        made = [value_fn(ValueContext(i, self.num_replicas_in_sync)) for i in numbers]
        return mapped(lambda *parts: PerReplica(parts), made[0], *made[1:])


def _local_devices(resolver: ClusterResolver) -> tuple[str, ...]:
    """The devices of this worker's replicas: its GPUs, or its CPU."""
    if isinstance(resolver, TFConfigClusterResolver):
        count = len(list_logical_devices("GPU"))
    else:
        count = resolver.num_accelerators().get("GPU", 0)
    return tuple(f"/device:GPU:{i}" for i in range(count)) or ("/device:CPU:0",)


class _OldNameKind(type(MultiWorkerMirroredStrategy)):  # type: ignore[misc]
    """Makes strategies of the new name instances of the old one."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, MultiWorkerMirroredStrategy)


class ExperimentalMultiWorkerMirroredStrategy(MultiWorkerMirroredStrategy, metaclass=_OldNameKind):
    """The old name (`tf.distribute.experimental.MultiWorkerMirroredStrategy`).

    Args:
        communication: what carries values.
        cluster_resolver: see `MultiWorkerMirroredStrategy`.
    """

    def __init__(
        self, communication: Any = CommunicationImplementation.AUTO, cluster_resolver: Any = None
    ) -> None:
        options = CommunicationOptions(implementation=communication)
        super().__init__(cluster_resolver, options)


ExperimentalMultiWorkerMirroredStrategy.__name__ = "MultiWorkerMirroredStrategy"
