"""What every strategy does; outside of all of them there is the default one, of one replica."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple, NoReturn

from ...base import dtypes, nest
from ...base.typing import Axis, TensorLike
from ...core.context import LOCAL, PROCESS, at_reset, device, set_default_target
from ...core.tensor import Tensor
from ...data.dataset.dataset import Dataset
from ...eager.target import EAGER, EAGER_WITHIN
from ...graph.autograph.entry import tf_convert
from ...graph.autograph.settings import control_status_ctx
from ...graph.function.function import Function
from ...ops.array.joining import concat, stack
from ...ops.array.shaping import shape
from ...ops.convert import to_tensor
from ...ops.math.elementwise import cast, divide
from ...ops.math.reduction import reduce_prod, reduce_sum
from ..inputs import looping as looping
from ..inputs.inputs import InputContext, ValueContext
from ..reductions.cross_device import CommunicationOptions
from ..replicas.contexts import (
    StrategyContext,
    check_same,
    current,
    entered,
    has_strategy,
    refuse_replica,
)
from ..replicas.replica_context import DEFAULT_REPLICA, ReplicaContext, refuse_slices
from ..replicas.values import ReduceOp, as_reduce_op
from .classic_methods import ClassicMethods, Iterators
from .extended import Extended


class RunOptions(NamedTuple):
    """How `Strategy.run` runs (`tf.distribute.RunOptions`); not needed here."""

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


class Strategy(Iterators):
    """A strategy of one replica, and the base of all (`tf.distribute.Strategy`).

    >>> import emplace.tensorflow as tf
    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1
    """

    _is_default = False
    #: Where variables of one replica are made; None leaves it to the program's scopes.
    _device: str | None = None
    #: The number of this worker's first replica among those of all workers.
    _first_replica = 0
    # Whether models are trained through a coordinator; Keras 2 asks for this name.
    _should_use_with_coordinator = False

    def __init__(self, extended: Any = None, devices: Sequence[str] = ("/device:CPU:0",)) -> None:
        self.replica_devices = tuple(devices)
        # Those with a component for each replica.
        self._variables: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        count = len(self.replica_devices)
        self.cross_context = StrategyContext(self)
        self._replicas = [StrategyContext(self, ReplicaContext(self, i)) for i in range(count)]
        self._updates = [StrategyContext(self, None, i) for i in range(count)]
        self.extended = Extended(self) if extended is None else extended

    @property
    def _destinations(self) -> tuple[str, ...]:
        """The devices that every replica's values are on."""
        return self.replica_devices

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return len(self.replica_devices)

    @property
    def cluster_resolver(self) -> Any:
        """Who tells the cluster; None where there is one machine."""
        return None

    def scope(self) -> AbstractContextManager[Strategy]:
        """A scope in which this strategy is the current one: variables that are made in it belong
        to all of its replicas.

        Raises:
            RuntimeError: on entering, in another strategy's scope or in a replica.
        """
        return _Scope(self)

    @contextmanager
    def _one(self) -> Iterator[None]:
        """The scope of the only replica."""
        with entered(self._replicas[0]), device(self._device):
            yield

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: Any = None
    ) -> Any:
        """Calls `fn` once on each replica, under its device.

        Args:
            fn: what to call; a `tf.function` becomes one function for all replicas.
            args: its arguments. A replica gets its own of distributed values.
            kwargs: its arguments by name.
            options: not needed.

        Returns:
            What it returns; of several replicas what is the same object as it is, the rest as
            `PerReplica` values, in the structure that was returned.

        Raises:
            ValueError: `args` is no list or tuple.
            RuntimeError: another strategy is the current one, or replicas wait in vain.
        """
        if not isinstance(args, (list, tuple)):
            raise ValueError(f"positional args must be a list or tuple, got {type(args)}")
        with self.scope():
            if not isinstance(fn, Function):
                fn = tf_convert(fn, control_status_ctx(), convert_by_default=False)
            return self.extended.call_for_each_replica(fn, args, kwargs)

    def experimental_run_v2(
        self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Runs a function in each replica; the old name of `run`.

        Args:
            fn: the function.
            args: its positional arguments; of distributed values each replica gets its part.
            kwargs: its arguments by name, likewise.
        """
        return self.run(fn, args, kwargs)

    def experimental_run(self, fn: Callable[..., Any], input_iterator: Any = None) -> Any:
        """Calls `fn` once on each replica, with its part of the next element of an iterator: what
        TF 1 had before `run`.
        """
        with self.scope():
            given = () if input_iterator is None else (input_iterator.get_next(),)
        return self.run(fn, args=given)

    def reduce(self, reduce_op: ReduceOp | str, value: TensorLike, axis: Axis | None) -> Any:
        """Computes the sum or mean of a value over replicas.

        Args:
            reduce_op: "SUM", "MEAN" or a `ReduceOp`.
            value: a distributed value, or a structure of them.
            axis: what is reduced in each replica besides, usually 0; None for nothing. The mean is
                that of all elements, whatever the replicas' shares are. What is not distributed
                counts once for each replica.

        Raises:
            ValueError: no such reduction; the sum of a value that is not distributed.
            InvalidArgumentError: with no axis, if shapes differ.
        """
        kind = as_reduce_op(reduce_op)
        self._check_here()
        return value if axis is None else self._reduced_along(kind, value, axis)

    def _reduced_along(self, kind: ReduceOp, value: TensorLike, axis: Axis) -> Any:
        """The sum or mean of what each replica has as one tensor: a list of tensors is stacked."""
        total = self._over_replicas(value, lambda x: reduce_sum(x, axis))
        if kind is ReduceOp.SUM:
            return total
        count = self._over_replicas(value, lambda x: _size_along(x, axis))
        return divide(total, cast(count, total.dtype))

    def _over_replicas(self, value: TensorLike, function: Callable[[Any], Any]) -> Any:
        """The sum of what a function makes of each replica's value."""
        with self._one():
            return function(to_tensor(value))

    def _rows_in_sync(self, rows: object) -> Any:
        """The number of examples of all workers, of that of this one's replicas."""
        return rows

    def _check_here(self) -> None:
        context = current()
        if context is not None and not context.strategy._is_default:
            check_same(self)
            if context.replica is not None:
                refuse_replica()

    def gather(self, value: TensorLike, axis: int) -> Any:
        """The values of all replicas, joined along `axis`.

        Raises:
            NotImplementedError: there are IndexedSlices among the values.
        """
        self._check_here()
        refuse_slices("gather", value)
        return nest.map_structure(lambda each: concat([to_tensor(each)], axis), value)

    def check_equivalence(
        self, step: object, data: object, *, steps: int = 20, tolerance: float = 1e-5,
        in_replicas: bool = True,
    ) -> Any:  # fmt: skip
        """Raises an error: it is not for one replica; see `MirroredStrategy.check_equivalence`.

        Args:
            step: not used.
            data: not used.
            steps: not used.
            tolerance: not used.
            in_replicas: not used.

        Raises:
            ValueError: always.
        """
        self._refuse_one()

    def report(
        self, step: object, data: object, *, steps: int = 10, in_replicas: bool = True
    ) -> Any:
        """Raises an error: it is not for one replica; see `MirroredStrategy.report`.

        Args:
            step: not used.
            data: not used.
            steps: not used.
            in_replicas: not used.

        Raises:
            ValueError: always.
        """
        self._refuse_one()

    def _refuse_one(self) -> NoReturn:
        raise ValueError(
            f"{type(self).__name__} has one replica: there is nothing to compare it with. Make a "
            "tf.distribute.MirroredStrategy of several devices; emplace.virtual_gpus(4) gives "
            "virtual ones."
        )

    def experimental_local_results(self, value: object) -> tuple[Any, ...]:
        """The values of this machine's replicas."""
        return (value,)

    unwrap = experimental_local_results

    def group(self, value: TensorLike, name: str | None = None) -> Any:
        """In a graph, an operation after all values of replicas."""
        return self.extended._group(self.experimental_local_results(value))

    def experimental_distribute_dataset(self, dataset: Dataset, options: object = None) -> Any:
        """The dataset itself: one replica takes all of it."""
        return dataset

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[..., Any], options: object = None
    ) -> Any:
        """The dataset that `dataset_fn` makes for the one pipeline there is."""
        return dataset_fn(InputContext(num_replicas_in_sync=self.num_replicas_in_sync))

    def experimental_distribute_datasets_from_function(
        self, dataset_fn: Callable[..., Any], options: CommunicationOptions | None = None
    ) -> Any:
        """The old name of `distribute_datasets_from_function`."""
        return self.distribute_datasets_from_function(dataset_fn, options)

    def experimental_distribute_values_from_function(self, value_fn: Callable[..., Any]) -> Any:
        """The value that `value_fn` makes for the one replica there is."""
        return value_fn(ValueContext())

    def __copy__(self) -> NoReturn:
        raise RuntimeError("Must only deepcopy DistributionStrategy.")

    def __deepcopy__(self, memo: object) -> Strategy:
        return self


