"""Rows of raw ops on arrays of tensors, whose handle is a resource and whose flow is a number that
orders what is done with it.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch

from ..base import dtypes
from ..base.dtypes import DType, as_dtype, runtime_name
from ..base.errors import invalid_argument
from ..base.shapes import TensorShape, runtime_text
from ..ops.array.joining import concat_kernel, pack_kernel
from ..ops.infer import Spec, nothing
from .rows import Row, kernel

Raw = Any


class Array:
    """What a handle stands for."""

    shape = ()
    dtype = "resource"

    def __init__(
        self, size: int, dtype: DType, element_shape: TensorShape, is_dynamic: bool, clears: bool,
        is_uniform: bool,
    ) -> None:  # fmt: skip
        self.items: list[Any] = [None] * size
        self.element_dtype = dtype
        self.element_shape = element_shape
        self.is_dynamic, self.clears, self.is_uniform = is_dynamic, clears, is_uniform
        self.written: set[int] = set()
        self.read: set[int] = set()
        self.is_closed = False

    def check(self, dtype: DType | None = None) -> None:
        """Raises TensorFlow's errors if it is closed, or of another type."""
        if self.is_closed:
            raise invalid_argument("TensorArray TensorArray has already been closed.")
        if dtype is not None and dtype is not self.element_dtype:
            raise invalid_argument(
                f"TensorArray dtype is {runtime_name(self.element_dtype)} but Op requested dtype "
                f"{runtime_name(dtype)}."
            )

    def write(self, index: int, value: Raw) -> None:
        """Puts one element in."""
        if index < 0 or (index >= len(self.items) and not self.is_dynamic):
            raise invalid_argument(
                f"TensorArray TensorArray: Tried to write to index {index} but array is not "
                f"resizeable and size is: {len(self.items)}"
            )
        if not self.element_shape.is_compatible_with(tuple(value.shape)):
            raise invalid_argument(
                f"TensorArray TensorArray: Could not write to TensorArray index {index} because "
                f"the value shape is {runtime_text(tuple(value.shape))} which is incompatible "
                f"with the TensorArray's inferred element shape: {self.element_shape} (consider "
                "setting infer_shape=False)."
            )
        if index in self.written:
            raise invalid_argument(
                f"TensorArray TensorArray: Could not write to TensorArray index {index} because "
                "it has already been written to."
            )
        if self.is_uniform:
            self.element_shape = TensorShape(value.shape)
        self.items += [None] * (index + 1 - len(self.items))
        self.items[index] = value
        self.written.add(index)

    def take(self, index: int) -> Raw:
        """One element."""
        if not 0 <= index < len(self.items):
            raise invalid_argument(
                f"TensorArray TensorArray: Tried to read from index {index} but array size is: "
                f"{len(self.items)}"
            )
        if index in self.read:
            raise invalid_argument(
                f"TensorArray TensorArray: Could not read index {index} twice because it was "
                "cleared after a previous read (perhaps try setting clear_after_read = false?)"
            )
        found = self.items[index]
        if found is None:
            if not self.element_shape.is_fully_defined():
                raise invalid_argument(
                    f"TensorArray TensorArray: Could not read from TensorArray index {index}.  "
                    "Furthermore, the element shape is not fully defined: "
                    f"{self.element_shape}.  It is possible you are working with a resizeable "
                    "TensorArray and stop_gradients is not allowing the gradients to be written."
                )
            dims = self.element_shape.as_list()
            if self.element_dtype is dtypes.string:
                return np.full(tuple(dims), b"", object)
            return torch.zeros(dims, dtype=self.element_dtype.torch)
        if self.clears:
            self.read.add(index)
            self.items[index] = None
        return found


def make_kernel(
    size: Raw, *, dtype: DType, element_shape: TensorShape, dynamic_size: bool,
    clear_after_read: bool, identical_element_shapes: bool,
) -> tuple[Array, Raw]:  # fmt: skip
    """A new array, and its flow."""
    if size.ndim:
        raise invalid_argument(
            f"TensorArray size must be scalar, but had shape: {runtime_text(size.shape)}"
        )
    made = Array(
        int(size), dtype, element_shape, dynamic_size, clear_after_read, identical_element_shapes
    )
    return made, torch.tensor(0.0)


def write_kernel(handle: Array, index: Raw, value: Raw, flow_in: Raw) -> Raw:
    """Puts one element in."""
    handle.check(_dtype_of(value))
    handle.write(int(index), value)
    return flow_in


def _dtype_of(value: Raw) -> DType:
    return dtypes.string if isinstance(value, np.ndarray) else as_dtype(value.dtype)


def read_kernel(handle: Array, index: Raw, flow_in: Raw, *, dtype: DType) -> Raw:
    """One element."""
    handle.check(dtype)
    return handle.take(int(index))


