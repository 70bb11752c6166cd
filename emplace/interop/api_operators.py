"""The operators of tensors as functions (`tf.__operators__`)."""

from __future__ import annotations

from typing import Any

from ..base.typing import TensorLike
from ..core.ragged import RaggedTensor
from ..core.tensor import Tensor
from ..ops.array.slicing import getitem as _getitem
from ..ops.convert import to_tensor
from ..ops.operators import tensor_equals, tensor_not_equals
from ..ops.ragged.pick import getitem as _ragged_getitem


def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """Returns x + y; strings are joined (`tf.__operators__.add`)."""
    return to_tensor(x) + y


def eq(self: Tensor, other: TensorLike) -> Any:
    """Returns x == y (`tf.__operators__.eq`)."""
    return tensor_equals(self, other)


def ne(self: Tensor, other: TensorLike) -> Any:
    """Returns x != y (`tf.__operators__.ne`)."""
    return tensor_not_equals(self, other)


def getitem(tensor: TensorLike, slice_spec: Any, var: Any = None) -> Any:
    """Returns x[key] (`tf.__operators__.getitem`).

    Args:
        tensor: a tensor.
        slice_spec: what stands between the brackets.
        var: not used.
    """
    return _getitem(tensor, slice_spec)


def ragged_getitem(rt_input: RaggedTensor, key: Any) -> Any:
    """Returns x[key] of a ragged tensor (`tf.__operators__.ragged_getitem`)."""
    return _ragged_getitem(rt_input, key)
