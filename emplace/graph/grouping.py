"""Operations that only order others: `tf.group`, `tf.tuple`, `tf.no_op`."""

from __future__ import annotations

from typing import Any

from ..base import nest
from ..core.context import LOCAL
from ..core.tensor import Tensor
from ..ops.array.shaping import identity
from ..ops.convert import is_tensor_like, to_tensor
from ..ops.op import apply
from .graph import Operation
from .ops import NO_OP
from .scopes import control_dependencies


def no_op(name: str | None = None) -> Any:
    """An operation that does nothing (`tf.no_op`); None in eager mode."""
    return None if LOCAL.state.target.is_eager else apply(NO_OP, ())


def group(*inputs: Any, **kwargs: Any) -> Any:
    """An operation that runs after all `inputs` (`tf.group`); None in eager mode.

    Args:
        inputs: tensors, operations, or structures of them.
        kwargs: `name`, a name in graphs.

    Raises:
        TypeError: something in them is neither.
    """
    if LOCAL.state.target.is_eager:
        return None
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unknown keyword arguments: {', '.join(kwargs)}.")
    found = []
    for each in nest.flatten(inputs, expand_composites=True):
        if each is None:
            continue
        if not isinstance(each, Operation) and not is_tensor_like(each):
            raise TypeError(
                f"'inputs' should be zero or more (nested) Tensors. Received '{each}' with type "
                f"'{type(each)}'."
            )
        found.append(each if isinstance(each, Operation) else _of(each))
    with control_dependencies(found):
        return no_op(name)


def _of(value: Any) -> Any:
    """The operation, or for a variable what reads it, that makes a value."""
    return value if isinstance(value, Tensor) else to_tensor(value)


def tuple_(tensors: Any, control_inputs: Any = None, name: str | None = None) -> Any:
    """The same tensors, none of which is there before all are made (`tf.tuple`).

    Args:
        tensors: a list of tensors, or None for a place that stays None.
        control_inputs: operations that must have run as well.
        name: a name in graphs.

    Raises:
        ValueError: there is no tensor.
        TypeError: a control input is neither an operation nor a tensor.
    """
    if LOCAL.state.target.is_eager:
        return tensors
    waited = [_of(each) for each in tensors if each is not None]
    for each in control_inputs or ():
        if not isinstance(each, (Operation, Tensor)):
            raise TypeError(f"'control_inputs' must only contain Operation or Tensor. Received: "
                            f"{type(each)}")  # fmt: skip
        waited.append(each)
    if not any(each is not None for each in tensors):
        raise ValueError(f"'tensors' must have at least one Tensor. Received: {tensors}.")
    with control_dependencies([group(*waited)]):
        return [None if each is None else identity(each) for each in tensors]
