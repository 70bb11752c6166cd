"""`tf.compat.v1.placeholder` and its kin: tensors that are fed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....base import dtypes
from ....base.dtypes import as_dtype
from ....base.shapes import TensorShape
from ....base.typing import DTypeLike, ShapeLike, TensorLike
from ....core.context import LOCAL
from ....core.tensor import Tensor
from ....ops.convert import to_tensor
from ....ops.op import apply, apply_any
from ....ops.ragged.making import make_ragged
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


def ragged_placeholder(
    dtype: DTypeLike, ragged_rank: int, value_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Makes a ragged tensor that must be fed (`tf.compat.v1.ragged.placeholder`).

    Args:
        dtype: of its values.
        ragged_rank: the number of its partitions; 0 makes a placeholder of a tensor.
        value_shape: the shape of each value below them.
        name: its parts are called NAME/flat_values, NAME/row_splits_0 and so on.

    Raises:
        RuntimeError: in eager mode.
    """
    graph = _graph()
    if ragged_rank == 0:
        with graph.exact_name("Placeholder" if name is None else name):
            return placeholder(dtype, value_shape)
    known = TensorShape(value_shape)

    def part(called: str, kind: DTypeLike, shape: ShapeLike | None) -> Any:
        with graph.exact_name(f"{name or 'RaggedPlaceholder'}/{called}"):
            return placeholder(kind, shape)

    flat_shape = None if known.rank is None else [None, *known.as_list()]
    values = part("flat_values", dtype, flat_shape)
    for i in reversed(range(ragged_rank)):
        values = make_ragged(values, part(f"row_splits_{i}", "int64", [None]))
    return values


def sparse_placeholder(
    dtype: DTypeLike, shape: ShapeLike | None = None, name: str | None = None
) -> SparseTensor:
    """A sparse tensor that must be fed (`tf.compat.v1.sparse_placeholder`).

    Args:
        dtype: of its values.
        shape: its dense shape, a tensor or sizes, where None is any; a feed without a shape has
            this one, with -1 where it says None. None: every feed tells its own.
        name: its parts are called NAME/shape, NAME/values and NAME/indices.
    """
    graph = _graph()

    def called(part: str, alone: str = "Placeholder") -> Any:
        return graph.exact_name(alone if name is None else f"{name}/{part}")

    if shape is None:
        with called("shape"):
            sizes = placeholder("int64", [None])
    else:
        sizes = _default_sizes(shape, called)
    rank = sizes.shape.as_list()[0]
    parts = []
    for part, kind, dims in ("values", dtype, [None]), ("indices", "int64", [None, rank]):
        with called(part):
            parts.append(placeholder(kind, dims))
    sparse = SparseTensor(parts[1], parts[0], sizes)
    if shape is not None and not isinstance(shape, Tensor):
        sparse.set_shape(shape)
    return sparse


def _default_sizes(shape: ShapeLike | Tensor, called: Callable[..., Any]) -> Any:
    """What may be fed for the dense shape of a sparse tensor."""
    given: Any = shape
    if not isinstance(shape, Tensor):
        sizes = TensorShape(shape).as_list()
        with called("shape_default", "Const"):
            given = to_tensor([-1 if size is None else size for size in sizes], dtypes.int64)
    with called("shape", "PlaceholderWithDefault"):
        return placeholder_with_default(given, given.shape)