def _size_along(x: Tensor, axis: Any) -> Any:
    """How many elements a mean along some axes is of."""
    sizes = shape(x, dtypes.int64)
    axes = axis if isinstance(axis, (list, tuple)) else [axis]
    return reduce_prod(stack([sizes[each] for each in axes]))


class _Scope(AbstractContextManager[Strategy]):
    """A strategy's scope. It stays open if nobody closes it, as notebooks leave it."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy
        self._open: list[Any] = []

    def __enter__(self) -> Strategy:
        self._strategy._check_here()
        scope = entered(self._strategy.cross_context)
        scope.__enter__()
        self._open.append(scope)
        return self._strategy

    def __exit__(self, *exc: object) -> None:
        self._open.pop().__exit__(*exc)


class StrategyV1(ClassicMethods, Strategy):
    """A strategy with the methods of TF 1 (`tf.compat.v1.distribute.Strategy`)."""


class _DefaultDistributionStrategy(StrategyV1):
    """The strategy of a program that has none: one replica, wherever its ops are placed."""

    _is_default = True

    @property
    def _destinations(self) -> tuple[str, ...]:
        return ()

    def scope(self) -> AbstractContextManager[Strategy]:
        """A scope that changes nothing.

        Raises:
            RuntimeError: on entering, in the scope of a strategy.
        """
        return _DefaultScope(self)

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: Any = None
    ) -> Any:
        """Calls `fn`.

        Raises:
            RuntimeError: in the scope of a strategy.
        """
        if not isinstance(args, (list, tuple)):
            raise ValueError(f"positional args must be a list or tuple, got {type(args)}")
        with self.scope():
            if not isinstance(fn, Function):
                fn = tf_convert(fn, control_status_ctx(), convert_by_default=False)
            return fn(*args, **(kwargs or {}))


class _DefaultScope(AbstractContextManager[Strategy]):
    """What a program without a strategy is in all the time."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy

    def __enter__(self) -> Strategy:
        if has_strategy():
            raise RuntimeError("Must not nest tf.distribute.Strategy scopes.")
        return self._strategy

    def __exit__(self, *exc: object) -> None:
        """Nothing was changed."""


