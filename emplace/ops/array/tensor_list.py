"""Ops on lists of tensors, which are scalar tensors of dtype variant: what a TensorArray is in a
graph.

Kernels copy the list of references and never its elements. Attributes: `element_dtype`;
`element_shape`, the known dimensions or None; `is_gradient` is True for the gradient of a list,
in which a missing element is zeros and none is too far.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base.dtypes import DType
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape, runtime_text
from ...core.tensor_list import StackedList, TensorList
from ...devices.device import Device
from ..op import op
from .joining import concat_kernel, pack_kernel

Dims = Sequence[int | None] | None


def _zeros(dims: Sequence[int | None], dtype: DType, device: Any) -> Any:
    if dtype.torch is None:
        return np.full(tuple(dims), b"", object)
    return torch.zeros(tuple(dims), dtype=dtype.torch, device=device.torch_device)  # type: ignore[arg-type]


def _has_gaps(items: Sequence[Any]) -> bool:
    return any(each is None for each in items)


def _is_known(dims: Dims) -> bool:
    return dims is not None and None not in dims


def _merged(items: Sequence[Any], dims: Dims) -> TensorShape:
    """The shape of the elements: what is known of it and what those that are there have.

    Raises:
        InvalidArgumentError: they differ.
    """
    found = TensorShape(dims)
    for each in items:
        if each is not None:
            shape = tuple(each.shape)
            if not found.is_compatible_with(shape):
                raise invalid_argument(
                    "PartialTensorShape: Incompatible shapes during merge: "
                    f"{runtime_text(found.sizes or ())} vs. {runtime_text(shape)}"
                )
            found = TensorShape(shape)
    return found


def reserve_kernel(*, num_elements: int, element_dtype: DType, element_shape: Dims) -> TensorList:
    """A list of elements that nobody wrote yet."""
    if num_elements < 0:
        raise invalid_argument(
            f"The num_elements to reserve must be a non negative number, but got {num_elements}"
        )
    return TensorList([None] * num_elements)


RESERVE = op(
    "TensorListReserve", "element_shape: host, num_elements: host -> handle: variant",
    reserve_kernel, None, is_listed=False,
)  # fmt: skip


def from_tensor_kernel(tensor: torch.Tensor, *, element_dtype: DType) -> TensorList:
    """The slices along the first axis."""
    if isinstance(tensor, torch.Tensor):
        return StackedList(tensor)
    return TensorList([np.asarray(each, object) for each in tensor])


FROM_TENSOR = op(
    "TensorListFromTensor", "tensor: any -> output_handle: variant", from_tensor_kernel, None,
    aliases=True, is_listed=False,
)  # fmt: skip


def of_kernel(
    *values: torch.Tensor, places: Sequence[int], size: int, element_dtype: DType
) -> TensorList:
    """A list with values at some places."""
    items: list[Any] = [None] * size
    for place, value in zip(places, values, strict=True):
        items[place] = value
    return TensorList(items)


OF_TENSORS = op(
    "TensorListOf_", "values: N * any -> handle: variant", of_kernel, None, aliases=True,
    is_listed=False,
)  # fmt: skip


def _items_to_change(handle: TensorList, is_last: bool) -> list[Any]:
    """The elements as a list that may change: their own if only a plan holds it, for the last time.
    A loop that fills a list would otherwise copy it in each iteration.
    """
    if is_last and not torch.compiler.is_compiling() and sys.getrefcount(handle) <= _LONELY:
        return handle.items
    return handle.items.copy()


def _probe(handle: TensorList, *, is_last: bool) -> int:
    return _probe_inside(handle)


def _probe_inside(handle: TensorList) -> int:
    return sys.getrefcount(handle)


def _lonely() -> int:
    """The references to a list that a plan holds and hands to a kernel, as Python counts them."""
    mine = TensorList([])
    return _probe(mine, is_last=True)


_LONELY = _lonely()


def set_item_kernel(
    input_handle: TensorList, item: torch.Tensor, *, index: int, element_dtype: DType,
    resize_if_index_out_of_bounds: bool, is_last: bool = False,
) -> TensorList:  # fmt: skip
    """The list with one element replaced; that list itself if this is its last use."""
    items = _items_to_change(input_handle, is_last)
    if not 0 <= index < len(items):
        if index < 0 or not resize_if_index_out_of_bounds:
            raise invalid_argument(
                f"Trying to modify element {index} in a list with {len(items)} elements."
            )
        items.extend([None] * (index + 1 - len(items)))
    items[index] = item
    return TensorList(items)


SET_ITEM = op(
    "TensorListSetItem", "input_handle: variant, index: host, item: any -> output_handle: variant",
    set_item_kernel, None, aliases=True, is_listed=False,
)  # fmt: skip


def get_item_kernel(
    input_handle: TensorList, *, index: int, element_dtype: DType, element_shape: Dims,
    device: Device, is_gradient: bool = False,
) -> Any:  # fmt: skip
    """One element; zeros where nobody wrote."""
    items = input_handle.items
    if 0 <= index < len(items):
        found = items[index]
        if found is not None:
            return found
    elif not is_gradient:
        raise invalid_argument(
            f"Trying to access element {index} in a list with {len(items)} elements."
        )
    if not _is_known(element_shape):
        element_shape = _merged(items, element_shape).sizes
        if not _is_known(element_shape):
            raise invalid_argument(
                "Trying to read an uninitialized tensor but element_shape is not fully defined: "
                f"{TensorShape(element_shape)} and no list element is set."
            )
    return _zeros(element_shape or (), element_dtype, device)


GET_ITEM = op(
    "TensorListGetItem",
    "input_handle: variant, index: host, element_shape: host -> item: element_dtype",
    get_item_kernel, None, is_factory=True, is_listed=False,
)  # fmt: skip


def length_kernel(input_handle: TensorList, *, device: Any) -> torch.Tensor:
    """How many elements there are."""
    count = len(input_handle.items)
    return torch.tensor(count, dtype=torch.int32, device=device.torch_device)


LENGTH = op(
    "TensorListLength",
    "input_handle: variant -> length: int32",
    length_kernel,
    None,
    is_factory=True,
    is_listed=False,
)


def resize_kernel(input_handle: TensorList, *, size: int) -> TensorList:
    """The list with elements added or taken away at its end."""
    if size < 0:
        raise invalid_argument(f"TensorListSlice expects size to be non-negative. Got: {size}")
    items = input_handle.items[:size]
    return TensorList(items + [None] * (size - len(items)))


RESIZE = op(
    "TensorListResize", "input_handle: variant, size: host -> output_handle: variant",
    resize_kernel, None, aliases=True, is_listed=False,
)  # fmt: skip


def _full(items: Sequence[Any], dims: Dims, dtype: DType, device: Device) -> list[Any]:
    """The elements, with zeros where nobody wrote."""
    if not _has_gaps(items):
        return list(items)
    zeros = _zeros(dims or (), dtype, device)
    return [zeros if each is None else each for each in items]


def stack_kernel(
    input_handle: TensorList, *, element_dtype: DType, element_shape: Dims, num_elements: int,
    device: Device, is_gradient: bool = False,
) -> Any:  # fmt: skip
    """All elements along a new first axis."""
    whole = _whole(input_handle, element_shape)
    if whole is not None and num_elements in (-1, len(whole)):
        return whole
    items = input_handle.items
    if is_gradient:  # of a list that may have been made shorter or longer since
        items = items[:num_elements] + [None] * (num_elements - len(items))
    elif num_elements not in (-1, len(items)):
        raise invalid_argument(
            f"Operation expected a list with {num_elements} elements but got a list with "
            f"{len(items)} elements."
        )
    is_full = bool(items) and not _has_gaps(items)
    shape = element_shape
    if not (is_full and _is_known(shape)):
        shape = _merged(items, element_shape).sizes
    if not items:
        if not _is_known(shape):
            raise invalid_argument(
                "Tried to stack elements of an empty list with non-fully-defined element_shape: "
                f"{TensorShape(element_shape)}"
            )
        return _zeros((0, *(shape or ())), element_dtype, device)
    if not _is_known(shape):
        raise invalid_argument(
            "Tried to stack list which only contains uninitialized tensors and has a "
            f"non-fully-defined element_shape: {TensorShape(element_shape)}"
        )
    return pack_kernel(*_full(items, shape, element_dtype, device), axis=0)


def _whole(handle: TensorList, dims: Dims) -> torch.Tensor | None:
    """The tensor whose slices a list's elements are, if they are, and of such a shape."""
    if not isinstance(handle, StackedList) or not len(handle.tensor):
        return None
    found = handle.tensor
    fits = dims is None or (
        len(dims) == found.ndim - 1
        and all(size in (None, have) for size, have in zip(dims, found.shape[1:], strict=True))
    )
    return found if fits else None


