"""Values of replicas: one for each, or the same on the device of each."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any

from ...base.dtypes import DType
from ...base.nest import is_flattened, is_nested, put_together, taken_apart
from ...base.typing import DTypeLike, Structure
from ...core.aggregation import VariableAggregation
from ...core.composite import CompositeTensor
from ...core.context import LOCAL, eager_scope
from ...core.tensor import Tensor
from ...core.type_spec import TypeSpec
from ...data.elements.structure import type_spec_from_value
from ...eager.variable import Variable
from ...ops.convert import register_converter, to_tensor
from .contexts import current


class ReduceOp(enum.Enum):
    """How values of replicas become one (`tf.distribute.ReduceOp`)."""

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: VariableAggregation) -> ReduceOp:
        """The reduction that an aggregation stands for.

        Raises:
            ValueError: it stands for none.
        """
        if aggregation in (VariableAggregation.SUM, VariableAggregation.MEAN):
            return ReduceOp[aggregation.name]
        raise ValueError(
            "Could not convert from `tf.VariableAggregation` VariableAggregationV2."
            f"{aggregation.name} to`tf.distribute.ReduceOp` type"
        )


def as_reduce_op(value: object) -> ReduceOp:
    """A reduction of its name in any case.

    Raises:
        ValueError: there is none of that name.
        AssertionError: it is neither a name nor a reduction.
    """
    if isinstance(value, str):
        return ReduceOp(value.upper())
    assert isinstance(value, ReduceOp), f"{value!r} is no tf.distribute.ReduceOp."
    return value


class DistributedValues:
    """One value per replica (`tf.distribute.DistributedValues`)."""

    _values: tuple[Any, ...]

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = tuple(values)

    @property
    def values(self) -> tuple[Any, ...]:
        """The values, by replica."""
        return self._values

    @property
    def _devices(self) -> tuple[str, ...]:
        """The devices of the values, which Keras 2's optimizers ask for."""
        return tuple(each.device for each in self._values)

    def _get(self) -> Any:
        """The value for whom asks: the replica's, or the first."""
        context = current()
        number = None if context is None else context.number
        return self._values[number or 0] if (number or 0) < len(self._values) else self._values[0]

    def __repr__(self) -> str:
        return self._listed(repr)

    def __str__(self) -> str:
        return self._listed(str)

    def _listed(self, show: Callable[[Any], str]) -> str:
        lines = [f"  {i}: {show(value)}" for i, value in enumerate(self.values)]
        return f"{type(self).__name__}:{{\n" + ",\n".join(lines) + "\n}"


class _NoTensorError(AttributeError, ValueError):
    """Values of several replicas are used as one tensor: they lack what tensors have."""


class PerReplica(DistributedValues, CompositeTensor):
    """Another value for each replica (`tf.types.experimental.distributed.PerReplica`)."""

    refusal = (
        "It looks like you are using a PerReplica object while not inside a replica context, which "
        "is not supported. Try running your op or function inside a replica context by using "
        "`strategy.run`"
    )

    @property
    def _type_spec(self) -> PerReplicaSpec:
        return PerReplicaSpec(*[type_spec_from_value(value) for value in self._values])

    @property
    def outline(self) -> Any:
        """What a trace depends on besides the tensors."""
        return PerReplica, tuple(_outline(value) for value in self._values)

    def __getattr__(self, name: str) -> Any:
        if name in ("dtype", "shape"):  # which a function asks for before it looks what it got
            raise _NoTensorError(self.refusal)
        raise AttributeError(f"'PerReplica' object has no attribute '{name}'")

    def components(self) -> tuple[Any, ...]:
        """The values."""
        return self._values

    def with_components(self, components: Sequence[Any]) -> PerReplica:
        """Other values."""
        return PerReplica(components)


def _outline(value: Any) -> Any:
    is_composite = isinstance(value, CompositeTensor)
    return getattr(value, "outline", type(value)) if is_composite else None


class PerReplicaSpec(TypeSpec):
    """The type of `PerReplica` values: the spec of each replica's."""

    value_type = PerReplica

    def __init__(self, *value_specs: Any) -> None:
        self.value_specs = value_specs

    @property
    def component_count(self) -> int:
        """How many tensors a value of it is made of."""
        return sum(getattr(each, "component_count", 1) for each in self.value_specs)

    def components(self) -> tuple[Any, ...]:
        """The specs."""
        return self.value_specs

    def with_components(self, components: Sequence[Any]) -> PerReplicaSpec:
        """Other specs."""
        return PerReplicaSpec(*components)

    def _serialize(self) -> tuple[Any, ...]:
        return self.value_specs

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PerReplicaSpec) and self.value_specs == other.value_specs

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"PerReplicaSpec{self.value_specs!r}"