class _DefaultReplicaContext(ReplicaContext):
    """The one replica outside of strategies, whose number is a plain one."""

    @property
    def replica_id_in_sync_group(self) -> Any:
        """0."""
        return 0


_DEFAULT = _DefaultDistributionStrategy()
_DEFAULT_REPLICA = _DefaultReplicaContext(_DEFAULT)
DEFAULT_REPLICA.bind(lambda: _DEFAULT_REPLICA)


def get_strategy() -> Strategy:
    """The current strategy (`tf.distribute.get_strategy`); the default one outside of scopes."""
    context = current()
    found: Strategy = _DEFAULT if context is None else context.strategy
    return found


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Makes a strategy the current one outside of all scopes, in this thread and in those that
    start later (`tf.distribute.experimental_set_strategy`).

    Args:
        strategy: the strategy; None for the default one.

    Raises:
        RuntimeError: a scope is open.
    """
    state = LOCAL.state
    if state.strategy is not PROCESS.default_strategy:
        raise RuntimeError(
            "Must not be called inside a `tf.distribute.Strategy` scope. Close the scope first."
        )
    state.strategy = PROCESS.default_strategy = None if strategy is None else strategy.cross_context
    if state.target.is_eager:
        set_default_target(EAGER if strategy is None else EAGER_WITHIN)


@at_reset
def _forget() -> None:
    LOCAL.state.strategy = PROCESS.default_strategy = None


def strategy_supports_no_merge_call() -> bool:
    """Whether variables may be updated without a meeting of replicas."""
    return not get_strategy().extended._use_merge_call()


def maybe_merge_call(fn: Callable[..., Any], strategy: Strategy, *args: Any, **kwargs: Any) -> Any:
    """Calls `fn(strategy, ...)` where all replicas meet, if there are several
    (`tf.__internal__.distribute.interim.maybe_merge_call`).

    Args:
        fn: takes the strategy and the arguments.
        strategy: the strategy.
        args: its positional arguments.
        kwargs: its arguments by name.
    """
    context = current()
    replica = DEFAULT_REPLICA.call() if context is None else context.replica
    if replica is None or strategy_supports_no_merge_call():
        return fn(strategy, *args, **kwargs)
    return replica.merge_call(fn, args=args, kwargs=kwargs)
