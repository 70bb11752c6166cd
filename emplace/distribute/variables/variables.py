"""Variables with one component for each replica, on its device.

Which component is read depends on who asks: a replica its own, everybody else the one on the device
that is asked for, or the first. A mirrored variable is kept the same everywhere, so a replica's
change is brought together first; one that is synchronised on reading is not.
"""

from __future__ import annotations

import copy
import functools
import weakref
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any, NoReturn

import numpy as np

from ...base.typing import ShapeLike, TensorLike
from ...core.aggregation import VariableAggregation, VariableSynchronization
from ...core.context import LOCAL, device
from ...core.tensor import AnyTensor, Tensor
from ...eager.variable import Variable
from ...graph.recording.grouping import group
from ...graph.recording.scopes import control_dependencies
from ...graph.recording.variable import GraphVariable
from ...ops.array.gathering import gather, gather_nd
from ...ops.array.shaping import identity
from ...ops.convert import register_converter, to_tensor
from ...ops.math.elementwise import logical_and
from ...ops.variables.indexed_slices import IndexedSlices
from ..replicas.contexts import check_same, current, entered, session_graph
from ..replicas.values import (
    DistributedValues,
    Mirrored,
    PerReplica,
    ReduceOp,
    place_on_device,
)
from .reading import reads_whole

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
        self._initializer: Any = None
        self._initialized_by: list[Any] = []
        for each in self._values:
            each._distributed_container = weakref.ref(self)
        strategy._variables[id(self)] = self

    @property
    def distribute_strategy(self) -> Any:
        """The strategy that made it."""
        return self._strategy

    @property
    def _distribute_strategy(self) -> Any:
        return self._strategy

    @property
    def _in_graph_mode(self) -> bool:  # type: ignore[override]
        return bool(self._primary._in_graph_mode)

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
        """The component for whom asks, another strategy among them."""
        context = current()
        number = None if context is None else context.number
        if number is not None and number < len(self._values):
            return self._values[number]
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
        """Its value as a NumPy copy.

        Raises:
            NotImplementedError: a function is traced.
        """
        if not LOCAL.state.target.is_eager:
            raise NotImplementedError("numpy() is only available when eager execution is enabled.")
        return self.read_value().numpy()

    def _peek(self) -> Any:
        return self._get()._peek()

    def read_value(self) -> Tensor:
        """Its value now, as a tensor on the current device.

        Raises:
            RuntimeError: all replicas of another strategy are spoken of.
        """
        context = current()
        if context is not None and context.replica is None:
            check_same(self._strategy)
        return identity(identity_of(self.value()))

    def is_initialized(self, name: str | None = None) -> Any:
        """Whether it has a value, as a tensor."""
        return functools.reduce(logical_and, [each.is_initialized() for each in self._values])

    # -- in the graph of a session --------------------------------------------------------------

    @property
    def initializer(self) -> Any:
        """In a graph, what gives all components their first values."""
        parts = [each.initializer for each in self._values]
        if self._initialized_by != parts:
            with self._beside():
                self._initializer, self._initialized_by = group(*parts), parts
        return self._initializer

    def _beside(self) -> AbstractContextManager[Any]:
        """A scope of its graph, after nothing."""
        stack = ExitStack()
        if isinstance(self._primary, GraphVariable):
            stack.enter_context(self._primary.graph.as_default())
            stack.enter_context(control_dependencies(None))
        return stack

    def _as_graph_element(self) -> Any:
        if not isinstance(self._primary, GraphVariable):
            raise TypeError(f"{self._name!r} is a variable of eager mode, and in no graph.")
        return self._element()

    def _element(self) -> Any:
        """What a session fetches."""
        return self._values[self._replica_asking() or 0]._as_graph_element()

    def _replica_asking(self) -> int | None:
        """The number of the strategy's replica that runs; None if none does."""
        context = current()
        return None if context is None or context.strategy is not self._strategy else context.number

    def _parts_of(self, value: object) -> list[Any]:
        """What the components get of the value of all of them."""
        return [value] * len(self._values)

    def eval(self, session: Any = None) -> Any:
        """Its value in a session, the default one if none is given."""
        return self._as_graph_element().eval(session=session)

    def load(self, value: TensorLike, session: Any = None) -> None:
        """Gives all components a value in a session."""
        for each in self._values:
            each.load(value, session)

    def __hash__(self) -> int:
        return id(self) if isinstance(self._primary, GraphVariable) else super().__hash__()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._get(), name)

    # -- changes --------------------------------------------------------------------------------

    def _update(self, change: Update, value: object, **kwargs: Any) -> Any:
        """Changes it as whom is asked by may: one component, or all of them."""
        context = current()
        if context is not None:
            check_same(self._strategy)
        if context is None or context.number is None:
            return self._update_all(change, value, **kwargs)
        if context.updates is not None:
            return change(self._values[context.updates], value, **kwargs)
        return self._update_replica(context, change, value, **kwargs)

    def _update_all(self, change: Update, value: object, **kwargs: Any) -> Any:
        return self._strategy.extended._update(self, change, (value,), kwargs, group=True)

    def _update_replica(self, context: Any, change: Update, value: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def _update_own(self, context: Any, change: Update, value: TensorLike, **kwargs: Any) -> Any:
        """Changes the component of a replica by its own value."""
        if isinstance(value, DistributedValues) and not isinstance(value, Variable):
            raise TypeError("Cannot use DistributedValues to update variables in replica context.")
        return change(self._values[context.number], value, **kwargs)

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Replaces its value; a replica's is brought together with the others' first. Not to be
        read, it returns None, and in a graph the operation that does it.
        """
        return self._update(_ASSIGN, value, read_value=read_value)

    def assign_add(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Adds to its value; see `assign`."""
        return self._update(_ASSIGN_ADD, delta, read_value=read_value)

    def assign_sub(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Subtracts from its value; see `assign`."""
        return self._update(_ASSIGN_SUB, delta, read_value=read_value)

    def _scatter(self, kind: str, delta: IndexedSlices) -> Any:
        def scatter(component: Variable, slices: IndexedSlices) -> Any:
            return component._scatter(kind, slices)

        return self._update(scatter, delta)

    def _scatter_nd(self, kind: str, indices: object, updates: object) -> NoReturn:
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

    def _assign_part(self, key: Any, value: object, name: str | None = None) -> Any:
        def assign(component: Any, part: Any) -> Any:
            return component._assign_part(key, part)

        return self._update(assign, value)

    def set_shape(self, shape: ShapeLike) -> None:
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


def components_of(variable: Variable) -> tuple[Any, ...]:
    """The variables that a variable is made of: those of all replicas, or itself."""
    return variable.values if isinstance(variable, DistributedVariable) else (variable,)


def parts_of(variable: Any, value: TensorLike) -> list[tuple[Any, Any]]:
    """What a variable is made of, each with its part of a value that was saved."""
    if not isinstance(variable, DistributedVariable):
        return [(variable, value)]
    return list(zip(variable.values, variable._parts_of(value), strict=True))


def identity_of(value: Any) -> Tensor:
    """A tensor once more, on the device that it is on."""
    with device(value.device or None):
        return identity(value)


def _assign(component: Variable, value: TensorLike, read_value: bool) -> Any:
    return component.assign(value, read_value=read_value)


def _assign_add(component: Variable, value: TensorLike, read_value: bool) -> Any:
    return component.assign_add(value, read_value=read_value)


def _assign_sub(component: Variable, value: TensorLike, read_value: bool) -> Any:
    return component.assign_sub(value, read_value=read_value)


_ASSIGN, _ASSIGN_ADD, _ASSIGN_SUB = _assign, _assign_add, _assign_sub


class MirroredVariable(DistributedVariable, Mirrored):
    """A variable whose components are kept the same: synchronised when it is written."""

    def _update_replica(
        self, context: Any, change: Update, value: TensorLike, **kwargs: Any
    ) -> Any:
        if self._aggregation is VariableAggregation.NONE:
            return self._update_own(context, change, value, **kwargs)

        def together(strategy: Any, value: TensorLike) -> Any:
            joined = aggregated(strategy, value, self)
            return strategy.extended._update(self, change, (joined,), kwargs, group=True)

        return context.replica.merge_call(together, args=(value,))

    def _scatter(self, kind: str, delta: IndexedSlices) -> Any:
        adds_up = self._aggregation in (VariableAggregation.SUM, VariableAggregation.MEAN)
        if adds_up and kind not in ("Add", "Sub", "Mul", "Div"):
            raise NotImplementedError(
                f"scatter_{kind.lower()} is only supported for mirrored variable (variable created "
                "within certain `tf.distribute.Strategy` scope) with NONE or `ONLY_FIRST_REPLICA` "
                f"aggregation, got: VariableAggregationV2.{self._aggregation.name}."
            )
        return super()._scatter(kind, delta)


def aggregated(strategy: Any, value: TensorLike, variable: Variable) -> Any:
    """The values of replicas as the one that a variable is changed by, on its devices."""
    aggregation = variable.aggregation
    if aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
        first = value.values[0] if isinstance(value, DistributedValues) else value
        if isinstance(first, Variable):  # as it is before any component changes
            first = identity_of(first.value())
        return strategy.extended.broadcast_to(first, variable)
    reduce_op = ReduceOp.from_variable_aggregation(aggregation)
    return strategy.extended.reduce_to(reduce_op, value, variable)


class SyncOnReadVariable(DistributedVariable):
    """A variable whose components go their own ways: brought together when it is read."""

    _whole_element: Any = None  # what a session fetches

    def _update_replica(
        self, context: Any, change: Update, value: TensorLike, **kwargs: Any
    ) -> Any:
        return self._update_own(context, change, value, **kwargs)

    def _is_whole(self) -> bool:
        """Whether it is asked for as a whole, not by a replica."""
        context = current()
        if context is None:
            return True
        check_same(self._strategy)
        return context.number is None

    def value(self) -> Any:
        """Its value: of all components, or the replica's, of all for replicas that ask for that."""
        if not self._is_whole():
            return self._reduced_for_replica() if reads_whole() else super().value()
        if self._aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            return self._primary.value()
        reduce_op = ReduceOp.from_variable_aggregation(self._aggregation)
        values = PerReplica([each.value() for each in self._values])
        return self._strategy.extended.reduce_to(reduce_op, values, self._strategy._host)

    def _reduced_for_replica(self) -> Any:
        context = current()
        if context is None or context.replica is None:  # a component that is being updated
            return super().value()
        if self._aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            return self._primary.value()
        reduce_op = ReduceOp.from_variable_aggregation(self._aggregation)
        return context.replica.all_reduce(reduce_op, super().value())

    def read_value(self) -> Tensor:
        """Its value now, as a tensor on the current device."""
        return identity(self.value())

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The rows that `indices` ask for: of all components, or the replica's own."""
        if self._is_whole() or reads_whole():
            rows: Tensor = gather(self.value(), indices)
            return rows
        return super().sparse_read(indices, name)

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The parts that `indices` ask for; see `sparse_read`."""
        if self._is_whole() or reads_whole():
            parts: Tensor = gather_nd(self.value(), indices)
            return parts
        return super().gather_nd(indices, name)

    def _peek(self) -> Any:
        return self.value()

    def _element(self) -> Any:
        if self._replica_asking() is not None:
            return super()._element()
        if self._whole_element is None:
            with self._beside(), entered(None):
                self._whole_element = self.value()
        return self._whole_element

    def load(self, value: TensorLike, session: Any = None) -> None:
        """Gives all components a value in a session; if they add up, their part of it."""
        value = np.asarray(value, self._dtype.as_numpy_dtype)
        for each, part in zip(self._values, self._parts_of(value), strict=True):
            each.load(np.asarray(part, value.dtype), session)

    def _update_all(self, change: Update, value: Any, **kwargs: Any) -> Any:
        if self._aggregation is VariableAggregation.NONE:
            ReduceOp.from_variable_aggregation(self._aggregation)  # which refuses it
        if change is not _ASSIGN and self._aggregation is VariableAggregation.SUM:
            name = "assign_add" if change is _ASSIGN_ADD else "assign_sub"
            raise ValueError(
                f"SyncOnReadVariable does not support `{name}` in cross-replica context when "
                "aggregation is set to `tf.VariableAggregation.SUM`."
            )
        if isinstance(value, SyncOnReadVariable):  # as it is before any component changes
            value = value.value()
        if self._aggregation is VariableAggregation.SUM:
            value = PerReplica(self._parts_of(to_tensor(value, self._dtype)))
        made = super()._update_all(change, value, **kwargs)
        if not kwargs.get("read_value", True):
            return made
        if session_graph() is None:
            return self.value()
        with control_dependencies([made]):
            return self.value()

    def _parts_of(self, value: object) -> list[Any]:
        """See the base. If they are added up, so that they add up to the value: of whole numbers
        the first gets what remains. (In TF nobody does.)
        """
        own, count = len(self._values), self._strategy.num_replicas_in_sync
        if self._aggregation is not VariableAggregation.SUM:
            return super()._parts_of(value)
        if not self._dtype.is_integer:
            return [value / count] * own
        part = value // count
        first = part if self._strategy._first_replica else value - part * (count - 1)
        return [first, *[part] * (own - 1)]

    def _scatter(self, kind: str, delta: object) -> NoReturn:
        raise NotImplementedError(
            f"Variables with `synchronization=ON_READ` doesn't support `scatter_{kind.lower()}`"
        )


for _name in Tensor.OVERLOADABLE_OPERATORS:  # as variables do it, not as mirrored values do
    setattr(DistributedVariable, _name, getattr(Variable, _name))


def _equal(self: DistributedVariable, other: object) -> Any:
    if isinstance(self._primary, GraphVariable):
        return self is other
    return Variable.__eq__(self, other)


def _unequal(self: DistributedVariable, other: object) -> Any:
    if isinstance(self._primary, GraphVariable):
        return self is not other
    return Variable.__ne__(self, other)


setattr(DistributedVariable, "__eq__", _equal)  # noqa: B010  # which keeps its __hash__
setattr(DistributedVariable, "__ne__", _unequal)  # noqa: B010

for _kind in (DistributedVariable, MirroredVariable, SyncOnReadVariable):
    AnyTensor.register(_kind)
    register_converter(_kind, lambda variable, dtype: to_tensor(variable.value(), dtype))
