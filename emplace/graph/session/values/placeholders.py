"""`tf.compat.v1.placeholder` and its kin: tensors that are fed."""

from __future__ import annotations

from typing import Any

from ....base.dtypes import as_dtype
from ....base.shapes import TensorShape
from ....base.typing import DTypeLike, ShapeLike, TensorLike
from ....core.context import LOCAL
from ....core.tensor import Tensor
from ....ops.convert import to_tensor
from ....ops.op import apply, apply_any
from ....ops.sparse.tensor import SparseTensor
from ...representation.graph import Graph, SymbolicTensor
from ...representation.ops import PLACEHOLDER, PLACEHOLDER_WITH_DEFAULT


def placeholder(
    dtype: DTypeLike, shape: ShapeLike | None = None, name: str | None = None
) -> SymbolicTensor:
    """A tensor that must be fed (`tf.compat.v1.placeholder`).

    Args:
        dtype: its dtype.
        shape: what is known of its shape.
        name: its name.

    Raises:
        RuntimeError: in eager mode.
    """
    _graph()
    attrs = {"dtype": as_dtype(dtype), "shape": TensorShape(shape)}
    placeholder: SymbolicTensor = apply_any(PLACEHOLDER, (), attrs)
    return placeholder


def _graph() -> Graph:
    target: Any = LOCAL.state.target
    if target.is_eager:
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    graph: Graph = target.graph
    return graph


def placeholder_with_default(
    input: TensorLike, shape: ShapeLike, name: str | None = None
) -> Tensor:
    """A tensor that may be fed, and is `input` otherwise (`tf.compat.v1.placeholder_with_default`).

    Raises:
        ValueError: `shape` contradicts the shape of `input`.
    """
    attrs = {"shape": TensorShape(shape)}
    return apply(PLACEHOLDER_WITH_DEFAULT, (to_tensor(input),), attrs)


def sparse_placeholder(
    dtype: DTypeLike, shape: ShapeLike | None = None, name: str | None = None
) -> SparseTensor:
    """A sparse tensor that must be fed (`tf.compat.v1.sparse_placeholder`)."""
    rank = None if shape is None else TensorShape(shape).rank
    graph = _graph()
    parts = []
    for part, kind, dims in (
        ("values", dtype, [None]), ("indices", "int64", [None, rank]), ("shape", "int64", [rank])
    ):  # fmt: skip
        with graph.exact_name(part if name is None else f"{name}/{part}"):
            parts.append(placeholder(kind, dims))
    made = SparseTensor(parts[1], parts[0], parts[2])
    if shape is not None:
        made.set_shape(shape)
    return made
