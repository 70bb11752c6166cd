"""Gradients of `ops/array/sorting.py`, `ops/array/top_k.py` and `ops/array/searching.py`."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...ops.array import searching, sorting, top_k
from ...ops.array.shaping import expand_dims
from ...ops.math.elementwise import cast, divide, equal, multiply
from ...ops.math.reduction import reduce_sum
from ...ops.op import apply
from ..rules import Recorded, gradient, not_differentiable

not_differentiable(
    top_k.IN_TOP_K, sorting.INVERT_PERMUTATION,
    searching.LOWER_BOUND, searching.UPPER_BOUND, searching.BUCKETIZE,
)  # fmt: skip


def _put_back(call: Recorded, dy: Tensor, axis: int) -> Tensor:
    """Each element's gradient where the element was."""
    attrs = {"axis": axis, "size": call.inputs[0].shape[axis]}
    return None if dy is None else apply(sorting.PUT_ALONG, (dy, call.outputs[1]), attrs)


@gradient(sorting.SORT)
def sort_grad(call: Recorded, dy: Tensor, _: object) -> Tensor:
    """Back where the elements were."""
    return _put_back(call, dy, call.attrs["axis"])


@gradient(top_k.TOP_K)
def top_k_grad(call: Recorded, dy: Tensor, _: object) -> Tensor:
    """Back where the elements were."""
    return _put_back(call, dy, -1)


@gradient(top_k.APPROX_TOP_K)
def approx_top_k_grad(call: Recorded, dy: Tensor, _: object) -> Tensor:
    """Back where the elements were."""
    return _put_back(call, dy, call.attrs["reduction_dimension"])


@gradient(sorting.NTH_ELEMENT)
def nth_element_grad(call: Recorded, dy: Tensor) -> Tensor:
    """Elements that equal the one found share its gradient."""
    x = call.inputs[0]
    chosen = cast(equal(x, expand_dims(call.outputs[0], -1)), x.dtype)
    shares = divide(chosen, reduce_sum(chosen, -1, keepdims=True))
    return multiply(shares, expand_dims(dy, -1))


@gradient(sorting.TAKE_ALONG)
def take_along_grad(call: Recorded, dy: Tensor) -> Any:
    """Back where the elements were."""
    axis = call.attrs["axis"]
    attrs = {"axis": axis, "size": call.inputs[0].shape[axis]}
    return apply(sorting.PUT_ALONG, (dy, call.inputs[1]), attrs), None


@gradient(sorting.PUT_ALONG)
def put_along_grad(call: Recorded, dy: Tensor) -> Any:
    """From where the elements went."""
    attrs = {"axis": call.attrs["axis"]}
    return apply(sorting.TAKE_ALONG, (dy, call.inputs[1]), attrs), None
