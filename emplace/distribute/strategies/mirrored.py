"""`tf.distribute.MirroredStrategy`: the same model on several devices, each with its data."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ...base.logger import get_logger
from ...base.typing import Axis, TensorLike
from ...core.context import LOCAL, device
from ...devices.config import list_logical_devices
from ...devices.inventory import LogicalDevice
from ...devices.name import LOCALHOST
from ...graph.function.function import Function
from ...ops.convert import to_tensor
from ..analysis.equivalence import check
from ..analysis.measuring import measure
from ..inputs.classic_inputs import in_graph
from ..inputs.inputs import (
    InputContext,
    InputReplicationMode,
    ValueContext,
    in_turn,
    on_devices,
    together,
)
from ..reductions.cross_device import HOST, default_ops, full_name, here
from ..replicas.baton import on_replicas
from ..replicas.contexts import current, entered, session_graph
from ..replicas.replica_context import refuse_slices
from ..replicas.values import (
    DistributedValues,
    PerReplica,
    ReduceOp,
    as_reduce_op,
    mapped,
    of_replica,
)
from .extended import ManyExtended
from .strategy import Strategy

_MOST_WARNINGS = 5
_WARNED = [0]


class ReplicatedStrategy(Strategy):
    """What strategies of several replicas share."""

    _host = HOST

    def __init__(self, devices: Sequence[str], cross_device_ops: Any) -> None:
        super().__init__(ManyExtended(self, cross_device_ops), devices)
        self._lifted: weakref.WeakKeyDictionary[Any, Function] = weakref.WeakKeyDictionary()

    # -- running --------------------------------------------------------------------------------

    def _call(self, fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Calls `fn` on all replicas; a function as one function for all of them."""
        is_eager = LOCAL.state.target.is_eager
        if isinstance(fn, Function):
            if is_eager:
                return self._as_one(fn)(args, kwargs)
            fn = fn._converted()
        elif is_eager:
            self._warn()
        return on_replicas(self, fn, args, kwargs)

    def _as_one(self, fn: Function) -> Function:
        """A function that runs the replicas of another one as sections of one graph."""
        found = self._lifted.get(fn)
        if found is None:
            inner = fn._converted()

            def call_for_each_replica(args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
                return on_replicas(self, inner, args, kwargs)

            found = self._lifted[fn] = Function(
                call_for_each_replica, autograph=False, jit_compile=fn._jit,
                reduce_retracing=fn._reduces, name=fn._name,
            )  # fmt: skip
        return found

    def _warn(self) -> None:
        if _WARNED[0] < _MOST_WARNINGS:
            _WARNED[0] += 1
            get_logger().warning(
                f"Using {type(self).__name__} eagerly has significant overhead currently. We will "
                "be working on improving this in the future, but for now please wrap "
                "`call_for_each_replica` or `experimental_run` or `run` inside a tf.function to "
                "get the best performance."
            )

    # -- values ---------------------------------------------------------------------------------

    def reduce(self, reduce_op: ReduceOp | str, value: TensorLike, axis: Axis | None) -> Any:
        """Reduces a value; see `Strategy.reduce`.

        Args:
            reduce_op: "SUM", "MEAN" or a `ReduceOp`.
            value: a distributed value, or a structure of them.
            axis: what is reduced in each replica besides; None for nothing.
        """
        kind = as_reduce_op(reduce_op)
        self._check_here()
        if axis is None:
            return mapped(lambda each: self._reduced(kind, each), value)
        return self._reduced_along(kind, value, axis)

    def _reduced(self, kind: ReduceOp, value: object) -> Any:
        if self.num_replicas_in_sync == 1 and not isinstance(value, DistributedValues):
            return value
        made = self.extended.reduce_to(kind, value, here())
        return made.values[0] if isinstance(made, DistributedValues) else made

    def _over_replicas(self, value: TensorLike, function: Callable[[Any], Any]) -> Any:
        made = []
        for i, (context, name) in enumerate(zip(self._replicas, self.replica_devices, strict=True)):
            with entered(context), device(name):
                made.append(function(to_tensor(of_replica(i, value))))
        return self._sum(PerReplica(made))

    def _sum(self, values: PerReplica) -> Any:
        """The sum of the values of all replicas."""
        if len(values.values) == 1:
            return values.values[0]
        return self.extended.reduce_to(ReduceOp.SUM, values, here())

    def check_equivalence(
        self, step: Any, data: Any, *, steps: int = 20, tolerance: float = 1e-5,
        in_replicas: bool = True,
    ) -> Any:  # fmt: skip
        """Takes steps with all replicas and, beside them, with the first device alone, and says
        whether both give the same losses and variables. Afterwards variables, the state of
        optimizers, random generators and the dataset are as they were before.

        Args:
            step: what to call with a batch, as `strategy.run(step, args=(batch,))` would; a batch
                that is a tuple comes as several arguments if it takes as many. What it returns are
                the losses: replicas' scalars add up, rows are put together.
            data: a `tf.data.Dataset` of whole batches, not distributed yet, or a list of batches.
            steps: how many steps to take at most.
            tolerance: how far apart numbers may be; of what is larger than 1 that part of it.
            in_replicas: False if `step` takes a distributed batch and calls `strategy.run` itself.

        Returns:
            An `Equivalence`: true if nothing differs. It prints what was compared, or the first
            step and variable that differ, by how much, and what may be the cause.

        Raises:
            ValueError: there is one replica, or no data.
            TypeError: the data cannot be cut, or the step is no function.
            RuntimeError: in a function, in a graph, or in a replica.
            NotImplementedError: there are other workers.

        >>> import emplace
        >>> import emplace.tensorflow as tf
        >>> emplace.virtual_gpus(2)
        >>> strategy = tf.distribute.MirroredStrategy()
        >>> with strategy.scope():
        ...     weight = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
        >>> @tf.function
        ... def step(x):
        ...     with tf.GradientTape() as tape:
        ...         loss = tf.nn.compute_average_loss((weight * x) ** 2, global_batch_size=4)
        ...     weight.assign_sub(0.1 * tape.gradient(loss, weight))
        ...     return loss
        >>> data = tf.data.Dataset.from_tensor_slices([0.0, 1.0, 2.0, 3.0]).batch(4)
        >>> print(strategy.check_equivalence(step, data))  # doctest: +ELLIPSIS
        equivalent: 1 step on 2 replicas and on GPU:0 alone agree in 1 loss and 1 variable
        the largest difference is ...
        """
        if self.num_replicas_in_sync == 1:
            return super().check_equivalence(step, data)
        return check(self, step, data, steps, tolerance, in_replicas)

    def report(self, step: Any, data: Any, *, steps: int = 10, in_replicas: bool = True) -> Any:
        """Measures steps with all replicas and with the first device alone, and tells what each
        replica's device spends its time on (computing, copying, reducing, waiting), how many times
        as fast all of them are, what holds them back, and from which batch size on they pay.
        Afterwards variables, the state of optimizers and random generators are as they were before.

        Steps of the whole batch and of half of it are timed, which gives what a step costs for each
        example and besides. What devices do is taken from other steps, which are watched.

        Args:
            step: what to call with a batch: see `check_equivalence`.
            data: a `tf.data.Dataset` of whole batches, or a list of batches; the first one is used.
            steps: how many steps of each kind are measured. What counts is how long the fastest
                quarter of them took at most, and the medians of what devices did.
            in_replicas: False if `step` takes a distributed batch and calls `strategy.run` itself.

        Returns:
            A `StrategyReport`: `print` it, or take its `to_dict()`; times are in seconds.

        Raises:
            ValueError: there is one replica, or no data.
            TypeError: the data cannot be cut, or the step is no function.
            RuntimeError: in a function, in a graph, or in a replica.
            NotImplementedError: there are other workers.
        """
        if self.num_replicas_in_sync == 1:
            return super().report(step, data)
        return measure(self, step, data, steps, in_replicas)

    def gather(self, value: TensorLike, axis: int) -> Any:
        """The values of all replicas, joined along `axis`.

        Raises:
            RuntimeError: in a replica.
            NotImplementedError: there are IndexedSlices among the values.
        """
        context = current()
        if context is not None and context.replica is not None:
            raise RuntimeError(
                "tf.distribute.Strategy.gather method requires cross-replica context, use "
                "get_replica_context().all_gather() instead"
            )
        self._check_here()
        refuse_slices("gather", value)
        return mapped(lambda each: self._gathered(each, axis), value)

    def _gathered(self, value: object, axis: int) -> Any:
        if not isinstance(value, DistributedValues):
            return value
        return self.extended._gather_to(value, here(), axis)

    def experimental_local_results(self, value: object) -> tuple[Any, ...]:
        """The values of the replicas; of a structure a structure for each."""
        if isinstance(value, DistributedValues):
            return value.values
        found: list[bool] = []
        mapped(lambda each: found.append(isinstance(each, DistributedValues)), value)
        if not any(found):
            return (value,)
        return tuple(of_replica(i, value) for i in range(len(self.replica_devices)))

    unwrap = experimental_local_results

    # -- inputs ---------------------------------------------------------------------------------

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """A dataset whose elements are batches for all replicas: each batch of `dataset` is cut
        into as many parts, of which the last may be smaller, or empty.

        Args:
            dataset: a dataset of batches of the global size.
            options: a `tf.distribute.InputOptions`.

        Raises:
            NotImplementedError: an input pipeline for each replica is asked for.
        """
        return in_graph(on_devices(dataset, self, splits=True, options=options))

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[..., Any], options: Any = None
    ) -> Any:
        """A dataset whose elements are batches for all replicas, taken from the dataset that
        `dataset_fn` makes, one for each in turn.

        Args:
            dataset_fn: takes an `InputContext`, returns a dataset of batches of a replica's size.
            options: a `tf.distribute.InputOptions`.
        """
        count = self.num_replicas_in_sync
        mode = None if options is None else options.experimental_replication_mode
        if mode is InputReplicationMode.PER_REPLICA:
            made = [dataset_fn(InputContext(count, i, count)) for i in range(count)]
            return in_graph(together(made, self, options))
        one = dataset_fn(InputContext(num_replicas_in_sync=count))
        return in_graph(in_turn(one, self, options))

    def experimental_distribute_values_from_function(self, value_fn: Callable[..., Any]) -> Any:
        """The values that `value_fn` makes for the replicas, as a distributed one.

        Args:
            value_fn: takes a `ValueContext`.
        """
        count = self.num_replicas_in_sync
        made = [value_fn(ValueContext(i, count)) for i in range(count)]
        return _all_distributed(made)