class Mirrored(DistributedValues):
    """The same value on the device of each replica (`tf.types.experimental.distributed.Mirrored`).
    It stands for the one that is at hand where it is used."""

    def _get(self) -> Any:
        context = current()
        if context is not None and context.number is not None:
            return super()._get()
        return self._values[place_on_device(self._values)]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._get(), name)

    def _as_graph_element(self) -> Any:
        return self._get()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        return self._get().__array__(dtype)

    def __bool__(self) -> bool:
        return bool(self._get())

    def __int__(self) -> int:
        return int(self._get())

    def __float__(self) -> float:
        return float(self._get())


def place_on_device(values: Sequence[Any]) -> int:
    """The number of the value on the device that is asked for; 0 if none is there."""
    state = LOCAL.state
    if state.scope is None or len(values) == 1:
        return 0
    scope = eager_scope(state.scope)
    assert scope is not None
    for i, value in enumerate(values):
        if getattr(value, "device", None) == scope.name:
            return i
    return 0


def _operator(name: str) -> Callable[..., Any]:
    def operator(self: Mirrored, *others: Tensor) -> Any:
        return getattr(to_tensor(self._get()), name)(*others)

    return operator


def _of_replica(value: PerReplica, dtype: DType | None) -> Any:
    context = current()
    if context is None or context.replica is None:
        raise ValueError(PerReplica.refusal)
    return to_tensor(value._get(), dtype)


for _name in Tensor.OVERLOADABLE_OPERATORS:
    setattr(Mirrored, _name, _operator(_name))
register_converter(Mirrored, lambda value, dtype: to_tensor(value._get(), dtype))
register_converter(PerReplica, _of_replica)


def mapped(function: Callable[..., Any], structure: Any, *others: Any) -> Any:
    """`function` of the leaves of structures; distributed values are leaves."""
    if isinstance(structure, DistributedValues) or not is_nested(structure):
        return function(structure, *others)
    return _of_parts(lambda *parts: mapped(function, *parts), structure, *others)


def _of_parts(function: Callable[..., Any], structure: Any, *others: Any) -> Any:
    """A structure like another one, of what `function` makes of each of its parts."""
    if isinstance(structure, dict):
        made = {
            key: function(value, *[each[key] for each in others])
            for key, value in structure.items()
        }
        default = getattr(structure, "default_factory", None)
        kind: Any = type(structure)
        if default is not None:
            return kind(default, made)
        return made if kind is dict else kind(made)
    if is_flattened(structure):
        apart = zip(*[taken_apart(each)[1] for each in (structure, *others)], strict=True)
        return put_together(structure, [function(*each) for each in apart])
    parts = [function(*each) for each in zip(structure, *others, strict=True)]
    if hasattr(structure, "_fields"):
        return type(structure)(*parts)
    return type(structure)(parts) if isinstance(structure, (list, tuple)) else parts


def of_replica(number: int, structure: Structure) -> Any:
    """A structure with what a replica has in the place of distributed values. Variables stay: what
    a replica does to one depends on all of its components.
    """
    return mapped(lambda leaf: leaf.values[number] if _is_in_parts(leaf) else leaf, structure)


def _is_in_parts(leaf: object) -> bool:
    return isinstance(leaf, DistributedValues) and not isinstance(leaf, Variable)


def regroup(values: Sequence[Any], kind: type[DistributedValues] = PerReplica) -> Any:
    """The values of all replicas as one: what is the same object everywhere is itself."""
    first = values[0]
    if len(values) == 1:
        return first
    is_leaf = isinstance(first, (DistributedValues, CompositeTensor)) or is_flattened(first)
    if is_nested(first) and not is_leaf:  # TF: dataclasses are leaves of what replicas return
        for each in values[1:]:
            _check_alike(first, each)
        return _of_parts(lambda *parts: regroup(parts, kind), first, *values[1:])
    if all(each is first for each in values):
        return first
    container = container_of(first)
    if container is not None and all(container_of(each) is container for each in values):
        return container
    return kind(values)


def container_of(component: object) -> Any:
    """The distributed variable that a variable is a component of, or None. What an assignment
    returned is no component.
    """
    own = getattr(component, "__dict__", {})
    found = None if "_variable" in own else own.get("_distributed_container")
    return None if found is None else found()


def _check_alike(
    first: Sequence[Any] | dict[Any, Any], other: Sequence[Any] | dict[Any, Any]
) -> None:
    if (
        type(first) is not type(other)
        or len(first) != len(other)
        or (isinstance(first, dict) and set(first) != set(other))
    ):
        raise AssertionError(  # TF's class
            "Replicas must return values of one structure. The first returned "
            f"{first!r}, another {other!r}."
        )
