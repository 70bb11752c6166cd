"""Rows of raw ops on lists, maps and stacks of tensors, and on arrays of tensors.

A list knows the type and the shape of its elements, as TensorFlow's do; ours, which graphs keep
loops' values in, do not.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
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
from ..ops.op import CPU_ONLY, op
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

    def plus(self, other: TensorList) -> None:
        """Elements are added up; raises InvalidArgumentError unless the lists fit."""
        if not isinstance(other, TypedList):
            return
        if self.element_dtype is not other.element_dtype:
            raise invalid_argument(
                "Trying to add two lists of tensors of different dtypes. One is "
                f"{runtime_name(self.element_dtype)} and the other is "
                f"{runtime_name(other.element_dtype)}"
            )
        if not self.element_shape.is_compatible_with(other.element_shape):
            raise invalid_argument(
                "Trying to add two lists of tensors with incompatible element shapes. One is "
                f"{runtime_text(self.element_shape.sizes or ())} and the other is "
                f"{runtime_text(other.element_shape.sizes or ())}"
            )
        if len(self.items) != len(other.items):
            raise invalid_argument(
                "Trying to add two lists of tensors with different lengths. One is "
                f"{len(self.items)} and the other is {len(other.items)}"
            )


def _shape(given: Raw) -> TensorShape:
    """A shape as raw ops take it: a vector with -1 for unknown sizes, or -1 for an unknown rank."""
    if given.ndim > 1:
        raise invalid_argument(f"Shape must be at most rank 1 but is rank {given.ndim}")
    if given.ndim == 0:
        if int(given) != -1:
            raise invalid_argument(
                "The only valid scalar shape tensor is the fully unknown shape specified as -1."
            )
        return TensorShape(None)
    return TensorShape([None if size < 0 else size for size in given.tolist()])


def _number(given: Raw, name: str) -> int:
    """A number as raw ops take it."""
    if given.ndim:
        raise invalid_argument(f"{name} must be a scalar, got shape {runtime_text(given.shape)}")
    return int(given)


def _dtype_of(item: Raw) -> DType:
    if isinstance(item, TensorList):
        return dtypes.variant
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


def _merge(one: TensorShape, other: TensorShape) -> TensorShape:
    """What two shapes say together.

    Raises:
        InvalidArgumentError: they do not fit.
    """
    if one.rank is not None and other.rank is not None:
        if one.rank != other.rank:
            raise invalid_argument(
                f"PartialTensorShape: Incompatible ranks during merge: {one.rank} vs. {other.rank}"
            )
        if not one.is_compatible_with(other):
            raise invalid_argument(
                "PartialTensorShape: Incompatible shapes during merge: "
                f"{runtime_text(one.sizes or ())} vs. {runtime_text(other.sizes or ())}"
            )
    return one.merge_with(other)


def _merged(handle: TypedList, wanted: TensorShape, items: Sequence[Any]) -> TensorShape:
    """The shape of some elements of a list, by all that is known."""
    shape = _merge(wanted, handle.element_shape)
    for each in items:
        if each is not None:
            shape = _merge(shape, TensorShape(each.shape))
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
    count = _number(num_elements, "num_elements")
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
    shape = _merged(handle, _shape(element_shape), handle.items)
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
    return _stacked(
        handle, handle.items, _shape(element_shape),
        "stack list which only contains uninitialized tensors and has a", "stack",
    )  # fmt: skip


def _stacked(
    handle: TypedList, items: Sequence[Any], wanted: TensorShape, what: str, verb: str
) -> Raw:
    shape = _merged(handle, wanted, items)
    if not shape.is_fully_defined():
        tried = what if items else f"{verb} elements of an empty list with"
        raise invalid_argument(f"Tried to {tried} non-fully-defined element_shape: {shape}")
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
                f"Trying to gather element {i} in a list with {len(handle.items)} elements."
            )
    chosen = [handle.items[i] for i in indices.tolist()]
    what = "gather uninitialized tensors from a list with"
    return _stacked(handle, chosen, _shape(element_shape), what, "gather")


def scatter_into_kernel(input_handle: TypedList, tensor: Raw, indices: Raw) -> TypedList:
    """The list with slices of a tensor at some places."""
    handle = _check_type(input_handle, _dtype_of(tensor))
    return handle.with_items(_scattered(list(handle.items), tensor, indices.tolist()))


def _scattered(items: list[Any], tensor: Raw, indices: list[int]) -> list[Any]:
    if len(indices) != len(tensor):
        raise invalid_argument(
            f"Invalid number of rows in input tensor. Expected: {len(indices)} Actual: "
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
    shape, count = _shape(element_shape), _number(num_elements, "num_elements")
    if count < -1:
        raise invalid_argument(f"TensorListScatter expects num_elements >= -1, found: {count}")
    places = indices.tolist()
    if count >= 0 and any(i >= count for i in places):
        raise invalid_argument(
            f"TensorListScatter: Trying to scatter at index {max(places)} in list with size {count}"
        )
    items = _scattered([None] * max(count, 0), tensor, places)
    return TypedList(items, _dtype_of(tensor), shape)


def resize_kernel(input_handle: TypedList, size: Raw) -> TypedList:
    """The list with elements added or taken away at its end."""
    count = _number(size, "size")
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
    if not tensor.ndim:
        raise invalid_argument("Tensor must be at least a vector, but saw shape: []")
    if lengths.ndim != 1:
        raise invalid_argument(
            f"Expected lengths to be a vector, received shape: {runtime_text(lengths.shape)}"
        )
    shape = _shape(element_shape)
    if shape.rank == 0:
        raise invalid_argument(
            "TensorListSplit requires element_shape to be at least of rank 1, but saw: []"
        )
    if shape.rank is not None and not shape[1:].is_compatible_with(tuple(tensor.shape[1:])):
        raise invalid_argument(
            f"tensor shape {runtime_text(tensor.shape)} is not compatible with element_shape "
            f"{runtime_text(shape.sizes or ())}"
        )
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
    return TypedList(items, _dtype_of(tensor), shape)


def concat_list_kernel(
    input_handle: TypedList, *, element_dtype: DType, element_shape: TensorShape
) -> tuple[Raw, Raw]:
    """All elements one after the other, and how long each is."""
    if element_shape.rank == 0:
        raise invalid_argument("element_shape must not be empty")
    return _one_after_the_other(_check_type(input_handle, element_dtype), element_shape, [])


def concat_v2_kernel(
    input_handle: TypedList, element_shape: Raw, leading_dims: Raw, *, element_dtype: DType
) -> tuple[Raw, Raw]:
    """The same. `leading_dims` are the lengths of elements that nobody wrote."""
    handle = _check_type(input_handle, element_dtype)
    return _one_after_the_other(handle, _shape(element_shape), leading_dims.tolist())


def _one_after_the_other(
    handle: TypedList, said: TensorShape, lengths: list[int]
) -> tuple[Raw, Raw]:
    if handle.element_shape.rank == 0:
        raise invalid_argument(
            "Concat requires elements to be at least vectors, found scalars instead."
        )
    items, dtype = handle.items, handle.element_dtype
    inner = _merge(_behind(said), _behind(handle.element_shape))
    for i, item in enumerate(items):
        if item is not None:
            if not item.shape:
                raise invalid_argument(
                    f"Concat saw a scalar shape at index {i} but requires at least vectors."
                )
            inner = _merge(inner, _behind(TensorShape(item.shape)))
    if not inner.is_fully_defined():
        raise invalid_argument(
            "Trying to concat list with only uninitialized tensors but "
            f"element_shape_except_first_dim is not fully defined: {inner}"
            if items
            else "All except the first dimension must be fully defined when concating an empty "
            f"tensor list. element_shape: {inner}"
        )
    sizes = inner.as_list()
    if not items:
        return _zeros((0, *sizes), dtype), torch.zeros(0, dtype=torch.int64)
    first = _first_size(handle, said)
    parts = []
    for i, item in enumerate(items):
        length = lengths[i] if i < len(lengths) else first
        if item is None and length is None:
            raise invalid_argument(
                f"List contains uninitialized tensor at index {i} but leading_dims has only "
                f"{len(lengths)} elements."
            )
        parts.append(_zeros((length or 0, *sizes), dtype) if item is None else item)
    counts = torch.tensor([len(part) for part in parts], dtype=torch.int64)
    return concat_kernel(*parts, axis=0), counts


def _behind(shape: TensorShape) -> TensorShape:
    """A shape without its first axis."""
    return TensorShape(None if shape.rank is None else shape.as_list()[1:])


def _first_size(handle: TypedList, wanted: TensorShape) -> int | None:
    """How long an element is that nobody wrote: as is said, or as all others are."""
    shapes = [wanted, handle.element_shape]
    said = [each.as_list()[0] for each in shapes if each.rank]
    found = {size for size in said if size is not None}
    found = found or {len(each) for each in handle.items if each is not None}
    return found.pop() if len(found) == 1 else None


# -- maps -----------------------------------------------------------------------------------------


class TensorMap(TensorList):
    """A dictionary of tensors, which never changes."""

    __slots__ = ("entries",)

    def __init__(self, entries: dict[Any, tuple[Any, Any]]) -> None:
        super().__init__([])
        self.entries = entries

    def __repr__(self) -> str:
        return "<TensorMap>"

    def changed(self, change: Callable[[Any], Any]) -> TensorMap:
        """The same of other keys' tensors and other values."""
        return TensorMap(
            {name: (change(key), change(value)) for name, (key, value) in self.entries.items()}
        )

    def plus(self, other: TensorList) -> TensorMap | None:
        """The entries of both; values of one key are added up."""
        if not isinstance(other, TensorMap):
            return None
        made = dict(self.entries)
        for name, (key, value) in other.entries.items():
            made[name] = (key, made[name][1] + value if name in made else value)
        return TensorMap(made)


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
    value = input_handle.entries[_key(key)][1]
    if _dtype_of(value) is not value_dtype:
        raise invalid_argument(
            f"Type mismatch: actual {runtime_name(_dtype_of(value))} vs. expect "
            f"{runtime_name(value_dtype)}"
        )
    return value


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
    keys = [key for key, _ in input_handle.entries.values()]
    for key in keys:
        if _dtype_of(key) is not key_dtype:
            raise invalid_argument("Key does not match requested dtype.")
        if key.shape != keys[0].shape:
            raise invalid_argument("Keys must all have the same shape.")
    return pack_kernel(*keys, axis=0)