def gather_kernel(
    handle: Array, indices: Raw, flow_in: Raw, *, dtype: DType, element_shape: TensorShape
) -> Raw:
    """Some elements along a new first axis."""
    handle.check(dtype)
    _check_shape(handle, element_shape)
    taken = [handle.take(i) for i in indices.tolist()]
    if not taken:
        dims = handle.element_shape.merge_with(element_shape)
        if not dims.is_fully_defined():
            raise invalid_argument(
                "TensorArray has size zero, but element shape is not fully defined. Currently "
                f"only static shapes are supported when packing zero-size TensorArrays: {dims}"
            )
        return torch.zeros((0, *dims.as_list()), dtype=dtype.torch)
    shapes = {tuple(each.shape) for each in taken}
    if len(shapes) > 1:
        first, other = sorted(shapes)[:2]
        raise invalid_argument(
            f"TensorArray has inconsistent shapes.  Index 0 has shape: {runtime_text(first)} but "
            f"another one has shape: {runtime_text(other)}"
        )
    return pack_kernel(*taken, axis=0)


def _check_shape(handle: Array, wanted: TensorShape) -> None:
    if not handle.element_shape.is_compatible_with(wanted):
        raise invalid_argument(
            f"TensorArray was passed element_shape {wanted} which does not match the Tensor at "
            f"index 0: {handle.element_shape}"
        )


def scatter_kernel(handle: Array, indices: Raw, value: Raw, flow_in: Raw) -> Raw:
    """Slices along the first axis put at some places."""
    handle.check(_dtype_of(value))
    if len(indices) != len(value):
        raise invalid_argument(
            f"Expected len(indices) == values.shape[0], but saw: {len(indices)} vs. {len(value)}"
        )
    for place, i in enumerate(indices.tolist()):
        part = value[place]
        handle.write(i, np.asarray(part, object) if isinstance(value, np.ndarray) else part.clone())
    return flow_in


def concat_array_kernel(
    handle: Array, flow_in: Raw, *, dtype: DType, element_shape_except0: TensorShape
) -> tuple[Raw, Raw]:
    """All elements one after the other, and how long each is."""
    handle.check(dtype)
    taken = [handle.take(i) for i in range(len(handle.items))]
    if not taken:
        if not element_shape_except0.is_fully_defined():
            raise invalid_argument(
                "All except the first dimension must be fully defined when concating an empty "
                f"tensor array. element_shape_except0: {element_shape_except0}"
            )
        none = torch.zeros((0, *element_shape_except0.as_list()), dtype=dtype.torch)
        return none, torch.zeros(0, dtype=torch.int64)
    for i, each in enumerate(taken):
        if not each.shape:
            raise invalid_argument(
                f"Concat saw a scalar shape at index {i} but requires at least vectors.  Did you "
                "mean to call pack?"
            )
    return concat_kernel(*taken, axis=0), torch.tensor([len(x) for x in taken])


def split_kernel(handle: Array, value: Raw, lengths: Raw, flow_in: Raw) -> Raw:
    """Parts along the first axis, of these lengths."""
    handle.check(_dtype_of(value))
    sizes = lengths.tolist()
    if sum(sizes) != len(value):
        raise invalid_argument(
            f"Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
            f"{sum(sizes)} and value's shape is: {runtime_text(tuple(value.shape))}"
        )
    if not handle.is_dynamic and len(sizes) != len(handle.items):
        raise invalid_argument(
            f"TensorArray's size is not equal to the size of lengths ({len(handle.items)} vs. "
            f"{len(sizes)}), and the TensorArray is not marked as dynamically resizeable"
        )
    begin = 0
    for i, length in enumerate(sizes):
        handle.write(i, value[begin : begin + length])
        begin += length
    return flow_in


def size_kernel(handle: Array, flow_in: Raw) -> Raw:
    """How many elements there are."""
    handle.check()
    return torch.tensor(len(handle.items), dtype=torch.int32)


def close_kernel(handle: Array) -> None:
    """Forgets the elements."""
    handle.items.clear()
    handle.is_closed = True


def _flow(*specs: Spec, **attrs: Any) -> Spec:
    return Spec((), dtypes.float32)


def _typed(*specs: Spec, dtype: DType, **attrs: Any) -> Spec:
    return Spec(None, dtype)


_host = functools.partial(kernel, on_host=True)

ROWS: dict[str, Row] = {
    "TensorArrayCloseV3": _host(close_kernel, nothing),
    "TensorArrayConcatV3": _host(
        concat_array_kernel,
        lambda *specs, dtype, **attrs: (Spec(None, dtype), Spec((None,), dtypes.int64)),
    ),
    "TensorArrayGatherV3": _host(gather_kernel, _typed),
    "TensorArrayReadV3": _host(read_kernel, _typed),
    "TensorArrayScatterV3": _host(scatter_kernel, _flow),
    "TensorArraySizeV3": _host(size_kernel, lambda *specs: Spec((), dtypes.int32)),
    "TensorArraySplitV3": _host(split_kernel, _flow),
    "TensorArrayV3": _host(
        make_kernel,
        lambda *specs, **attrs: (Spec((), dtypes.resource), Spec((), dtypes.float32)),
        ignored="tensor_array_name",
        makes_resource=True,
    ),
    "TensorArrayWriteV3": _host(write_kernel, _flow),
}
