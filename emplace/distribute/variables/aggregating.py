"""Variables of which there is one, whichever replicas change it."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from ...base.typing import TensorLike
from ...core.aggregation import VariableAggregation, VariableSynchronization
from ...core.tensor import AnyTensor
from ...eager.variable import Variable
from ...graph.recording.variable import GraphVariable
from ...ops.convert import register_converter, to_tensor
from ...ops.variables.indexed_slices import IndexedSlices
from ..replicas.contexts import check_same, current
from .variables import aggregated

_NO_AGGREGATION = (
    "You must specify an aggregation method to update a AggregatingVariable in Replica Context. "
    "You can do so by passing an explicit value for argument `aggregation` to tf.Variable(..).e.g. "
    "`tf.Variable(..., aggregation=tf.VariableAggregation.SUM)``tf.VariableAggregation` lists the "
    "possible aggregation methods.This is required because AggregatingVariable should always be "
    "kept in sync. When updating them or assigning to them in a replica context, we automatically "
    "try to aggregate the values before updating the variable. For this aggregation, we need to "
    "know the aggregation method. Another alternative is to not try to update such "
    "AggregatingVariable in replica context, but in cross replica context. You can enter cross "
    "replica context by calling `tf.distribute.get_replica_context().merge_call(merge_fn, "
    "..)`.Inside `merge_fn`, you can then update the AggregatingVariable using "
    "`tf.distribute.StrategyExtended.update()`."
)


class AggregatingVariable(Variable):
    """A variable whose changes by replicas are brought together first.

    Args:
        strategy: whose replicas.
        variable: the variable itself.
        aggregation: how their values are brought together.
        synchronization: when.
    """

    def __init__(
        self, strategy: Any, variable: Variable, aggregation: VariableAggregation,
        synchronization: VariableSynchronization,
    ) -> None:  # fmt: skip
        self.__dict__.update(variable.__dict__)
        self._strategy, self._inner = strategy, variable
        self._aggregation, self._synchronization = aggregation, synchronization
        variable._distributed_container = weakref.ref(self)  # type: ignore[attr-defined]

    @property
    def distribute_strategy(self) -> Any:
        """The strategy that made it."""
        return self._strategy

    @property
    def _distribute_strategy(self) -> Any:
        return self._strategy

    @property
    def values(self) -> tuple[Variable]:
        """The variable itself."""
        return (self._inner,)

    def _distributed_container(self) -> Any:
        return self

    def _update(self, change: Callable[..., Any], value: object) -> Any:
        context = current()
        if context is None:
            return change(self._inner, value)
        check_same(self._strategy)
        if context.replica is None:
            return change(self._inner, value)
        if self._aggregation is VariableAggregation.NONE:
            raise ValueError(_NO_AGGREGATION)

        def together(strategy: Any, value: TensorLike) -> Any:
            joined = aggregated(strategy, value, self)
            return strategy.extended.update(self, change, (joined,))

        return context.replica.merge_call(together, args=(value,))

    def _changed_once(self, change: Callable[[], Any]) -> Any:
        context = current()
        if context is None or context.replica is None:
            return change()
        return context.replica.merge_call(lambda strategy: change())

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Replaces its value; those of replicas are brought together first."""
        return self._update(lambda inner, new: inner.assign(new, False, name, read_value), value)

    def assign_add(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Adds to its value; see `assign`."""
        return self._update(
            lambda inner, new: inner.assign_add(new, False, name, read_value), delta
        )

    def assign_sub(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Subtracts from its value; see `assign`."""
        return self._update(
            lambda inner, new: inner.assign_sub(new, False, name, read_value), delta
        )

    def _scatter(self, kind: str, delta: IndexedSlices) -> Any:
        # TF: each replica changes the variable itself, whatever the aggregation is.
        return self._inner._scatter(kind, delta)

    def _assign_part(self, key: object, value: object, name: str | None = None) -> Any:
        return self._inner._assign_part(key, value)


class AggregatingGraphVariable(AggregatingVariable, GraphVariable):
    """The same in a graph, in whose lists it takes the place of the variable itself."""

    def __init__(
        self, strategy: Any, variable: Variable, aggregation: VariableAggregation,
        synchronization: VariableSynchronization,
    ) -> None:  # fmt: skip
        super().__init__(strategy, variable, aggregation, synchronization)
        for name in self.graph.collections:
            listed = self.graph.get_collection_ref(name)
            listed[:] = [self if each is variable else each for each in listed]


def aggregating(strategy: Any, variable: Variable, *options: Any) -> AggregatingVariable:
    """A variable whose changes by replicas are brought together first; see the class."""
    is_in_graph = isinstance(variable, GraphVariable)
    kind = AggregatingGraphVariable if is_in_graph else AggregatingVariable
    return kind(strategy, variable, *options)


for _kind in (AggregatingVariable, AggregatingGraphVariable):
    AnyTensor.register(_kind)
    register_converter(_kind, lambda variable, dtype: to_tensor(variable.value(), dtype))
AggregatingGraphVariable.__name__ = AggregatingVariable.__name__
