"""Gradients of ops on lists of tensors.

The gradient of a list is a list, in which None is zeros and which ends where no gradient follows:
so no rule needs to know how long the list was.
"""

from __future__ import annotations

from typing import Any

from ...base import dtypes
from ...core.symbolic_value import SymbolicValue
from ...core.tensor import Tensor
from ...ops.arguments import known_int, static_ints
from ...ops.array import tensor_list as ops
from ...ops.array.shaping import shape
from ...ops.op import apply
from ..rules import Recorded, gradient, is_trainable, not_differentiable

not_differentiable(ops.RESERVE, ops.LENGTH, ops.EMPTY)


def _sizes(x: Any, axis: int = 0) -> Any:
    """The dimensions of a tensor from an axis on, as numbers or as what waits for them."""
    if x.dtype is dtypes.variant:
        return ()
    found: Any = static_ints(shape(x), "a shape")
    return found[axis:] if isinstance(found, tuple) else static_ints(shape(x)[axis:], "a shape")


def _dtype(call: Recorded) -> dict[str, Any]:
    return {"element_dtype": call.attrs["element_dtype"]}


def _is_for_integers(call: Recorded) -> bool:
    return not is_trainable(call.attrs["element_dtype"])


def _get(grads: Tensor, index: SymbolicValue, like: Tensor, call: Recorded) -> Tensor:
    attrs = {"index": index, "element_shape": _sizes(like), "is_gradient": True, **_dtype(call)}
    return apply(ops.GET_ITEM, (grads,), attrs)


@gradient(ops.GET_ITEM)
def get_item_grad(call: Recorded, dy: Tensor) -> Tensor:
    """Of an element: to its place."""
    return apply(ops.ONE_ITEM, (dy,), {"index": call.attrs["index"], **_dtype(call)})


@gradient(ops.ONE_ITEM)
def one_item_grad(call: Recorded, grads: Tensor) -> Any:
    """Of the gradient of an element."""
    return _get(grads, call.attrs["index"], call.inputs[0], call)


@gradient(ops.SET_ITEM)
def set_item_grad(call: Recorded, grads: Tensor) -> Any:
    """Of a replaced element: to the new one, nothing to the old one."""
    if _is_for_integers(call):
        return None, None
    index = call.attrs["index"]
    # In this order, so that the second may change the list.
    item = _get(grads, index, call.inputs[1], call) if call.needs(1) else None
    rest = apply(ops.WITHOUT, (grads,), {"indices": (index,)}) if call.needs(0) else None
    return rest, item


@gradient(ops.WITHOUT)
def without_grad(call: Recorded, grads: Tensor) -> Any:
    """Of a list without some elements."""
    return apply(ops.WITHOUT, (grads,), {"indices": call.attrs["indices"]})


@gradient(ops.RESIZE)
def resize_grad(call: Recorded, grads: Tensor) -> Any:
    """Of a longer or shorter list: elements that are not there have no gradient."""
    return apply(ops.RESIZE, (grads,), {"size": call.attrs["size"]})


@gradient(ops.STACK)
def stack_grad(call: Recorded, dy: Tensor) -> Tensor:
    """Of the whole: its slices."""
    return apply(ops.FROM_TENSOR, (dy,), _dtype(call))


@gradient(ops.FROM_TENSOR)
def from_tensor_grad(call: Recorded, grads: Tensor) -> Any:
    """Of the slices: the whole."""
    if _is_for_integers(call):
        return None
    tensor = call.inputs[0]
    count = tensor.shape[0] if tensor.shape.rank else None
    count = known_int(shape(tensor)[0]) if count is None else count
    attrs = {"element_shape": _sizes(tensor, 1), "num_elements": count, "is_gradient": True}
    return apply(ops.STACK, (grads,), {**attrs, **_dtype(call)})


@gradient(ops.OF_TENSORS)
def of_tensors_grad(call: Recorded, grads: Tensor) -> Any:
    """Of a list: its elements."""
    if _is_for_integers(call):
        return [None] * len(call.inputs)
    return [_get(grads, place, x, call)
            for place, x in zip(call.attrs["places"], call.inputs, strict=True)]  # fmt: skip


@gradient(ops.GATHER)
def gather_grad(call: Recorded, dy: Tensor) -> Any:
    """Of some elements: to their places, added up where one was taken twice."""
    return apply(ops.PICKED, (dy,), {"indices": call.attrs["indices"], **_dtype(call)})


def _gathered(call: Recorded, grads: Tensor, like: Tensor) -> Any:
    attrs = {"indices": call.attrs["indices"], "element_shape": _sizes(like, 1)}
    return apply(ops.GATHER, (grads,), {**attrs, "is_gradient": True, **_dtype(call)})


@gradient(ops.PICKED)
def picked_grad(call: Recorded, grads: Tensor) -> Any:
    """Of the gradient of some elements."""
    return _gathered(call, grads, call.inputs[0])


@gradient(ops.SCATTER)
def scatter_grad(call: Recorded, grads: Tensor) -> Any:
    """Of elements replaced by slices."""
    if _is_for_integers(call):
        return None, None
    rest = apply(ops.WITHOUT, (grads,), {"indices": call.attrs["indices"]})
    return rest, _gathered(call, grads, call.inputs[1])


@gradient(ops.CONCAT_LIST)
def concat_list_grad(call: Recorded, dy: Tensor) -> Any:
    """Of elements put together: parts as long as they are."""
    return apply(ops.SPLIT_LIKE, (dy, call.inputs[0]), _dtype(call))


@gradient(ops.SPLIT_LIKE)
def split_like_grad(call: Recorded, grads: Tensor) -> Any:
    """Of the gradient of elements put together."""
    attrs = {"element_shape": None, **_dtype(call)}
    return apply(ops.CONCAT_LIST, (grads,), attrs), None


@gradient(ops.SPLIT_LIST)
def split_list_grad(call: Recorded, grads: Tensor) -> Any:
    """Of parts: put together."""
    if _is_for_integers(call):
        return None
    attrs = {"lengths": call.attrs["lengths"], **_dtype(call)}
    return apply(ops.JOINED, (grads, call.inputs[0]), attrs)


@gradient(ops.JOINED)
def joined_grad(call: Recorded, dy: Tensor) -> Any:
    """Of the gradient of parts."""
    attrs = {"lengths": call.attrs["lengths"], "element_shape": None, **_dtype(call)}
    return apply(ops.SPLIT_LIST, (dy,), attrs), None


@gradient(ops.FILLED)
def filled_grad(call: Recorded, grads: Tensor) -> Any:
    """Of a gradient with its zeros written out."""
    return grads, None
