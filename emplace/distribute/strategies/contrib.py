"""`tf.contrib.distribute`: the strategies of TF 1.10 to 1.15, with the names of those versions.

Their iterators take batches of a replica's size, where those of `tf.distribute` take batches of the
global size and cut them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from ...base.typing import Axis, TensorLike
from ...data.dataset.dataset import Dataset
from ...devices.config import list_logical_devices
from ..inputs.classic_inputs import in_graph, iterator_of
from ..inputs.inputs import in_turn
from ..reductions.cross_device import CrossDeviceOps, HierarchicalCopyAllReduce, NcclAllReduce
from ..replicas.contexts import current
from ..replicas.replica_context import ReplicaContext
from ..replicas.values import ReduceOp
from .classic_strategies import MirroredStrategyV1, OneDeviceStrategyV1
from .strategy import StrategyV1, get_strategy


class ContribMethods(StrategyV1):
    """The methods that strategies had before TF 1.14."""

    def make_dataset_iterator(self, dataset: Dataset) -> Any:
        """An iterator whose elements are batches for all replicas: each gets one of `dataset`.

        Args:
            dataset: a dataset of batches of a replica's size.
        """
        return iterator_of(in_turn(dataset, self, None))

    def distribute_dataset(self, dataset_fn: Callable[[], Any]) -> Any:
        """A dataset whose elements are batches for all replicas, each one of what a function makes.

        Args:
            dataset_fn: returns a dataset of batches of a replica's size.
        """
        return in_graph(in_turn(dataset_fn(), self, None))

    def call_for_each_replica(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls `fn` once on each replica; see `Strategy.run`."""
        kwargs.pop("run_concurrently", None)
        with self.scope():
            return self.extended.call_for_each_replica(fn, args, kwargs)

    call_for_each_tower = call_for_each_replica

    def reduce(
        self,
        reduce_op: ReduceOp | str,
        value: object,
        axis: Axis | None = None,
        destinations: Any = None,
    ) -> Any:
        """The sum or mean of a value over replicas.

        Args:
            reduce_op: "SUM", "MEAN", a `ReduceOp` or a `VariableAggregation`.
            value: a distributed value.
            axis: see `Strategy.reduce`; the destinations, if it is no number.
            destinations: the device, or the variable, where the result is to be.
        """
        kind = getattr(reduce_op, "name", reduce_op)
        if axis is not None and not isinstance(axis, (int, list, tuple)):
            axis, destinations = None, axis
        if destinations is None:
            return super().reduce(kind, value, axis)
        return self.extended.reduce_to(kind, value, destinations)

    def batch_reduce(self, reduce_op: ReduceOp | str, value_destination_pairs: Any) -> list[Any]:
        """`reduce` of several (value, destinations) at once."""
        kind = getattr(reduce_op, "name", reduce_op)
        made: list[Any] = self.extended.batch_reduce_to(kind, value_destination_pairs)
        return made

    def broadcast(self, tensor: TensorLike, destinations: Any = None) -> Any:
        """A tensor on several devices, those of the replicas if None."""
        return self.extended.broadcast_to(tensor, destinations or self.replica_devices)

    def update(self, var: Any, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls `fn` for each component of a variable, on its device."""
        grouped = kwargs.pop("grouped", True)
        return self.extended.update(var, fn, args, kwargs, grouped)

    def update_non_slot(
        self, colocate_with: Any, fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Calls `fn` on each of some devices."""
        grouped = kwargs.pop("grouped", True)
        return self.extended.update_non_slot(colocate_with, fn, args, kwargs, grouped)

    def read_var(self, v: TensorLike) -> Any:
        """The value of a variable."""
        return self.extended.read_var(v)

    def value_container(self, value: TensorLike) -> Any:
        """The variable of all replicas that a variable is a component of."""
        return self.extended.value_container(value)

    def non_slot_devices(self, var_list: Iterable[Any]) -> Any:
        """Where an optimizer keeps what belongs to no variable."""
        return self.extended.non_slot_devices(var_list)

    def initialize(self) -> list[Any]:
        """Nothing needs to be started."""
        return []

    def finalize(self) -> list[Any]:
        """Nothing needs to be ended."""
        return []

    @property
    def num_replicas(self) -> int:
        """The number of replicas."""
        return self.num_replicas_in_sync

    num_towers = num_replicas

    @property
    def is_single_replica(self) -> bool:
        """Whether there is one replica."""
        return self.num_replicas_in_sync == 1

    is_single_tower = is_single_replica

    @property
    def worker_devices(self) -> Sequence[str]:
        """The devices of the replicas."""
        return self.extended.worker_devices

    @property
    def parameter_devices(self) -> Sequence[str]:
        """The devices that hold variables."""
        return self.extended.parameter_devices


class MirroredStrategy(ContribMethods, MirroredStrategyV1):
    """The same model on several devices (`tf.contrib.distribute.MirroredStrategy`).

    Args:
        devices: names; the GPUs if None, the CPU if there is none.
        num_gpus: on how many GPUs, instead of `devices`; 0 for the CPU.
        num_gpus_per_worker: the same.
        cross_device_ops: how values of replicas are reduced; chosen by the devices if None.
        auto_shard_dataset: without effect: there is one machine.
        cross_tower_ops: the old name of `cross_device_ops`.
        prefetch_on_device: without effect.

    Raises:
        ValueError: two of `devices`, `num_gpus` and `num_gpus_per_worker` are given.
    """

    def __init__(
        self, devices: Any = None, num_gpus: int | None = None,
        num_gpus_per_worker: int | None = None, cross_device_ops: Any = None,
        auto_shard_dataset: bool = False, cross_tower_ops: Any = None,
        prefetch_on_device: bool | None = None,
    ) -> None:  # fmt: skip
        if num_gpus is not None and num_gpus_per_worker is not None:
            raise ValueError("You cannot specify both `num_gpus` and `num_gpus_per_worker`.")
        count = num_gpus_per_worker if num_gpus is None else num_gpus
        if devices is not None and count is not None:
            raise ValueError("Must only specify one of `devices` and `num_gpus_per_worker`.")
        super().__init__(devices or _first(count), cross_device_ops or cross_tower_ops)


def _first(count: int | None) -> list[str]:
    """The first GPUs, all if None; the CPU for none."""
    count = len(list_logical_devices("GPU")) if count is None else count
    return [f"/device:GPU:{i}" for i in range(count)] or ["/device:CPU:0"]


class OneDeviceStrategy(ContribMethods, OneDeviceStrategyV1):
    """Everything on one device (`tf.contrib.distribute.OneDeviceStrategy`).

    Args:
        device: its name.
        prefetch_on_device: without effect.
    """

    def __init__(self, device: Any, prefetch_on_device: bool | None = None) -> None:
        super().__init__(device)


class DistributeConfig(NamedTuple):
    """Strategies of an estimator (`tf.contrib.distribute.DistributeConfig`), for
    `RunConfig(experimental_distribute=...)`.
    """

    train_distribute: Any = None
    eval_distribute: Any = None
    remote_cluster: Any = None


def all_reduce_cross_device_ops(
    all_reduce_alg: str = "nccl", num_packs: int = 1, agg_small_grads_max_bytes: int = 0,
    agg_small_grads_max_group: int = 10,
) -> CrossDeviceOps:  # fmt: skip
    """What reduces all values of a step at once (`tf.contrib.distribute.AllReduceCrossDeviceOps`).

    Args:
        all_reduce_alg: "nccl" or "hierarchical_copy"; only told.
        num_packs: into how many packs values are joined; only told.
        agg_small_grads_max_bytes: not used.
        agg_small_grads_max_group: not used.

    Raises:
        ValueError: a negative number of packs, or another way.
    """
    kinds = {"nccl": NcclAllReduce, "hierarchical_copy": HierarchicalCopyAllReduce}
    if all_reduce_alg not in kinds:
        raise ValueError(
            f"AllReduceCrossDeviceOps got all_reduce_alg={all_reduce_alg!r}; there are "
            f"{sorted(kinds)}."
        )
    return kinds[all_reduce_alg](num_packs)


def get_cross_replica_context() -> Any:
    """The strategy, where all replicas are spoken of at once; else None
    (`tf.contrib.distribute.get_cross_replica_context`).
    """
    context = current()
    return get_strategy() if context is not None and context.replica is None else None


def require_replica_context(replica_ctx: ReplicaContext) -> None:
    """Checks that a replica is the one that runs (`tf.contrib.distribute.require_replica_context`).

    Raises:
        RuntimeError: it is not.
    """
    context = current()
    if context is None or context.replica is not replica_ctx:
        raise RuntimeError("Need to be inside `call_for_each_replica()`")
