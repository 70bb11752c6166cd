"""What converted code with `Feature.LISTS` does with lists: arrays of tensors are lists, too, and
items of arrays and tensors may be assigned.
"""

from __future__ import annotations

from typing import Any

from malt.operators import data_structures, slices

from ...core.tensor import Tensor
from ...ops.array.scattering import tensor_scatter_nd_update
from ...ops.array.tensor_array import TensorArray
from .symbols import is_symbolic


def list_append(list_: Any, x: Any) -> Any:
    """`list.append(x)`; returns the list to go on with."""
    if isinstance(list_, TensorArray):
        return list_.write(list_.size(), x)
    return data_structures.list_append(list_, x)


def get_item(target: Any, i: Any, opts: Any) -> Any:
    """`target[i]`."""
    if isinstance(target, TensorArray):
        return target.read(i)
    return slices.get_item(target, i, opts)


def set_item(target: Any, i: Any, x: Any) -> Any:
    """`target[i] = x`; returns what to go on with."""
    if isinstance(target, TensorArray):
        return target.write(i, x)
    if isinstance(target, Tensor) and is_symbolic(target):
        return tensor_scatter_nd_update(target, [[i]], [x])
    return slices.set_item(target, i, x)