STACK = op(
    "TensorListStack", "input_handle: variant, element_shape: host -> tensor: element_dtype",
    stack_kernel, None, is_factory=True, is_listed=False,
)  # fmt: skip


def gather_kernel(
    input_handle: TensorList, *, indices: Sequence[int], element_dtype: DType,
    element_shape: Dims, device: Any, is_gradient: bool = False,
) -> Any:  # fmt: skip
    """Some elements along a new first axis."""
    items = input_handle.items
    wrong = next((i for i in indices if not 0 <= i < len(items)), None)
    if wrong is not None and not is_gradient:
        raise invalid_argument(f"Index {wrong} out o range; list only has {len(items)} elements.")
    chosen = [items[i] if i < len(items) else None for i in indices]
    return stack_kernel(
        TensorList(chosen), element_dtype=element_dtype,
        element_shape=element_shape if _is_known(element_shape)
        else _merged(items, element_shape).sizes, num_elements=len(chosen), device=device,
    )  # fmt: skip


GATHER = op(
    "TensorListGather",
    "input_handle: variant, indices: host, element_shape: host -> values: element_dtype",
    gather_kernel, None, is_factory=True, is_listed=False,
)  # fmt: skip


def scatter_kernel(
    input_handle: TensorList, tensor: torch.Tensor, *, indices: Sequence[int], element_dtype: DType
) -> TensorList:
    """The list with slices of a tensor at some places; it grows where they are behind its end."""
    items = input_handle.items.copy()
    parts = from_tensor_kernel(tensor, element_dtype=element_dtype).items
    if len(parts) < len(indices):
        raise invalid_argument(
            f"Invalid number of rows in input tensor. Expected at least: {len(indices)}. "
            f"Actual: {len(parts)}"
        )
    wrong = next((i for i in indices if i < 0), None)
    if wrong is not None:
        raise invalid_argument("Indices in TensorListScatter must all be non-negative.")
    items.extend([None] * (max(indices, default=-1) + 1 - len(items)))
    for place, part in zip(indices, parts, strict=False):
        items[place] = part
    return TensorList(items)