# Gradients of maps are maps, too, in which a missing entry is zeros.


def one_entry_kernel(key: Raw, value: Raw) -> TensorMap:
    """The gradient of a map of which one value was read."""
    return TensorMap({_key(key): (key, value)})


def without_entry_kernel(handle: TensorMap, key: Raw) -> TensorMap:
    """The gradient of a map before an entry was put in."""
    return TensorMap({k: v for k, v in handle.entries.items() if k != _key(key)})


def entry_kernel(handle: TensorMap, key: Raw, like: torch.Tensor) -> torch.Tensor:
    """The gradient of a value that was put in."""
    found = handle.entries.get(_key(key))
    return torch.zeros_like(like) if found is None else found[1]


_GRADIENTS: dict[str, Any] = {"device_types": CPU_ONLY, "is_listed": False}
ONE_ENTRY = op(
    "TensorMapOneEntry_", "key: any, value: any -> handle: variant", one_entry_kernel,
    lambda key, value: Spec((), dtypes.variant), **_GRADIENTS,
)  # fmt: skip
WITHOUT_ENTRY = op(
    "TensorMapWithout_", "handle: variant, key: any -> output_handle: variant",
    without_entry_kernel, lambda handle, key: Spec((), dtypes.variant), **_GRADIENTS,
)  # fmt: skip
ENTRY = op(
    "TensorMapEntry_", "handle: variant, key: any, like: T -> value: T", entry_kernel,
    lambda handle, key, like: like, T=dtypes.ANY, **_GRADIENTS,
)  # fmt: skip


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
    return Spec(() if element_dtype is dtypes.variant else None, element_dtype)


