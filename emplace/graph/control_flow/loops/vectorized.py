"""`tf.vectorized_map`: what a function makes of each slice, stacked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....base import nest
from ....base.typing import TensorLike
from ....core.context import LOCAL
from ....ops.array.joining import stack
from ....ops.array.making import zeros
from ....ops.convert import to_tensor
from ....ops.infer import Spec
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
    counts = [x.shape[0] for x in tensors]
    longest = max((count for count in counts if count is not None), default=None)
    is_shared = [count == 1 and longest != 1 for count in counts]
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
        rows = [Spec(tuple(x.shape.as_list()[1:]), x.dtype) for x in moving]
        _, like = trace("vectorized", Graph(), lambda *row: on_rows(row), rows)
        return nest.map_structure(lambda x: zeros([0, *x.shape.as_list()], x.dtype), like)
    graph = LOCAL.state.target.graph  # type: ignore[attr-defined]
    _, like = trace("vectorized", graph, lambda: on_rows([x[0] for x in moving]), ())
    signature = nest.map_structure(lambda x: x.dtype, like)
    return map_fn(on_rows, moving, fn_output_signature=signature)
