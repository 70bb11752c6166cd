"""What optimizers and libraries ask a strategy for (`strategy.extended`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from ...base import nest
from ...base.typing import TensorLike
from ...core.context import LOCAL, device
from ...core.tensor import Tensor
from ...eager.variable import Variable
from ...graph.recording.grouping import group as grouped
from ...graph.recording.scopes import control_dependencies, name_scope
from ...ops.array.shaping import identity
from ...ops.convert import to_tensor
from ...ops.debugging.checks import NO_OP
from ...ops.op import apply
from ..reductions.cross_device import (
    CrossDeviceOps,
    ReductionToOneDevice,
    as_per_replica,
    broadcast,
    destinations_of,
    is_int32,
)
from ..replicas.baton import running
from ..replicas.contexts import (
    check_same,
    current,
    entered,
    require_all,
    require_scope,
    session_graph,
)
from ..replicas.values import (
    DistributedValues,
    Mirrored,
    PerReplica,
    ReduceOp,
    as_reduce_op,
    container_of,
    mapped,
    of_replica,
    regroup,
)
from ..variables.making import make, named
from ..variables.variables import DistributedVariable, SyncOnReadVariable


class Extended:
    """What a strategy of one replica answers (`tf.distribute.StrategyExtended`)."""

    experimental_require_static_shapes = False
    experimental_between_graph = False
    experimental_should_init = True
    should_checkpoint = True
    should_save_summary = True

    def __init__(self, container_strategy: Any) -> None:
        self._strategy = container_strategy

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices of the replicas.

        Raises:
            RuntimeError: of the default strategy, whose ops are wherever they are placed.
        """
        self._refuse_default("worker_devices")
        return self._strategy.replica_devices  # type: ignore[no-any-return]

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices that hold variables.

        Raises:
            RuntimeError: of the default strategy, whose variables are wherever they are placed.
        """
        self._refuse_default("parameter_devices")
        return self._strategy.replica_devices  # type: ignore[no-any-return]

    def _refuse_default(self, name: str) -> None:
        if self._strategy._is_default:
            raise RuntimeError(f"{name}() method unsupported by default tf.distribute.Strategy.")

    def _in_multi_worker_mode(self) -> bool:
        return False

    def _use_merge_call(self) -> bool:
        return False

    @property
    def _global_batch_size(self) -> bool:
        """Whether a batch is that of all replicas together: Keras 2 asks in sessions."""
        return True

    # -- variables ------------------------------------------------------------------------------

    def _create_variable(self, kind: object, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        with device(self._strategy._device):
            made = LOCAL.state.target.variable(kind, (), named(args, kwargs))
        if not self._strategy._is_default:
            made.__dict__["_made_by"] = self._strategy
        return made

    def variable_created_in_scope(self, v: TensorLike) -> bool:
        """Whether the strategy made a variable; the default strategy, whether none did."""
        made_by = getattr(v, "_distribute_strategy", None)
        return made_by is (None if self._strategy._is_default else self._strategy)

    def colocate_vars_with(self, colocate_with_variable: Any) -> AbstractContextManager[Any]:
        """A scope whose variables are where another variable is."""
        return device(getattr(colocate_with_variable, "device", None) or None)

    def read_var(self, v: Any) -> Any:
        """The value of a variable."""
        return v.read_value()

    def value_container(self, value: TensorLike) -> Any:
        """The distributed variable that a variable is a component of, or the variable."""
        found = container_of(value)
        return value if found is None else found

    # -- changes --------------------------------------------------------------------------------

    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Calls `fn(var, *args, **kwargs)` where the variable is.

        Args:
            var: the variable.
            fn: the function.
            args: its further positional arguments.
            kwargs: its arguments by name.
            group: False returns what each call returns.

        Raises:
            RuntimeError: another strategy is the current one.
        """
        with self._of_all(), device(var.device or None), name_scope("update"):
            made = fn(var, *args, **(kwargs or {}))
        return made if group else mapped(lambda leaf: (leaf,), made)

    def _of_all(self) -> AbstractContextManager[Any]:
        """A scope in which all replicas are spoken of; the default strategy has none."""
        if self._strategy._is_default:
            scope: AbstractContextManager[Any] = self._strategy.scope()
            return scope
        check_same(self._strategy)
        return entered(self._strategy.cross_context)

    def update_non_slot(
        self, colocate_with: object, fn: Callable[..., Any], args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None, group: bool = True,
    ) -> Any:  # fmt: skip
        """Calls `fn(*args, **kwargs)` on the devices of variables.

        Args:
            colocate_with: the variables.
            fn: the function.
            args: its positional arguments.
            kwargs: its arguments by name.
            group: False returns what each call returns.
        """
        with self._of_all():
            made = fn(*args, **(kwargs or {}))
        return made if group else mapped(lambda leaf: (leaf,), made)

    def non_slot_devices(self, var_list: Iterable[Any]) -> Any:
        """Where an optimizer keeps what belongs to no variable."""
        return min(var_list, key=lambda variable: str(variable.name))

    def _group(self, values: Sequence[Any]) -> Any:
        return grouped(*values)

    # -- reductions -----------------------------------------------------------------------------

    def reduce_to(
        self, reduce_op: ReduceOp | str, value: object, destinations: object, options: object = None
    ) -> Any:
        """Returns the one value there is.

        Args:
            reduce_op: a `ReduceOp`.
            value: the value.
            destinations: not needed.
            options: `CommunicationOptions`.
        """
        return value

    def batch_reduce_to(
        self, reduce_op: ReduceOp | str, pairs: Any, options: object = None
    ) -> list[Any]:
        """Returns the one value of each pair.

        Args:
            reduce_op: a `ReduceOp`.
            pairs: values and destinations.
            options: `CommunicationOptions`.
        """
        return [value for value, _ in pairs]

    def broadcast_to(self, tensor: TensorLike, destinations: object) -> Any:
        """The value there is."""
        return tensor

    def _gather_to(self, value: object, destinations: object, axis: int) -> Any:
        return value

    def call_for_each_replica(
        self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Calls `fn` once.

        Args:
            fn: the function.
            args: its positional arguments.
            kwargs: its arguments by name.

        Raises:
            RuntimeError: in a replica; another strategy is the current one.
        """
        require_all(self._strategy)
        with self._strategy._one():
            return fn(*args, **(kwargs or {}))


_ONE_DEVICE = ReductionToOneDevice()


class ManyExtended(Extended):
    """What a strategy of several replicas answers."""

    _reduces_parts = True  # whether `reduce_to` looks into lists and dictionaries

    def __init__(self, strategy: Any, cross_device_ops: CrossDeviceOps) -> None:
        super().__init__(strategy)
        self._cross_device_ops = cross_device_ops

    def _use_merge_call(self) -> bool:
        return True

    def _create_variable(self, kind: object, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        check_same(self._strategy)
        context = current()
        thread = None if context is None else running(context)
        if thread is not None:
            name = named(args, kwargs).get("name")
            return thread.shared(name, lambda: self._made(kind, args, kwargs))
        return self._made(kind, args, kwargs)

    def _made(self, kind: Any, args: Any, kwargs: Any) -> Any:
        made = make(self._strategy, kind, args, kwargs)
        if LOCAL.state.target.is_eager:
            for _ in made.values:  # TF: so, and its log shows them
                apply(NO_OP, ())
        return made

    def variable_created_in_scope(self, v: TensorLike) -> bool:
        """Whether the strategy made a variable."""
        return isinstance(v, DistributedVariable) and v.distribute_strategy is self._strategy

    def colocate_vars_with(self, colocate_with_variable: Variable) -> AbstractContextManager[Any]:
        """A scope whose variables are where another variable of the strategy is: everywhere.

        Raises:
            RuntimeError: outside of the strategy's scope.
            ValueError: the strategy did not make it.
        """
        return self._colocated(colocate_with_variable)

    @contextmanager
    def _colocated(self, variable: Variable) -> Iterator[None]:
        context = current()
        if context is None:
            require_scope(self._strategy)
        check_same(self._strategy)
        if not self.variable_created_in_scope(self.value_container(variable)):
            raise ValueError(
                "`colocate_vars_with` must only be passed a variable created in this "
                f"tf.distribute.Strategy.scope(), not: {variable}"
            )
        yield

    # -- changes --------------------------------------------------------------------------------

    def update(
        self, var: Any, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None,
        group: bool = True,
    ) -> Any:  # fmt: skip
        """Calls `fn(component, *args, **kwargs)` for each component of a variable, on its device,
        with its part of distributed arguments; in a replica for its component only.

        Args:
            var: a variable of this strategy.
            fn: what to do.
            args: its arguments.
            kwargs: its arguments by name.
            group: return one value: what is there after all components have been changed.

        Raises:
            RuntimeError: another strategy is the current one.
        """
        check_same(self._strategy)
        context = current()
        if context is None or context.replica is None:
            return self._update(var, fn, args, kwargs, group)
        made = [self._update_one(context.number or 0, var, fn, args, kwargs)]
        return self._results(made, group)

    def _update(
        self,
        var: object,
        fn: Callable[..., Any],
        args: Sequence[Any],
        kwargs: dict[str, Any],
        group: bool,
    ) -> Any:
        if not isinstance(var, DistributedVariable):
            return super().update(var, fn, args, kwargs, group)
        made = [self._update_one(i, var, fn, args, kwargs) for i in range(len(var.values))]
        return self._results(made, group)

    def _update_one(
        self, number: int, var: Variable, fn: Callable[..., Any], args: Sequence[Any], kwargs: Any
    ) -> Any:
        component = var.values[number] if isinstance(var, DistributedVariable) else var
        given = of_replica(number, tuple(args)), of_replica(number, dict(kwargs or {}))
        scopes = entered(self._strategy._updates[number]), name_scope(f"update_{number}")
        with scopes[0], device(component.device or None), scopes[1]:
            return fn(component, *given[0], **given[1])

    def update_non_slot(
        self, colocate_with: Any, fn: Callable[..., Any], args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None, group: bool = True,
    ) -> Any:  # fmt: skip
        """Calls `fn(*args, **kwargs)` on each of some devices, with its part of arguments.

        Raises:
            RuntimeError: in a replica.
        """
        require_all(self._strategy)
        made = []
        for i, name in enumerate(colocate_with):
            with entered(self._strategy._updates[i]), device(name), name_scope(f"update_{i}"):
                given = of_replica(i, tuple(args)), of_replica(i, dict(kwargs or {}))
                made.append(fn(*given[0], **given[1]))
        return self._results(made, group)

    def _results(self, made: Sequence[Any], group: bool) -> Any:
        if not group:
            return mapped(
                lambda leaf: leaf.values if isinstance(leaf, DistributedValues) else (leaf,),
                regroup(made, Mirrored),
            )
        if all(each is None for each in made):
            return None
        if all(isinstance(each, Variable) for each in made):
            if len(made) == self._strategy.num_replicas_in_sync == 1:
                return made[0]
            made = [self._value_of(each) for each in made]
        elif LOCAL.state.target.is_eager is False and not all(
            isinstance(each, (Tensor, Variable)) for each in made
        ):
            return grouped(*made)
        if session_graph() is not None and all(isinstance(each, Tensor) for each in made):
            made = self._after_all(made)
        return regroup(made, Mirrored)

    def _after_all(self, made: Sequence[Any]) -> list[Any]:
        """The values after all components have been changed: who waits for one, or fetches it,
        waits for the others.
        """
        values = []
        with control_dependencies([grouped(*made)]):
            for each in made:
                with device(each.device or None):
                    values.append(identity(each))
        return values

    def _value_of(self, variable: Variable) -> Tensor:
        with device(variable.device or None):
            return identity(variable.value())

    def non_slot_devices(self, var_list: Iterable[Any]) -> tuple[str, ...]:
        """Where an optimizer keeps what belongs to no variable: everywhere."""
        return self._strategy.replica_devices  # type: ignore[no-any-return]

    # -- reductions -----------------------------------------------------------------------------

    def reduce_to(
        self, reduce_op: ReduceOp | str, value: object, destinations: Any, options: Any = None
    ) -> Any:
        """One value of those of all replicas, on some devices.

        Args:
            reduce_op: "SUM", "MEAN" or a `ReduceOp`.
            value: a distributed value, or several in lists and dictionaries.
            destinations: a distributed value, a variable, a tensor or a device's name.
            options: not needed.

        Raises:
            RuntimeError: in a replica.
            ValueError: the sum of a value that is not distributed.
        """
        require_all(self._strategy)
        kind = as_reduce_op(reduce_op)
        if not self._reduces_parts:
            return self._reduced(kind, value, destinations, options)
        parts = [self._reduced(kind, x, destinations, options) for x in nest.flatten(value)]
        return nest.pack_sequence_as(value, parts)

    def _reduced(self, kind: ReduceOp, value: object, destinations: Any, options: Any) -> Any:
        if isinstance(value, Mirrored) and not isinstance(value, SyncOnReadVariable):
            return self._of_same(kind, value)
        if not isinstance(value, DistributedValues):
            return self._of_one(kind, value, destinations)
        wanted = destinations_of(destinations)
        is_host = any("CPU" in name for name in wanted)  # TF: then it is always one device
        ops = _ONE_DEVICE if is_host or is_int32(value) else self._cross_device_ops
        return ops.reduce(kind, as_per_replica(value), wanted, options)

    def _of_same(self, kind: ReduceOp, value: object) -> Any:
        if kind is ReduceOp.MEAN:
            return value
        raise ValueError(
            f"The value {value} is the same on all replicas and cannot be reduced with the given "
            f"reduce op {kind}. Multiply it by the number of replicas instead."
        )

    def _of_one(self, kind: ReduceOp, value: object, destinations: Variable | str) -> Any:
        if self._strategy.num_replicas_in_sync > 1:
            if isinstance(value, (int, float)) and value == 0:
                return value
            if kind is ReduceOp.SUM:
                raise ValueError(
                    f"A non-DistributedValues value {value!s} cannot be reduced with the given "
                    f"reduce op {kind}."
                )
        if not isinstance(value, Tensor):
            return value
        return broadcast(value, destinations_of(destinations))

    def batch_reduce_to(
        self, reduce_op: ReduceOp | str, pairs: Any, options: Any = None
    ) -> list[Any]:
        """`reduce_to` of several (value, destinations) at once.

        Raises:
            RuntimeError: in a replica.
        """
        require_all(self._strategy)
        kind = as_reduce_op(reduce_op)
        given = [(as_per_replica(value), to) for value, to in pairs]
        is_whole = [is_int32(value) for value, _ in given]
        rest = [pair for pair, alone in zip(given, is_whole, strict=True) if not alone]
        done = iter(self._cross_device_ops.batch_reduce(kind, rest, options) if rest else [])
        return [
            _ONE_DEVICE.reduce(kind, *pair) if alone else next(done)
            for pair, alone in zip(given, is_whole, strict=True)
        ]

    def broadcast_to(self, tensor: TensorLike, destinations: Any) -> Any:
        """A tensor on several devices; what is no tensor is itself.

        Raises:
            RuntimeError: in a replica.
        """
        require_all(self._strategy)
        if isinstance(tensor, Variable):
            tensor = to_tensor(tensor)
        if not isinstance(tensor, Tensor):
            return tensor
        return self._cross_device_ops.broadcast(tensor, destinations)

    def _gather_to(self, value: object, destinations: object, axis: int) -> Any:
        if not isinstance(value, DistributedValues) and isinstance(value, Tensor):
            value = PerReplica([value])
        return self._cross_device_ops.gather(value, destinations, axis)

    def call_for_each_replica(
        self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Calls `fn` on each replica; see `Strategy.run`."""
        require_all(self._strategy)
        return self._strategy._call(fn, tuple(args), dict(kwargs or {}))