def _all_distributed(values: Sequence[Any]) -> Any:
    return mapped(lambda *parts: PerReplica(parts), values[0], *values[1:])


class MirroredStrategy(ReplicatedStrategy):
    """The same model on several devices of this machine (`tf.distribute.MirroredStrategy`).

    Variables that are made in its scope have a component on each device; `run` calls a function on
    each; gradients are added up before they are applied.

    Args:
        devices: names or logical devices; all GPUs, or all CPUs if there is none, if None.
        cross_device_ops: how values of replicas are reduced; chosen by the devices if None.

    Raises:
        TypeError: something is neither a name nor a logical device.
        ValueError: something is no device's name.
        AssertionError: a device stands in the list twice.
        RuntimeError: a device is of another machine.

    >>> strategy = MirroredStrategy(["CPU:0"])
    >>> strategy.num_replicas_in_sync
    1
    """

    _collective_key_base = 0  # tests of libraries count it up; nothing here has keys

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        names = tuple(full_name(_name_of(each)) for each in (devices or _all()))
        if session_graph() is None:  # where there is one, a session says which exist
            names = _existing(names)
        if not all(name.startswith(LOCALHOST) for name in names):
            raise RuntimeError(
                "In-graph multi-worker training with `MirroredStrategy` is not supported in eager "
                "mode."
            )
        assert len(set(names)) == len(names), (
            f"No duplicates allowed in `devices` argument: {names}"
        )
        super().__init__(names, cross_device_ops or default_ops(names))
        get_logger().info(f"Using MirroredStrategy with devices {names!r}")


def _name_of(each: object) -> str:
    if isinstance(each, str):
        return each
    if not isinstance(each, LogicalDevice):
        raise TypeError(
            "MirroredStrategy takes names of devices such as 'GPU:0', or logical devices: got "
            f"{each!r}. See tf.config.list_logical_devices()."
        )
    return each.name


def _all() -> list[Any]:
    """The GPUs; the CPUs if there are none."""
    return list_logical_devices("GPU") or list_logical_devices("CPU")


def _existing(names: Sequence[str]) -> tuple[str, ...]:
    """The devices without the logical CPUs that were never made. TensorFlow puts their replicas on
    the first CPU.
    """
    there = {full_name(each.name) for each in list_logical_devices("CPU")}
    cpu = full_name("CPU:0").removesuffix("0")
    missing = [name for name in names if name.startswith(cpu) and name not in there]
    kept = tuple(name for name in names if name not in missing)
    if not missing or not kept:
        return tuple(names)
    get_logger().warning(
        f"MirroredStrategy leaves out {missing}, which do not exist. Make logical CPUs with "
        "tf.config.set_logical_device_configuration before devices are used."
    )
    return kept