SCATTER = op(
    "TensorListScatterIntoExistingList",
    "input_handle: variant, tensor: any, indices: host -> output_handle: variant",
    scatter_kernel, None, aliases=True, is_listed=False,
)  # fmt: skip


def concat_list_kernel(
    input_handle: TensorList, *, element_dtype: DType, element_shape: Dims, device: Any
) -> Any:
    """All elements one after the other along their first axis."""
    items = input_handle.items
    scalar = next((i for i, x in enumerate(items) if x is not None and not x.shape), None)
    if scalar is not None:
        raise invalid_argument(
            f"Concat saw a scalar shape at index {scalar} but requires at least vectors."
        )
    if not items or _has_gaps(items):
        dims = element_shape if _is_known(element_shape) else _merged(items, element_shape).sizes
        if not _is_known(dims):
            raise invalid_argument(
                "Tried to concat elements of a list that nobody wrote with non-fully-defined "
                f"element_shape: {TensorShape(element_shape)}"
            )
        if not items:
            return _zeros((0, *(dims or (0,))[1:]), element_dtype, device)
        items = _full(items, dims, element_dtype, device)
    _check_ranks(items)
    return concat_kernel(*items, axis=0)


def _check_ranks(items: Sequence[Any]) -> None:
    """Raises InvalidArgumentError unless all elements have as many axes."""
    first = items[0].ndim
    other = next((each.ndim for each in items if each.ndim != first), first)
    if other != first:
        raise invalid_argument(
            f"PartialTensorShape: Incompatible ranks during merge: {first - 1} vs. {other - 1}"
        )


CONCAT_LIST = op(
    "TensorListConcatV2", "input_handle: variant, element_shape: host -> tensor: element_dtype",
    concat_list_kernel, None, is_factory=True, is_listed=False,
)  # fmt: skip


def split_list_kernel(
    tensor: torch.Tensor,
    *,
    lengths: Sequence[int],
    element_dtype: DType,
    element_shape: Dims = None,
) -> TensorList:
    """Parts along the first axis, of these lengths."""
    begin, items, total = 0, [], tensor.shape[0]
    for length in lengths:
        if begin + length > total:
            raise invalid_argument(
                f"Attempting to slice [{begin}, {begin + length}] from tensor with length {total}"
            )
        items.append(tensor[begin : begin + length])
        begin += length
    if begin != total:
        raise invalid_argument(
            f"Unused values in tensor. Length of tensor: {total} Values used: {begin}"
        )
    return TensorList(items)


SPLIT_LIST = op(
    "TensorListSplit", "tensor: any, element_shape: host, lengths: host -> output_handle: variant",
    split_list_kernel, None, aliases=True, is_listed=False,
)  # fmt: skip


# -- gradients of lists ---------------------------------------------------------------------------


def add_lists(*lists: TensorList) -> TensorList:
    """The sum of gradients of a list."""
    total = lists[0]
    for each in lists[1:]:
        total = _add_two(total, each)
    return total


