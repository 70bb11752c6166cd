"""`ops.list_ops`: raw ops on lists of tensors, with arguments that may be left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import emplace.tensorflow as tf

_raw = tf.raw_ops


def _size(size: Any) -> Any:
    """A size of a shape; -1 is one that is not known."""
    value = size.value if isinstance(size, tf.compat.v1.Dimension) else size
    return -1 if value is None else value


def element_shape_of(shape: Any) -> Any:
    """A shape as raw ops on lists take it: a tensor, or numbers."""
    if tf.is_tensor(shape):
        return shape
    if isinstance(shape, tf.TensorShape):
        shape = shape.as_list() if shape else None
    if shape is None:
        return -1
    if isinstance(shape, np.ndarray | np.generic) or not shape:
        return tf.convert_to_tensor(shape, tf.int32)
    return [_size(size) for size in shape]


def _with_shape(op: Callable[..., Any], *names: str, **defaults: Any) -> Callable[..., Any]:
    """An op whose element shape may be left out, with arguments by position."""

    def call(*args: Any, **kwargs: Any) -> Any:
        given = {**defaults, **dict(zip(names, args, strict=False)), **kwargs}
        given["element_shape"] = element_shape_of(given.get("element_shape"))
        return op(**given)

    return call


def empty_tensor_list(
    element_shape: Any,
    element_dtype: Any,
    max_num_elements: int | None = None,
    name: str | None = None,
) -> Any:
    """A list without a limit unless one is given."""
    return _raw.EmptyTensorList(
        element_shape=element_shape_of(element_shape),
        element_dtype=element_dtype,
        max_num_elements=-1 if max_num_elements is None else max_num_elements,
    )


def tensor_list_from_tensor(tensor: Any, element_shape: Any, name: str | None = None) -> Any:
    """The rows of a tensor."""
    return _raw.TensorListFromTensor(
        tensor=tf.convert_to_tensor(tensor), element_shape=element_shape_of(element_shape)
    )


def tensor_list_pop_back(input_handle: Any, element_dtype: Any, name: str | None = None) -> Any:
    """What is left, and the last element."""
    return _raw.TensorListPopBack(
        input_handle=input_handle, element_shape=-1, element_dtype=element_dtype
    )


def tensor_list_scatter(
    tensor: Any,
    indices: Any,
    element_shape: Any = None,
    input_handle: Any = None,
    name: str | None = None,
) -> Any:
    """A list with rows at places, in the place of another one if it is given."""
    rows = {"tensor": tf.convert_to_tensor(tensor), "indices": indices}
    if input_handle is not None:
        return _raw.TensorListScatterIntoExistingList(input_handle=input_handle, **rows)
    return _raw.TensorListScatterV2(
        element_shape=element_shape_of(element_shape), num_elements=-1, **rows
    )


def tensor_list_concat(
    input_handle: Any, element_dtype: Any, element_shape: Any = None, name: str | None = None
) -> Any:
    """All elements behind each other."""
    return _raw.TensorListConcatV2(
        input_handle=input_handle,
        element_dtype=element_dtype,
        element_shape=element_shape_of(element_shape),
        leading_dims=tf.zeros([0], tf.int64),
    )[0]


def tensor_list_set_item(
    input_handle: Any,
    index: Any,
    item: Any,
    resize_if_index_out_of_bounds: bool = False,
    name: str | None = None,
) -> Any:
    """A list with another element at one place."""
    return _raw.TensorListSetItem(
        input_handle=input_handle,
        index=index,
        item=item,
        resize_if_index_out_of_bounds=resize_if_index_out_of_bounds,
    )


NAMES: dict[str, dict[str, Any]] = {
    "ops.list_ops": {
        "_build_element_shape": element_shape_of,
        "empty_tensor_list": empty_tensor_list,
        "tensor_list_concat": tensor_list_concat,
        "tensor_list_from_tensor": tensor_list_from_tensor,
        "tensor_list_gather": _with_shape(
            _raw.TensorListGather, "input_handle", "indices", "element_dtype", "element_shape"
        ),
        "tensor_list_get_item": _with_shape(
            _raw.TensorListGetItem, "input_handle", "index", "element_dtype", "element_shape"
        ),
        "tensor_list_pop_back": tensor_list_pop_back,
        "tensor_list_reserve": _with_shape(
            _raw.TensorListReserve, "element_shape", "num_elements", "element_dtype"
        ),
        "tensor_list_scatter": tensor_list_scatter,
        "tensor_list_set_item": tensor_list_set_item,
        "tensor_list_split": _with_shape(
            _raw.TensorListSplit, "tensor", "element_shape", "lengths"
        ),
        "tensor_list_stack": _with_shape(
            _raw.TensorListStack,
            "input_handle", "element_dtype", "num_elements", "element_shape",
            num_elements=-1,
        ),
    },
}  # fmt: skip
