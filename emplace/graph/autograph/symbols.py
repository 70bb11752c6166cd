"""Variables of converted code: which are undefined, and what of their values graphs can carry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from malt.operators.variables import Undefined, UndefinedReturnValue

from ...base import nest
from ...base.shapes import TensorShape
from ...base.typing import TensorLike
from ...core.composite import CompositeTensor
from ...core.context import LOCAL
from ...core.tensor import EagerTensor, Tensor
from ...ops.convert import is_tensor_like, to_tensor
from ..representation.graph import SymbolicTensor

_NUMBERS = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)


def in_graph() -> bool:
    """Whether a graph takes ops now."""
    return not LOCAL.state.target.is_eager


def is_symbolic(value: object) -> bool:
    """Whether the value is known only when the graph runs: a tensor, or a variable's."""
    if isinstance(value, SymbolicTensor):
        return True
    if isinstance(value, (bool, int, str, EagerTensor)) or value is None:
        return False
    return in_graph() and is_variable(value)


def is_tensor(value: object) -> bool:
    """Whether the value is a tensor of any kind, also a ragged or sparse one, of a graph."""
    if isinstance(value, CompositeTensor):
        return in_graph() and value.is_tensor
    return is_symbolic(value)


def is_variable(value: object) -> bool:
    """Whether it is a tf.Variable."""
    return not isinstance(value, (Tensor, type)) and is_tensor_like(value) and (
        hasattr(value, "handle")
    )  # fmt: skip


def is_undefined(value: object) -> bool:
    """Whether a variable has no value yet."""
    return isinstance(value, (Undefined, UndefinedReturnValue))


def is_return(value: object) -> bool:
    """Whether it stands for what a function has not returned yet."""
    return isinstance(value, UndefinedReturnValue)


def is_carried(leaf: object) -> bool:
    """Whether a graph carries this leaf of a value as a tensor."""
    return isinstance(leaf, (Tensor, *_NUMBERS))


def flat(value: object) -> list[Any]:
    """The leaves of a value; undefined variables have none."""
    if is_undefined(value):
        return []
    return list(nest.flatten(value, expand_composites=True))


def read(values: Sequence[Any]) -> list[Any]:
    """The values with tensors, read now, in the place of variables. TF: no branch or loop of a
    graph has a tf.Variable as its result.
    """
    return [
        nest.map_structure(_read_leaf, value)
        if not is_undefined(value) and any(map(is_variable, nest.flatten(value)))
        else value
        for value in values
    ]


def _read_leaf(leaf: Any) -> Any:
    return to_tensor(leaf) if is_variable(leaf) else leaf


def carried(values: Sequence[Any]) -> list[Any]:
    """The leaves of some values that graphs carry, as tensors."""
    return [to_tensor(leaf) for value in values for leaf in flat(value) if is_carried(leaf)]


def packed(values: Sequence[Any], tensors: Sequence[Any]) -> list[Any]:
    """Values like `values` with other tensors in them."""
    remaining = iter(tensors)
    made = []
    for value in values:
        if is_undefined(value):
            made.append(value)
            continue
        leaves = [next(remaining) if is_carried(leaf) else leaf for leaf in flat(value)]
        made.append(nest.pack_sequence_as(value, leaves, expand_composites=True))
    return made


def structure_problem(one: object, other: TensorLike) -> str | None:
    """Why two values do not have the same structure; None if they do."""
    try:
        nest.assert_same_structure(one, other, expand_composites=True)
    except (TypeError, ValueError) as error:
        return str(error)
    return None


def dtype_of(leaf: Any) -> Any:
    """The dtype that a leaf has in graphs."""
    return leaf.dtype if isinstance(leaf, Tensor) else to_tensor(leaf).dtype


def shape_of(leaf: Any) -> TensorShape:
    """The shape that a leaf has in graphs."""
    found: TensorShape = leaf.shape if isinstance(leaf, Tensor) else to_tensor(leaf).shape
    return found