def _add_two(one: TensorList, other: TensorList) -> TensorList:
    whole = one.plus(other)
    if whole is not None:
        return whole
    if one.only is not None or len(one.items) < len(other.items):
        one, other = other, one
    items, more = one.items.copy(), other.items
    items.extend([None] * (len(more) - len(items)))
    for i in range(len(more)) if other.only is None else (other.only,):
        value = more[i]
        if value is not None:
            before = items[i]
            if before is None:
                items[i] = value
            elif isinstance(value, TensorList):
                items[i] = _add_two(before, value)
            else:
                items[i] = before + value
    return one.with_items(items)


def empty_kernel() -> TensorList:
    """Zeros as the gradient of any list."""
    return TensorList([])


EMPTY = op("TensorListEmpty_", "-> handle: variant", empty_kernel, None, is_listed=False)


def one_item_kernel(item: torch.Tensor, *, index: int, element_dtype: DType) -> TensorList:
    """The gradient of a list of which one element was read."""
    return TensorList([None] * index + [item], index)


ONE_ITEM = op(
    "TensorListOneItem_", "item: any, index: host -> handle: variant", one_item_kernel, None,
    aliases=True, is_listed=False,
)  # fmt: skip


def without_kernel(
    input_handle: TensorList, *, indices: Sequence[int], is_last: bool = False
) -> TensorList:
    """The list without some elements; that list itself if this is its last use."""
    items = _items_to_change(input_handle, is_last)
    for index in indices:
        if index < len(items):
            items[index] = None
    return TensorList(items)


WITHOUT = op(
    "TensorListWithout_", "input_handle: variant, indices: host -> handle: variant",
    without_kernel, None, aliases=True, is_listed=False,
)  # fmt: skip


def picked_kernel(dy: torch.Tensor, *, indices: Sequence[int], element_dtype: DType) -> TensorList:
    """The gradient of a list of which some elements were gathered."""
    items: list[Any] = [None] * (max(indices, default=-1) + 1)
    for place, part in zip(indices, dy.unbind(0), strict=True):
        items[place] = part if items[place] is None else items[place] + part
    return TensorList(items)


PICKED = op(
    "TensorListPicked_", "dy: any, indices: host -> handle: variant", picked_kernel, None,
    is_listed=False,
)  # fmt: skip


def split_like_kernel(dy: torch.Tensor, like: TensorList, *, element_dtype: DType) -> TensorList:
    """Parts of a tensor as long as the elements of a list."""
    if _has_gaps(like.items):  # those that were zeros have the shape of the others
        dims = _merged(like.items, None).sizes
        length = (dims or (0,))[0]
        lengths = [length or 0 if each is None else each.shape[0] for each in like.items]
    else:
        lengths = [each.shape[0] for each in like.items]
    return split_list_kernel(dy, lengths=lengths, element_dtype=element_dtype)


SPLIT_LIKE = op(
    "TensorListSplitLike_", "dy: any, like: variant -> handle: variant", split_like_kernel, None,
    aliases=True, is_listed=False,
)  # fmt: skip


def joined_kernel(
    input_handle: TensorList, like: torch.Tensor, *, lengths: Sequence[int], element_dtype: DType
) -> Any:
    """The elements of a gradient one after the other; `like` tells the shape of missing ones."""
    parts = split_list_kernel(like, lengths=lengths, element_dtype=element_dtype).items
    items = input_handle.items[: len(parts)]  # the list may have grown since it was split
    items += [None] * (len(parts) - len(items))
    full = [torch.zeros_like(p) if x is None else x for x, p in zip(items, parts, strict=True)]
    return torch.cat(full) if full else torch.zeros_like(like)


JOINED = op(
    "TensorListJoined_", "input_handle: variant, like: any, lengths: host -> tensor: element_dtype",
    joined_kernel, None, is_listed=False,
)  # fmt: skip


def filled_kernel(input_handle: TensorList, like: TensorList) -> TensorList:
    """The gradient of a list with zeros in all places where the list has something."""
    missing = [None] * (len(like.items) - len(input_handle.items))
    return TensorList([
        _zeros_like(x) if grad is None else grad
        for grad, x in zip((*input_handle.items, *missing), like.items, strict=True)
    ])  # fmt: skip


def _zeros_like(value: object) -> Any:
    if isinstance(value, TensorList):
        return TensorList([])
    return torch.zeros_like(value) if isinstance(value, torch.Tensor) else value


FILLED = op(
    "TensorListFilled_", "input_handle: variant, like: variant -> handle: variant", filled_kernel,
    None, is_listed=False,
)  # fmt: skip

LISTS = (
    RESERVE, FROM_TENSOR, OF_TENSORS, SET_ITEM, GET_ITEM, LENGTH, RESIZE, STACK, GATHER, SCATTER,
    CONCAT_LIST, SPLIT_LIST, EMPTY, ONE_ITEM, WITHOUT, PICKED, SPLIT_LIKE, JOINED, FILLED,
)  # fmt: skip
