"""Operations that stand for others having run: `no_op`, `group` and `tuple`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.typing import TensorLike
from ...core.context import LOCAL
from ...core.tensor import AnyTensor
from ...ops.array.shaping import identity
from ...ops.convert import is_tensor_like, to_tensor
from ...ops.debugging.checks import NO_OP
from ...ops.op import apply
from ...ops.variables.indexed_slices import IndexedSlices
from ..representation.graph import Operation
from .scopes import control_dependencies, current_graph


def no_op(name: str | None = None) -> Any:
    """An operation that does nothing (`tf.no_op`); None in eager mode."""
    return None if LOCAL.state.target.is_eager else apply(NO_OP, ())


def group(*inputs: Any, **kwargs: Any) -> Any:
    """An operation after which all of `inputs` have run (`tf.group`); None in eager mode.

    Args:
        *inputs: tensors, operations or variables, or lists of them.
        name: its name.

    Raises:
        ValueError: another keyword argument.
        TypeError: an input is something else.
    """
    graph = current_graph()
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unknown keyword arguments: {', '.join(kwargs)}.")
    if graph is None:
        return None
    operations = [graph.as_operation(_checked(each)) for each in _laid_flat(inputs)]
    with graph.control_dependencies(operations), graph.exact_name(name or "group_deps"):
        return apply(NO_OP, ())


def _laid_flat(inputs: Sequence[Any]) -> list[Any]:
    found: list[Any] = []
    for each in inputs:
        found += _laid_flat(each) if isinstance(each, (list, tuple)) else [each]
    return [each for each in found if each is not None]


def _checked(value: TensorLike) -> Any:
    if isinstance(value, IndexedSlices):
        return value.values
    if isinstance(value, Operation) or hasattr(value, "op"):
        return value
    if is_tensor_like(value):  # a variable that was assigned
        return to_tensor(value)
    raise TypeError(
        "'inputs' should be zero or more (nested) Tensors. Received "
        f"'{value!r}' with type '{type(value)}'."
    )


def tuple_(tensors: Any, control_inputs: Any = None, name: str | None = None) -> list[Any]:
    """The same tensors, none of which is there before all are (`tf.tuple`).

    Args:
        tensors: tensors, slices or None.
        control_inputs: what must have run, too.
        name: a name scope.

    Raises:
        ValueError: `tensors` has no tensor.
        TypeError: a control input is neither an operation nor a tensor.
    """
    graph = current_graph()
    if graph is None:
        return list(tensors)
    values = [each if each is None or isinstance(each, (IndexedSlices, Operation))
              else to_tensor(each) for each in tensors]  # fmt: skip
    first = [each for each in values if each is not None]
    if not any(isinstance(each, (AnyTensor, IndexedSlices)) for each in first):
        raise ValueError(f"`tensors` must have at least one Tensor. Received: {tensors}.")
    with graph.name_scope(name or "tuple"):
        gate = group(*first, *(control_inputs or ()))
        return [_behind(gate, each) for each in values]


def _behind(gate: Operation, value: object) -> Any:
    if value is None or isinstance(value, Operation):
        return value if value is None else gate
    if isinstance(value, IndexedSlices):
        return IndexedSlices(_behind(gate, value.values), value.indices, value.dense_shape)
    graph: Any = current_graph()
    with control_dependencies([gate]), graph.exact_name("control_dependency"):
        return identity(value)