def _popped(*specs: Spec, element_dtype: DType) -> tuple[Spec, Spec]:
    return Spec((), dtypes.variant), _element(element_dtype=element_dtype)


def _joined(*specs: Spec, element_dtype: DType, **attrs: Any) -> tuple[Spec, Spec]:
    return Spec(None, element_dtype), Spec((None,), dtypes.int64)


def _scalar(dtype: DType) -> Any:
    return lambda *specs, **attrs: Spec((), dtype)


_host = functools.partial(kernel, on_host=True)
# An element may be a list, too.
_of_any = functools.partial(_host, types={"element_dtype": (*dtypes.ANY, dtypes.variant)})

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
    "TensorListGetItem": _of_any(get_kernel, _element),
    "TensorListLength": _host(length_kernel, _scalar(dtypes.int32)),
    "TensorListPopBack": _of_any(pop_kernel, _popped),
    "TensorListPushBack": _of_any(push_kernel, _variant),
    "TensorListReserve": _host(reserve_kernel, _variant),
    "TensorListResize": _host(resize_kernel, _variant),
    "TensorListScatter": _host(scatter_kernel, _variant),
    "TensorListScatterIntoExistingList": _host(scatter_into_kernel, _variant),
    "TensorListScatterV2": _host(scatter_v2_kernel, _variant),
    "TensorListSetItem": _of_any(set_kernel, _variant),
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
