"""Strategies of one replica: what every program has without asking for more.

A program outside of any `scope()` runs under the default strategy: one replica, on whatever
device its ops are placed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from ..base import nest
from ..core.context import device
from ..core.tensor import AnyTensor
from ..graph.scopes import name_scope
from ..ops.array.joining import concat
from ..ops.convert import to_tensor
from ..ops.math.reduction import reduce_mean, reduce_sum
from ..ops.variables.indexed_slices import IndexedSlices
from .values import DistributedValues, ReduceOp


class Extended:
    """What optimizers ask a strategy for (`tf.distribute.StrategyExtended`)."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices of the replicas."""
        return self._strategy._devices

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices that hold variables."""
        return self._strategy._devices

    def _in_multi_worker_mode(self) -> bool:
        return False

    def colocate_vars_with(self, colocate_with_variable: Any) -> AbstractContextManager[Any]:
        """A scope whose variables live where another variable does."""
        return device(getattr(colocate_with_variable, "device", None) or None)

    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Any = None,
        group: bool = True,
    ) -> Any:
        """Calls `fn(var, *args, **kwargs)` where the variable lives."""
        with self.colocate_vars_with(var), name_scope("update"):
            result = fn(var, *args, **(kwargs or {}))
        return result if group else (result,)

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """The one value there is."""
        return value

    def batch_reduce_to(self, reduce_op: Any, pairs: Any, options: Any = None) -> list[Any]:
        """The one value of each pair."""
        return [value for value, _ in pairs]

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a variable belongs to the strategy: with one replica all do."""
        return True


class Strategy:
    """A strategy of one replica (`tf.distribute.Strategy`; `tf.distribute.OneDeviceStrategy` with
    a device).

    Args:
        device: where the replica runs; None leaves it to the program's scopes.

    >>> import emplace.tensorflow as tf
    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1
    """

    def __init__(self, device: str | None = None) -> None:
        self._devices: tuple[str, ...] = (device or "/device:CPU:0",)
        self._device = device
        self.extended = Extended(self)

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return 1

    @property
    def cluster_resolver(self) -> None:
        """None: there is one machine."""
        return None

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """A scope in which this strategy is the current one."""
        with self._current(is_cross=True):
            yield self

    @contextmanager
    def _current(self, is_cross: bool) -> Iterator[None]:
        before, was_cross = _STATE.strategy, _STATE.is_cross
        if before is not None and before is not self:
            raise RuntimeError(
                f"Mixing different tf.distribute.Strategy objects: {before} is not {self}"
            )
        _STATE.strategy, _STATE.is_cross = self, is_cross
        try:
            with nullcontext() if self._device is None else device(self._device):
                yield
        finally:
            _STATE.strategy, _STATE.is_cross = before, was_cross

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: Any = None
    ) -> Any:
        """Calls `fn` once per replica, which is once."""
        if self is _DEFAULT:
            return fn(*args, **(kwargs or {}))
        with self._current(is_cross=False):
            return fn(*args, **(kwargs or {}))

    def reduce(self, reduce_op: Any, value: Any, axis: int | None = None) -> Any:
        """Reduces the one value of the one replica along `axis`.

        Args:
            reduce_op: "SUM", "MEAN" or a `ReduceOp`.
            value: tensors or nested structures of them.
            axis: what is reduced besides replicas, usually 0; None for nothing.
        """
        if axis is None:
            return value
        kind = ReduceOp(reduce_op.upper()) if isinstance(reduce_op, str) else reduce_op
        reduce = reduce_sum if kind is ReduceOp.SUM else reduce_mean
        return nest.map_structure(lambda each: reduce(to_tensor(each), axis), value)

    def gather(self, value: Any, axis: int) -> Any:
        """The values of all replicas, joined along `axis`."""
        return concat(list(self.experimental_local_results(value)), axis)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The values of this machine's replicas."""
        return value.values if isinstance(value, DistributedValues) else (value,)

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """The dataset itself: one replica takes all of it."""
        return dataset

    def distribute_datasets_from_function(self, dataset_fn: Any, options: Any = None) -> Any:
        """The dataset that `dataset_fn` makes for the one pipeline there is."""
        return dataset_fn(InputContext())

    def experimental_distribute_values_from_function(self, value_fn: Any) -> Any:
        """The value that `value_fn` makes for the one replica there is."""
        return value_fn(ValueContext())

    def __deepcopy__(self, memo: Any) -> Strategy:
        return self


class InputContext:
    """Which part of the input a pipeline reads (`tf.distribute.InputContext`).

    Args:
        num_input_pipelines: how many pipelines there are.
        input_pipeline_id: which one this is.
        num_replicas_in_sync: how many replicas there are.
    """

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """A replica's share of a batch.

        Raises:
            ValueError: the batch cannot be shared evenly.
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by "
                f"`num_replicas_in_sync` {self.num_replicas_in_sync}"
            )
        return global_batch_size // self.num_replicas_in_sync


class ValueContext:
    """Which replica a value is made for (`tf.distribute.experimental.ValueContext`)."""

    replica_id_in_sync_group = 0
    num_replicas_in_sync = 1


class ReplicaContext:
    """The replica that is running (`tf.distribute.ReplicaContext`)."""

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy

    replica_id_in_sync_group = 0

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return self.strategy.num_replicas_in_sync

    @property
    def devices(self) -> tuple[str, ...]:
        """The replica's device."""
        return self.strategy._devices

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """The sum or mean over replicas; with one, the values as tensors."""
        return nest.map_structure(_as_tensor, value)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """The values of all replicas joined; with one, the values as tensors."""
        return nest.map_structure(_as_tensor, value)

    def merge_call(self, merge_fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
        """Calls `merge_fn(strategy, *args)` where all replicas meet."""
        was_cross, _STATE.is_cross = _STATE.is_cross, True
        try:
            return merge_fn(self.strategy, *args, **(kwargs or {}))
        finally:
            _STATE.is_cross = was_cross


class _State(threading.local):
    """The strategy of this thread, and whether it speaks of all replicas at once."""

    strategy: Strategy | None = None
    is_cross = False


_STATE = _State()
_DEFAULT = Strategy()


def _as_tensor(value: Any) -> Any:
    is_tensor = isinstance(value, (AnyTensor, IndexedSlices))
    return value if is_tensor else to_tensor(value)


def get_strategy() -> Strategy:
    """The current strategy (`tf.distribute.get_strategy`); the default one outside of scopes."""
    return _STATE.strategy or _DEFAULT


def has_strategy() -> bool:
    """Whether a strategy's scope is open (`tf.distribute.has_strategy`)."""
    return _STATE.strategy is not None


def in_cross_replica_context() -> bool:
    """Whether all replicas are spoken of at once (`tf.distribute.in_cross_replica_context`)."""
    return _STATE.is_cross


def get_replica_context() -> ReplicaContext | None:
    """The replica that is running (`tf.distribute.get_replica_context`); None where all meet."""
    return None if in_cross_replica_context() else ReplicaContext(get_strategy())


def maybe_merge_call(fn: Callable[..., Any], strategy: Strategy, *args: Any, **kwargs: Any) -> Any:
    """Calls `fn(strategy, ...)` where replicas meet
    (`tf.__internal__.distribute.interim.maybe_merge_call`); one replica is there already."""
    return fn(strategy, *args, **kwargs)
