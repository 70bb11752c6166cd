"""Variables with one component for each replica, on its device.

Which component is read depends on who asks: a replica its own, everybody else the one on the device
that is asked for, or the first. A mirrored variable is kept the same everywhere, so a replica's
change is brought together first; one that is synchronised on reading is not.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..core.aggregation import VariableAggregation, VariableSynchronization
from ..core.context import LOCAL, device
from ..core.tensor import AnyTensor, Tensor
from ..eager.variable import Variable
from ..ops.array.shaping import identity
from ..ops.convert import register_converter, to_tensor
from ..ops.math.elementwise import cast, divide
from .contexts import check_same, current, entered
from .values import (
    DistributedValues,
    Mirrored,
    PerReplica,
    ReduceOp,
    place_on_device,
)

Update = Callable[..., Any]


class DistributedVariable(DistributedValues, Variable):
    """A variable with a component for each replica.

    Args:
        strategy: whose replicas.
        values: the components, ordinary variables.
        aggregation: how replicas' changes, or values, are brought together.
        synchronization: when.
    """

    def __init__(
        self, strategy: Any, values: Sequence[Any], aggregation: VariableAggregation,
        synchronization: VariableSynchronization,
    ) -> None:  # fmt: skip
        self._strategy = strategy
        self._values = tuple(values)
        first = self._values[0]
        self._dtype, self._shape, self._name = first.dtype, first.shape, first._name
        self._trainable, self._constraint = first.trainable, first.constraint
        self._aggregation, self._synchronization = aggregation, synchronization
        self._unique_id = first._unique_id
        for each in self._values:
            each._distributed_container = weakref.ref(self)

    @property
    def distribute_strategy(self) -> Any:
        """The strategy that made it."""
        return self._strategy

    @property
    def _primary(self) -> Any:
        return self._values[0]

    @property
    def device(self) -> str:
        """The device of the component that would be read."""
        return self._get().device  # type: ignore[no-any-return]

    @property
    def name(self) -> str:
        """The name of the first component."""
        return self._primary.name  # type: ignore[no-any-return]

    @property
    def is_distributed_variable(self) -> bool:
        """True."""
        return True

    def _distributed_container(self) -> Any:
        """Itself: what a component calls the variable that it is of."""
        return self

    def _get(self) -> Any:
        """The component for whom asks.

        Raises:
            RuntimeError: that is another strategy.
        """
        context = current()
        if context is not None:
            if context.replica is None:
                check_same(self._strategy)
            if context.number is not None and context.number < len(self._values):
                return self._values[context.number]
        return self._values[place_on_device(self._values)]

    @property
    def _handle(self) -> Any:  # type: ignore[override]
        return self._get()._handle

    @property
    def handle(self) -> Any:
        """The resource of the replica's component.

        Raises:
            ValueError: all replicas are spoken of.
        """
        context = current()
        if context is not None and context.number is None:
            raise ValueError(
                "DistributedVariable.handle is not available outside the replica context or a "
                "`tf.distribute.Strategy.update()` call."
            )
        return self._handle

    def numpy(self) -> Any:
        """Its value as a NumPy copy."""
        return self.read_value().numpy()

    def _peek(self) -> Any:
        return self._get()._peek()

    def read_value(self) -> Any:
        """Its value now, as a tensor on the current device."""
        return identity(identity_of(self.value()))

    def is_initialized(self, name: str | None = None) -> Any:
        """Whether it has a value, as a tensor."""
        return self._primary.is_initialized()

    @property
    def initializer(self) -> Any:
        """In a graph, what gives all components their first values."""
        return self._strategy.extended._group([each.initializer for each in self._values])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._get(), name)

    # -- changes --------------------------------------------------------------------------------

    def _update(self, change: Update, value: Any, **kwargs: Any) -> Any:
        """Changes it as whom is asked by may: one component, or all of them."""
        context = current()
        if context is not None:
            check_same(self._strategy)
        if context is None or context.number is None:
            return self._update_all(change, value, **kwargs)
        if context.updates is not None:
            return change(self._values[context.updates], value, **kwargs)
        if isinstance(value, DistributedValues) and not isinstance(value, Variable):
            raise TypeError("Cannot use DistributedValues to update variables in replica context.")
        return self._update_replica(context, change, value, **kwargs)

    def _update_all(self, change: Update, value: Any, **kwargs: Any) -> Any:
        return self._strategy.extended._update(self, change, (value,), kwargs, group=True)

    def _update_replica(self, context: Any, change: Update, value: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Replaces its value; a replica's is brought together with the others' first."""
        made = self._update(_ASSIGN, value)
        return made if read_value or not LOCAL.state.target.is_eager else None

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Adds to its value; see `assign`."""
        made = self._update(_ASSIGN_ADD, delta)
        return made if read_value or not LOCAL.state.target.is_eager else None

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Subtracts from its value; see `assign`."""
        made = self._update(_ASSIGN_SUB, delta)
        return made if read_value or not LOCAL.state.target.is_eager else None

    def _scatter(self, kind: str, delta: Any) -> Any:
        def scatter(component: Any, slices: Any) -> Any:
            return component._scatter(kind, slices)

        return self._update(scatter, delta)

    def _scatter_nd(self, kind: str, indices: Any, updates: Any) -> NoReturn:
        raise NotImplementedError(
            f"A variable of several replicas has no scatter_nd_{kind.lower()}. Use scatter_"
            f"{kind.lower()} with tf.IndexedSlices."
        )

    def batch_scatter_update(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Not for variables of several replicas."""
        raise NotImplementedError(
            "A variable of several replicas has no batch_scatter_update. Use scatter_update with "
            "tf.IndexedSlices."
        )

    def count_up_to(self, limit: int) -> NoReturn:
        """Not for variables of several replicas."""
        raise NotImplementedError(
            "A variable of several replicas has no count_up_to. Use assign_add."
        )

    def _assign_part(self, key: Any, value: Any, name: str | None = None) -> Any:
        def assign(component: Any, part: Any) -> Any:
            return component._assign_part(key, part)

        return self._update(assign, value)

    def set_shape(self, shape: Any) -> None:
        """Narrows the shape of all components."""
        super().set_shape(shape)
        for each in self._values:
            each.set_shape(shape)

    def __repr__(self) -> str:
        return DistributedValues.__repr__(self)

    __str__ = __repr__

    def __bool__(self) -> bool:
        return bool(self.value())

    def __int__(self) -> int:
        return int(self.value())

    def __float__(self) -> float:
        return float(self.value())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.value(), dtype)

    def __copy__(self) -> Any:
        copied = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied

    def __deepcopy__(self, memo: Any) -> Any:
        with entered(None):
            values = [copy.deepcopy(each, memo) for each in self._values]
        made = type(self)(self._strategy, values, self._aggregation, self._synchronization)
        memo[id(self)] = made
        return made

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{type(self).__name__} cannot be pickled. Save it with tf.train.Checkpoint, or pickle "
            "what `numpy()` returns."
        )


def identity_of(value: Any) -> Any:
    """A tensor once more, on the device that it is on."""
    with device(value.device or None):
        return identity(value)


def _assign(component: Any, value: Any) -> Any:
    return component.assign(value)


def _assign_add(component: Any, value: Any) -> Any:
    return component.assign_add(value)


def _assign_sub(component: Any, value: Any) -> Any:
    return component.assign_sub(value)


_ASSIGN, _ASSIGN_ADD, _ASSIGN_SUB = _assign, _assign_add, _assign_sub


class MirroredVariable(DistributedVariable, Mirrored):
    """A variable whose components are kept the same: synchronised when it is written."""

    def _update_replica(self, context: Any, change: Update, value: Any, **kwargs: Any) -> Any:
        if self._aggregation is VariableAggregation.NONE:
            return change(self._values[context.number], value, **kwargs)

        def together(strategy: Any, value: Any) -> Any:
            joined = aggregated(strategy, value, self)
            return strategy.extended._update(self, change, (joined,), kwargs, group=True)

        return context.replica.merge_call(together, args=(value,))

    def _scatter(self, kind: str, delta: Any) -> Any:
        adds_up = self._aggregation in (VariableAggregation.SUM, VariableAggregation.MEAN)
        if adds_up and kind not in ("Add", "Sub", "Mul", "Div"):
            raise NotImplementedError(
                f"scatter_{kind.lower()} is only supported for mirrored variable (variable created "
                "within certain `tf.distribute.Strategy` scope) with NONE or `ONLY_FIRST_REPLICA` "
                f"aggregation, got: VariableAggregationV2.{self._aggregation.name}."
            )
        return super()._scatter(kind, delta)


def aggregated(strategy: Any, value: Any, variable: Any) -> Any:
    """The values of replicas as the one that a variable is changed by, on its devices."""
    aggregation = variable.aggregation
    if aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
        first = value.values[0] if isinstance(value, DistributedValues) else value
        return strategy.extended.broadcast_to(first, variable)
    reduce_op = ReduceOp.from_variable_aggregation(aggregation)
    return strategy.extended.reduce_to(reduce_op, value, variable)


class SyncOnReadVariable(DistributedVariable):
    """A variable whose components go their own ways: brought together when it is read."""

    def _update_replica(self, context: Any, change: Update, value: Any, **kwargs: Any) -> Any:
        return change(self._values[context.number], value, **kwargs)

    def _is_whole(self) -> bool:
        """Whether it is asked for as a whole, not by a replica."""
        context = current()
        if context is None:
            return True
        check_same(self._strategy)
        return context.number is None

    def value(self) -> Any:
        """Its value: of all components, or the replica's."""
        if not self._is_whole():
            return super().value()
        if self._aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            return self._primary.value()
        reduce_op = ReduceOp.from_variable_aggregation(self._aggregation)
        values = PerReplica([each.value() for each in self._values])
        return self._strategy.extended.reduce_to(reduce_op, values, self._strategy._host)

    def read_value(self) -> Any:
        """Its value now, as a tensor on the current device."""
        return identity(self.value())

    def _peek(self) -> Any:
        return self.value()

    def _update_all(self, change: Update, value: Any, **kwargs: Any) -> Any:
        if self._aggregation is VariableAggregation.NONE:
            ReduceOp.from_variable_aggregation(self._aggregation)  # which refuses it
        if change is not _ASSIGN and self._aggregation is VariableAggregation.SUM:
            name = "assign_add" if change is _ASSIGN_ADD else "assign_sub"
            raise ValueError(
                f"SyncOnReadVariable does not support `{name}` in cross-replica context when "
                "aggregation is set to `tf.VariableAggregation.SUM`."
            )
        if self._aggregation is VariableAggregation.SUM:
            value = self._shared(to_tensor(value, self._dtype))
        super()._update_all(change, value, **kwargs)
        return self.value()

    def _shared(self, value: Any) -> Any:
        """What each component gets so that they add up to a value."""
        return cast(divide(value, self._strategy.num_replicas_in_sync), self._dtype)

    def _scatter(self, kind: str, delta: Any) -> NoReturn:
        raise NotImplementedError(
            f"Variables with `synchronization=ON_READ` doesn't support `scatter_{kind.lower()}`"
        )


for _name in Tensor.OVERLOADABLE_OPERATORS:  # as variables do it, not as mirrored values do
    setattr(DistributedVariable, _name, getattr(Variable, _name))
for _kind in (DistributedVariable, MirroredVariable, SyncOnReadVariable):
    AnyTensor.register(_kind)
    register_converter(_kind, lambda variable, dtype: to_tensor(variable.value(), dtype))


# -- making them -----------------------------------------------------------------------------------


def checked_options(kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """Takes aggregation and synchronization out of a variable's arguments, for a strategy.

    Raises:
        ValueError: they are of another type, or no strategy can do them.
    """
    name = kwargs.get("name")
    synchronization = kwargs.pop("synchronization", None) or VariableSynchronization.AUTO
    aggregation = kwargs.pop("aggregation", None) or VariableAggregation.NONE
    if not isinstance(aggregation, VariableAggregation):
        raise ValueError(f"Invalid variable aggregation mode: {aggregation} for variable: {name}")
    if not isinstance(synchronization, VariableSynchronization):
        raise ValueError(
            f"Invalid variable synchronization mode: {synchronization} for variable: {name}"
        )
    if synchronization is VariableSynchronization.NONE:
        raise ValueError(
            "`NONE` variable synchronization mode is not supported with tf.distribute strategy. "
            f"Please change the `synchronization` for variable: {name}"
        )
    if synchronization is VariableSynchronization.AUTO:
        synchronization = VariableSynchronization.ON_WRITE
    return aggregation, synchronization


def named(args: Any, kwargs: Any) -> dict[str, Any]:
    """The arguments of a variable, all by name."""
    names = ("initial_value", "trainable", "validate_shape", "caching_device", "name",
             "variable_def", "dtype", "import_scope", "constraint", "synchronization",
             "aggregation", "shape")  # fmt: skip
    return {**dict(zip(names, args, strict=False)), **kwargs}


def make(
    strategy: Any, kind: Any, args: Any, kwargs: Any, devices: Sequence[str] = ()
) -> DistributedVariable:
    """A variable of all replicas: the first component gets the initial value, the others a copy.
    They are on `devices`, those of the replicas if there are none.
    """
    given = named(args, kwargs)
    aggregation, synchronization = checked_options(given)
    on_read = synchronization is VariableSynchronization.ON_READ
    if on_read and given.get("trainable") is None:
        given["trainable"] = False
    values: list[Any] = []
    for i, name in enumerate(devices or strategy._devices):
        options = given if i == 0 else _of_copy(given, values[0], i)
        with device(name):
            values.append(LOCAL.state.target.variable(kind, (), dict(options)))
    if aggregation is VariableAggregation.MEAN and not values[0].dtype.is_floating:
        raise ValueError(
            "creating distributed tf.Variable with aggregation=MEAN and a non-floating dtype is "
            "not supported, please use a different aggregation or dtype"
        )
    for each in values:
        each._aggregation, each._synchronization = aggregation, synchronization
    made = SyncOnReadVariable if on_read else MirroredVariable
    return made(strategy, values, aggregation, synchronization)


def _of_copy(given: dict[str, Any], first: Any, number: int) -> dict[str, Any]:
    """The arguments of a further component."""
    stem = given.get("name") or "Variable"
    return {
        **given, "name": f"{stem}/replica_{number}", "dtype": first.dtype,
        "initial_value": lambda: identity(_first_value(first)),
    }  # fmt: skip


def _first_value(first: Any) -> Any:
    initialized = getattr(first, "initialized_value", None)
    return first.value() if initialized is None else initialized()
