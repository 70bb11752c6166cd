"""`tf.vectorized_map`: what a function makes of each slice, stacked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....base import dtypes, nest
from ....base.typing import TensorLike
from ....core.context import LOCAL
from ....core.tensor import Tensor
from ....ops.array.gathering import gather
from ....ops.array.joining import stack
from ....ops.array.making import range_, zeros
from ....ops.array.shaping import shape
from ....ops.convert import to_tensor
from ....ops.infer import Spec
from ....ops.math.elementwise import cast, not_equal
from ....ops.math.reduction import reduce_max
from ...representation.graph import Graph
from ..bodies import trace
from .functional import map_fn


def vectorized_map(
    fn: Callable[..., Any],
    elems: TensorLike,
    fallback_to_while_loop: bool = True,
    warn: bool = True,
) -> Any:
    """Calls `fn` on each slice along the first axis and stacks the results
    (`tf.vectorized_map`); unlike `map_fn` it finds the dtypes of the results itself.

    Args:
        fn: takes a slice, or a structure of slices like `elems`.
        elems: a tensor or a structure of tensors, of one length or of length 1.
        fallback_to_while_loop: not needed.
        warn: not needed.

    >>> import emplace.tensorflow as tf
    >>> vectorized_map(lambda x: x * x, tf.constant([1.0, 2.0])).numpy().tolist()
    [1.0, 4.0]
    """
    tensors = [to_tensor(leaf) for leaf in nest.flatten(elems)]
    counts = [None if x.shape.rank is None else x.shape[0] for x in tensors]
    longest = max((count for count in counts if count is not None), default=None)
    is_shared = [count == 1 and (longest or 0) > 1 for count in counts]
    moving = [x for x, shared in zip(tensors, is_shared, strict=True) if not shared]

    def on_rows(rows: Any) -> Any:
        remaining = iter(rows)
        leaves = [
            x[0] if shared else next(remaining)
            for x, shared in zip(tensors, is_shared, strict=True)
        ]
        return nest.map_structure(to_tensor, fn(nest.pack_sequence_as(elems, leaves)))

    if LOCAL.state.target.is_eager:
        results = [on_rows([x[i] for x in moving]) for i in range(longest or 0)]
        if results:
            return nest.map_structure(lambda *parts: stack(parts), *results)
        # There is no row to call the function on: what it makes of one is told by a graph.
        _, like = trace("vectorized", Graph(), lambda *row: on_rows(row), _rows_of(moving))
        return nest.map_structure(lambda x: zeros([0, *x.shape.as_list()], x.dtype), like)
    graph = LOCAL.state.target.graph  # type: ignore[attr-defined]
    _, like = trace("vectorized", graph, lambda *row: on_rows(row), _rows_of(moving))
    signature = nest.map_structure(lambda x: x.dtype, like)
    if len(moving) > 1 and None in counts:  # any of them may turn out to be shared
        sizes = [shape(x)[0] for x in moving]
        steps = [cast(not_equal(size, 1), dtypes.int32) for size in sizes]
        count = reduce_max(stack(sizes))
        return map_fn(
            lambda i: on_rows([gather(x, i * step) for x, step in zip(moving, steps, strict=True)]),
            range_(count),
            fn_output_signature=signature,
        )
    return map_fn(on_rows, moving, fn_output_signature=signature)


def _rows_of(tensors: list[Tensor]) -> list[Spec]:
    """What rows of tensors are like."""
    dims = [None if x.shape.rank is None else tuple(x.shape.as_list()[1:]) for x in tensors]
    return [Spec(inner, x.dtype) for inner, x in zip(dims, tensors, strict=True)]
