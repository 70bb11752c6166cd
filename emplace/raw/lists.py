"""Rows of raw ops on lists, maps and stacks of tensors, and on arrays of tensors.

A list knows the type and the shape of its elements, as TensorFlow's do; ours, which graphs keep
loops' values in, do not.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ..base import dtypes
from ..base.dtypes import DType, as_dtype, runtime_name
from ..base.errors import invalid_argument
from ..base.shapes import TensorShape, runtime_text
from ..core.tensor_list import TensorList
from ..ops.array.joining import concat_kernel, pack_kernel
from ..ops.infer import Spec, nothing
from .rows import Row, kernel

Raw = Any


class TypedList(TensorList):
    """A list that knows what its elements are."""

    __slots__ = ("element_dtype", "element_shape", "most")

    def __init__(
        self, items: list[Any], element_dtype: DType, element_shape: TensorShape, most: int = -1
    ) -> None:
        super().__init__(items)
        self.element_dtype = element_dtype
        self.element_shape = element_shape
        self.most = most

    def __repr__(self) -> str:
        return "<TensorList>"

    def with_items(self, items: list[Any]) -> TypedList:
        """The same kind of list of other elements."""
        return TypedList(items, self.element_dtype, self.element_shape, self.most)


def _shape(given: Raw) -> TensorShape:
    """A shape as raw ops take it: a vector with -1 for unknown sizes, or -1 for an unknown rank."""
    if given.ndim == 0:
        if int(given) != -1:
            raise invalid_argument(
                "The only valid scalar shape tensor is the fully unknown shape specified as -1."
            )
        return TensorShape(None)
    return TensorShape([None if size < 0 else size for size in given.tolist()])


def _dtype_of(item: Raw) -> DType:
    return dtypes.string if isinstance(item, np.ndarray) else as_dtype(item.dtype)


def _check_type(handle: TensorList, dtype: DType) -> TypedList:
    if not isinstance(handle, TypedList):
        raise NotImplementedError(
            "A list of a loop or of a tf.TensorArray is no list of tf.raw_ops. Use tf.TensorArray."
        )
    if handle.element_dtype is not dtype:
        raise invalid_argument(
            f"Invalid data types; op elements {runtime_name(dtype)} but list elements "
            f"{runtime_name(handle.element_dtype)}"
        )
    return handle


def _check_item(handle: TypedList, item: Raw) -> None:
    if not handle.element_shape.is_compatible_with(tuple(item.shape)):
        raise invalid_argument(
            "Tried to set a tensor with incompatible shape at a list index. Item element shape: "
            f"{runtime_text(tuple(item.shape))} list shape: {handle.element_shape}"
        )


def _zeros(dims: Sequence[int], dtype: DType) -> Raw:
    if dtype is dtypes.string:
        return np.full(tuple(dims), b"", object)
    return torch.zeros(tuple(dims), dtype=dtype.torch)


def _merged(handle: TypedList, wanted: TensorShape) -> TensorShape:
    if not handle.element_shape.is_compatible_with(wanted):
        raise invalid_argument(
            f"Tried to read elements of shape {wanted} from a list with non-compatible element "
            f"shape: {handle.element_shape}"
        )
    shape = handle.element_shape.merge_with(wanted)
    for each in handle.items:
        if each is not None:
            if not shape.is_compatible_with(tuple(each.shape)):
                raise invalid_argument(
                    f"Incompatible shapes during merge: {shape} vs. "
                    f"{runtime_text(tuple(each.shape))}"
                )
            shape = shape.merge_with(TensorShape(each.shape))
    return shape


def empty_kernel(element_shape: Raw, max_num_elements: Raw, *, element_dtype: DType) -> TypedList:
    """A list without elements."""
    if max_num_elements.ndim:
        raise invalid_argument(
            "max_num_elements expected to be a scalar but got shape: "
            f"{runtime_text(max_num_elements.shape)}"
        )
    return TypedList([], element_dtype, _shape(element_shape), int(max_num_elements))


def reserve_kernel(element_shape: Raw, num_elements: Raw, *, element_dtype: DType) -> TypedList:
    """A list of elements that nobody wrote."""
    count = int(num_elements)
    if count < 0:
        raise invalid_argument(
            f"The num_elements to reserve must be a non negative number, but got {count}"
        )
    return TypedList([None] * count, element_dtype, _shape(element_shape))


def from_tensor_kernel(tensor: Raw, element_shape: Raw) -> TypedList:
    """The slices along the first axis."""
    if tensor.ndim == 0:
        raise invalid_argument("Tensor must be at least a vector, but saw shape: []")
    shape = _shape(element_shape)
    if not shape.is_compatible_with(tuple(tensor.shape[1:])):
        raise invalid_argument(
            f"Specified a list with shape {shape} from a tensor with shape "
            f"{runtime_text(tuple(tensor.shape[1:]))}"
        )
    return TypedList([_part(tensor, i) for i in range(len(tensor))], _dtype_of(tensor), shape)


def _part(tensor: Raw, i: int) -> Raw:
    return np.asarray(tensor[i], object) if isinstance(tensor, np.ndarray) else tensor[i].clone()


def length_kernel(input_handle: TypedList) -> Raw:
    """How many elements there are."""
    return torch.tensor(len(input_handle.items), dtype=torch.int32)


def get_kernel(
    input_handle: TypedList, index: Raw, element_shape: Raw, *, element_dtype: DType
) -> Raw:
    """One element; zeros where nobody wrote."""
    handle, i = _check_type(input_handle, element_dtype), int(index)
    if not 0 <= i < len(handle.items):
        raise invalid_argument(
            f"Trying to access element {i} in a list with {len(handle.items)} elements."
        )
    if handle.items[i] is not None:
        return handle.items[i]
    shape = _merged(handle, _shape(element_shape))
    if not shape.is_fully_defined():
        raise invalid_argument(
            "Trying to read an uninitialized tensor but element_shape is not fully defined: "
            f"{shape} and no list element is set."
        )
    return _zeros(shape.as_list(), element_dtype)


def set_kernel(
    input_handle: TypedList, index: Raw, item: Raw, *, resize_if_index_out_of_bounds: bool
) -> TypedList:
    """The list with one element replaced."""
    handle, i = _check_type(input_handle, _dtype_of(item)), int(index)
    items = list(handle.items)
    if resize_if_index_out_of_bounds and i >= len(items):
        items += [None] * (i + 1 - len(items))
    if not 0 <= i < len(items):
        raise invalid_argument(
            f"Trying to modify element {i} in a list with {len(items)} elements."
        )
    _check_item(handle, item)
    items[i] = item
    return handle.with_items(items)


def push_kernel(input_handle: TypedList, tensor: Raw) -> TypedList:
    """The list with one element more."""
    handle = _check_type(input_handle, _dtype_of(tensor))
    _check_item(handle, tensor)
    if 0 <= handle.most <= len(handle.items):
        raise invalid_argument(
            f"Tried to push item into a full list list size: {len(handle.items)} "
            f"max_num_elements: {handle.most}"
        )
    return handle.with_items([*handle.items, tensor])


def pop_kernel(
    input_handle: TypedList, element_shape: Raw, *, element_dtype: DType
) -> tuple[TypedList, Raw]:
    """The list without its last element, and that."""
    handle = _check_type(input_handle, element_dtype)
    if not handle.items:
        raise invalid_argument("Trying to pop from an empty list.")
    last = len(handle.items) - 1
    item = get_kernel(handle, np.int32(last), element_shape, element_dtype=element_dtype)
    return handle.with_items(handle.items[:-1]), item


def stack_kernel(
    input_handle: TypedList, element_shape: Raw, *, element_dtype: DType, num_elements: int
) -> Raw:
    """All elements along a new first axis."""
    handle = _check_type(input_handle, element_dtype)
    if num_elements not in (-1, len(handle.items)):
        raise invalid_argument(
            f"Operation expected a list with {num_elements} elements but got a list with "
            f"{len(handle.items)} elements."
        )
    return _stacked(handle, handle.items, _shape(element_shape))


def _stacked(handle: TypedList, items: Sequence[Any], wanted: TensorShape) -> Raw:
    shape = _merged(handle, wanted)
    if not shape.is_fully_defined():
        raise invalid_argument(
            f"Tried to stack list which only contains uninitialized tensors and has a "
            f"non-fully-defined element_shape: {shape}"
            if items
            else f"Tried to stack elements of an empty list with non-fully-defined element_shape: "
            f"{shape}"
        )
    if not items:
        return _zeros((0, *shape.as_list()), handle.element_dtype)
    filled = [_zeros(shape.as_list(), handle.element_dtype) if x is None else x for x in items]
    return pack_kernel(*filled, axis=0)


def gather_kernel(
    input_handle: TypedList, indices: Raw, element_shape: Raw, *, element_dtype: DType
) -> Raw:
    """Some elements along a new first axis."""
    handle = _check_type(input_handle, element_dtype)
    for i in indices.tolist():
        if not 0 <= i < len(handle.items):
            raise invalid_argument(
                f"Index {i} out o range; list only has {len(handle.items)} elements."
            )
    chosen = [handle.items[i] for i in indices.tolist()]
    return _stacked(handle, chosen, _shape(element_shape))


def scatter_into_kernel(input_handle: TypedList, tensor: Raw, indices: Raw) -> TypedList:
    """The list with slices of a tensor at some places."""
    handle = _check_type(input_handle, _dtype_of(tensor))
    return handle.with_items(_scattered(list(handle.items), tensor, indices.tolist()))


def _scattered(items: list[Any], tensor: Raw, indices: list[int]) -> list[Any]:
    if len(indices) != len(tensor):
        raise invalid_argument(
            f"Invalid number of rows in input tensor. Expected at least: {len(indices)}. Actual: "
            f"{len(tensor)}"
        )
    if any(i < 0 for i in indices):
        raise invalid_argument("Indices in TensorListScatter must all be non-negative.")
    items += [None] * (max(indices, default=-1) + 1 - len(items))
    for place, i in enumerate(indices):
        items[i] = _part(tensor, place)
    return items


def scatter_kernel(tensor: Raw, indices: Raw, element_shape: Raw) -> TypedList:
    """A list with slices of a tensor at some places."""
    return scatter_v2_kernel(tensor, indices, element_shape, np.int32(-1))


def scatter_v2_kernel(
    tensor: Raw, indices: Raw, element_shape: Raw, num_elements: Raw
) -> TypedList:
    """The same, of a length."""
    count = int(num_elements)
    places = indices.tolist()
    if count >= 0 and any(i >= count for i in places):
        raise invalid_argument(
            f"TensorListScatter: Trying to scatter at index {max(places)} in list with size {count}"
        )
    items = _scattered([None] * max(count, 0), tensor, places)
    return TypedList(items, _dtype_of(tensor), _shape(element_shape))


def resize_kernel(input_handle: TypedList, size: Raw) -> TypedList:
    """The list with elements added or taken away at its end."""
    count = int(size)
    if count < 0:
        raise invalid_argument(f"TensorListSlice expects size to be non-negative. Got: {count}")
    items = list(input_handle.items[:count])
    return input_handle.with_items(items + [None] * (count - len(items)))


def element_shape_kernel(input_handle: TypedList, *, shape_type: DType) -> Raw:
    """The shape of the elements."""
    shape = input_handle.element_shape
    if shape.rank is None:
        return torch.tensor(-1, dtype=shape_type.torch)
    sizes = [-1 if size is None else size for size in shape.as_list()]
    return torch.tensor(sizes, dtype=shape_type.torch)


def join_kernel(input_a: TypedList, input_b: TypedList, *, element_dtype: DType) -> TypedList:
    """One list behind the other."""
    one, other = (_check_type(each, element_dtype) for each in (input_a, input_b))
    return one.with_items([*one.items, *other.items])


def split_kernel(tensor: Raw, element_shape: Raw, lengths: Raw) -> TypedList:
    """Parts along the first axis, of these lengths."""
    begin, items = 0, []
    for length in lengths.tolist():
        if length < 0:
            raise invalid_argument(f"Invalid value in lengths: {length}")
        if begin + length > len(tensor):
            raise invalid_argument(
                f"Attempting to slice [{begin}, {begin + length}] from tensor with length "
                f"{len(tensor)}"
            )
        items.append(tensor[begin : begin + length])
        begin += length
    if begin != len(tensor):
        raise invalid_argument(
            f"Unused values in tensor. Length of tensor: {len(tensor)} Values used: {begin}"
        )
    return TypedList(items, _dtype_of(tensor), _shape(element_shape))


def concat_list_kernel(
    input_handle: TypedList, *, element_dtype: DType, element_shape: TensorShape
) -> tuple[Raw, Raw]:
    """All elements one after the other, and how long each is."""
    handle = _check_type(input_handle, element_dtype)
    items = handle.items
    if any(each is None for each in items) or not items:
        shape = _merged(handle, element_shape)
        if not shape.is_fully_defined() or not shape.rank:
            raise invalid_argument(
                f"All except the first dimension must be fully defined when concating an empty "
                f"tensor list. element_shape: {shape}"
            )
        if not items:
            none = _zeros((0, *shape.as_list()[1:]), element_dtype)
            return none, torch.zeros(0, dtype=torch.int64)
        items = [_zeros(shape.as_list(), element_dtype) if x is None else x for x in items]
    for i, each in enumerate(items):
        if not each.shape:
            raise invalid_argument(
                f"Concat saw a scalar shape at index {i} but requires at least vectors."
            )
    lengths = torch.tensor([len(each) for each in items], dtype=torch.int64)
    return concat_kernel(*items, axis=0), lengths


def concat_v2_kernel(
    input_handle: TypedList, element_shape: Raw, leading_dims: Raw, *, element_dtype: DType
) -> tuple[Raw, Raw]:
    """The same. `leading_dims` are the lengths of elements that nobody wrote."""
    handle = _check_type(input_handle, element_dtype)
    sizes, items = leading_dims.tolist(), list(handle.items)
    shape = _shape(element_shape)
    for i, each in enumerate(items):
        if each is None and i < len(sizes):
            dims = _merged(handle, shape).as_list()
            items[i] = _zeros((sizes[i], *dims[1:]), element_dtype)
    return concat_list_kernel(
        handle.with_items(items), element_dtype=element_dtype, element_shape=shape
    )


# -- maps -----------------------------------------------------------------------------------------


class TensorMap(TensorList):
    """A dictionary of tensors, which never changes."""

    __slots__ = ("entries",)

    def __init__(self, entries: dict[Any, tuple[Any, Any]]) -> None:
        super().__init__([])
        self.entries = entries

    def __repr__(self) -> str:
        return "<TensorMap>"


def _key(key: Raw) -> Any:
    if isinstance(key, np.ndarray):
        return "string", key.shape, tuple(key.reshape(-1).tolist())
    return key.dtype, tuple(key.shape), tuple(key.reshape(-1).tolist())


def map_insert_kernel(input_handle: TensorMap, key: Raw, value: Raw) -> TensorMap:
    """The map with one entry more, or another value."""
    return TensorMap({**input_handle.entries, _key(key): (key, value)})


def map_lookup_kernel(input_handle: TensorMap, key: Raw, *, value_dtype: DType) -> Raw:
    """The value of a key."""
    if _key(key) not in input_handle.entries:
        raise invalid_argument("Trying to lookup non-existent key.")
    return input_handle.entries[_key(key)][1]


def map_erase_kernel(input_handle: TensorMap, key: Raw) -> TensorMap:
    """The map without a key."""
    if _key(key) not in input_handle.entries:
        raise invalid_argument("Trying to erase non-existent item.")
    return TensorMap({k: v for k, v in input_handle.entries.items() if k != _key(key)})


def map_has_kernel(input_handle: TensorMap, key: Raw) -> Raw:
    """Whether there is a key."""
    return torch.tensor(_key(key) in input_handle.entries)


def map_keys_kernel(input_handle: TensorMap, *, key_dtype: DType) -> Raw:
    """All keys along a new first axis."""
    if not input_handle.entries:
        raise invalid_argument("TensorMapStackKeys cannot be called on empty map.")
    return pack_kernel(*[key for key, _ in input_handle.entries.values()], axis=0)


# -- stacks ---------------------------------------------------------------------------------------


class Stack:
    """What a handle of a stack stands for."""

    shape = ()

    def __init__(self, most: int, element_dtype: DType) -> None:
        self.most, self.element_dtype = most, element_dtype
        self.items: list[Any] = []
        self.is_closed = False


def stack_v2_kernel(max_size: Raw, *, elem_type: DType) -> Stack:
    """A new stack."""
    return Stack(int(max_size), elem_type)


def stack_push_kernel(handle: Stack, elem: Raw) -> Raw:
    """Puts an element on top, and returns it."""
    if _dtype_of(elem) is not handle.element_dtype:
        raise invalid_argument(
            f"Must have type {runtime_name(handle.element_dtype)} but got "
            f"{runtime_name(_dtype_of(elem))}"
        )
    if 0 <= handle.most <= len(handle.items):
        raise invalid_argument(f"Stack[stack] overflowed its max_size ({handle.most})")
    handle.items.append(elem)
    return elem


def stack_pop_kernel(handle: Stack, *, elem_type: DType) -> Raw:
    """Takes the element on top."""
    if not handle.items:
        raise invalid_argument("Stack[stack] is empty when calling Pop().")
    return handle.items.pop()


def stack_close_kernel(handle: Stack) -> None:
    """Forgets the elements."""
    handle.items.clear()


def _variant(*specs: Spec, **attrs: Any) -> Spec:
    return Spec((), dtypes.variant)


def _element(*specs: Spec, element_dtype: DType, **attrs: Any) -> Spec:
    return Spec(None, element_dtype)


def _popped(*specs: Spec, element_dtype: DType) -> tuple[Spec, Spec]:
    return Spec((), dtypes.variant), Spec(None, element_dtype)


def _joined(*specs: Spec, element_dtype: DType, **attrs: Any) -> tuple[Spec, Spec]:
    return Spec(None, element_dtype), Spec((None,), dtypes.int64)


def _scalar(dtype: DType) -> Any:
    return lambda *specs, **attrs: Spec((), dtype)


_host = functools.partial(kernel, on_host=True)

ROWS: dict[str, Row] = {
    "EmptyTensorList": _host(empty_kernel, _variant),
    "EmptyTensorMap": _host(lambda: TensorMap({}), _variant),
    "StackCloseV2": _host(stack_close_kernel, nothing),
    "StackPopV2": _host(stack_pop_kernel, lambda handle, elem_type: Spec(None, elem_type)),
    "StackPushV2": _host(stack_push_kernel, lambda handle, elem: elem, ignored="swap_memory"),
    "StackV2": _host(
        stack_v2_kernel, _scalar(dtypes.resource), ignored="stack_name", makes_resource=True
    ),
    "TensorListConcat": _host(concat_list_kernel, _joined),
    "TensorListConcatLists": _host(join_kernel, _variant),
    "TensorListConcatV2": _host(concat_v2_kernel, _joined),
    "TensorListElementShape": _host(element_shape_kernel, None),
    "TensorListFromTensor": _host(from_tensor_kernel, _variant),
    "TensorListGather": _host(gather_kernel, _element),
    "TensorListGetItem": _host(get_kernel, _element),
    "TensorListLength": _host(length_kernel, _scalar(dtypes.int32)),
    "TensorListPopBack": _host(pop_kernel, _popped),
    "TensorListPushBack": _host(push_kernel, _variant),
    "TensorListReserve": _host(reserve_kernel, _variant),
    "TensorListResize": _host(resize_kernel, _variant),
    "TensorListScatter": _host(scatter_kernel, _variant),
    "TensorListScatterIntoExistingList": _host(scatter_into_kernel, _variant),
    "TensorListScatterV2": _host(scatter_v2_kernel, _variant),
    "TensorListSetItem": _host(set_kernel, _variant),
    "TensorListSplit": _host(split_kernel, _variant),
    "TensorListStack": _host(stack_kernel, _element),
    "TensorMapErase": _host(map_erase_kernel, _variant, ignored="value_dtype"),
    "TensorMapHasKey": _host(map_has_kernel, _scalar(dtypes.bool_)),
    "TensorMapInsert": _host(map_insert_kernel, _variant),
    "TensorMapLookup": _host(
        map_lookup_kernel, lambda handle, key, value_dtype: Spec(None, value_dtype)
    ),
    "TensorMapSize": _host(
        lambda input_handle: torch.tensor(len(input_handle.entries), dtype=torch.int32),
        _scalar(dtypes.int32),
    ),
    "TensorMapStackKeys": _host(map_keys_kernel, lambda handle, key_dtype: Spec(None, key_dtype)),
}
