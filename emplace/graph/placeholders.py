"""`tf.compat.v1.placeholder` and its kin: tensors that are fed."""

from __future__ import annotations

from typing import Any

from ..base.dtypes import as_dtype
from ..base.shapes import TensorShape
from ..core.context import LOCAL
from ..ops.convert import to_tensor
from ..ops.op import apply
from ..ops.sparse.tensor import SparseTensor
from .graph import SymbolicTensor
from .ops import PLACEHOLDER, PLACEHOLDER_WITH_DEFAULT


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SymbolicTensor:
    """A tensor that must be fed (`tf.compat.v1.placeholder`).

    Args:
        dtype: its dtype.
        shape: what is known of its shape.
        name: its name.

    Raises:
        RuntimeError: in eager mode.
    """
    if LOCAL.state.target.is_eager:
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    attrs = {"dtype": as_dtype(dtype), "shape": TensorShape(shape)}
    return apply(PLACEHOLDER, (), attrs)  # type: ignore[no-any-return]


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Any:
    """A tensor that may be fed, and is `input` otherwise (`tf.compat.v1.placeholder_with_default`).

    Raises:
        ValueError: `shape` contradicts the shape of `input`.
    """
    attrs = {"shape": TensorShape(shape)}
    return apply(PLACEHOLDER_WITH_DEFAULT, (to_tensor(input),), attrs)


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor that must be fed (`tf.compat.v1.sparse_placeholder`)."""
    rank = None if shape is None else TensorShape(shape).rank
    stem = "" if name is None else f"{name}/"
    values = placeholder(dtype, [None], name=f"{stem}values")
    indices = placeholder("int64", [None, rank], name=f"{stem}indices")
    dense_shape = placeholder("int64", [rank], name=f"{stem}shape")
    return SparseTensor(indices, values, dense_shape)
