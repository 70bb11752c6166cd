"""Gradients of branches that are slices: where one finds `tf.IndexedSlices`, all give slices.

So a step on a table of which a branch looks up a few rows changes those rows only, as without the
branch. A branch with a dense gradient gives it as slices for every row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ....base import dtypes
from ....base.typing import DTypeLike, TensorLike
from ....ops.array.making import range_
from ....ops.array.shaping import shape
from ....ops.convert import convert_to_tensor, to_tensor
from ....ops.math.elementwise import cast
from ....ops.variables.indexed_slices import IndexedSlices
from ...recording.func_graph import FuncGraph
from ...representation.default_graph import as_default


def alike(bodies: Sequence[FuncGraph], found: Sequence[Sequence[Any]]) -> list[bool]:
    """Makes each branch's gradients outputs of it, in the same form in all of them.

    Returns:
        For each gradient whether it is slices: then two outputs, the slices and their places.
    """
    sliced = [
        any(type(grad) is IndexedSlices for grad in same) for same in zip(*found, strict=True)
    ]
    types = [_type_of_places(same) for same in zip(*found, strict=True)]
    for body, grads in zip(bodies, found, strict=True):
        with as_default(body):
            for grad, is_sliced, dtype in zip(grads, sliced, types, strict=True):
                parts = _as_slices(grad, dtype) if is_sliced else (to_tensor(grad),)
                body.outputs += [body.target.taken(part) for part in parts]
    return sliced


def _type_of_places(grads: Sequence[Any]) -> Any:
    """The integers that tell the places: int64 where the branches differ, as in TensorFlow."""
    seen = {grad.indices.dtype for grad in grads if type(grad) is IndexedSlices}
    return seen.pop() if len(seen) == 1 else dtypes.int64


def _as_slices(grad: TensorLike, dtype: DTypeLike) -> tuple[Any, Any]:
    if type(grad) is IndexedSlices:
        return to_tensor(grad.values), cast(grad.indices, dtype)
    whole = to_tensor(grad)
    return whole, range_(cast(shape(whole)[0], dtype))


def put_together(is_sliced: bool, outputs: Iterator[Any], source: Any) -> Any:
    """The gradient for `source`, of the next outputs of the branches' operation."""
    if not is_sliced:
        return next(outputs)
    data = source.handle_data
    whole = shape(source) if data is None else convert_to_tensor(data.dims, dtypes.int32)
    return IndexedSlices(next(outputs), next(outputs), whole)
