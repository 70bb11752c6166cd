"""Values that are known before a graph runs: constants, and what known shapes lead to.

Ops take shapes and axes as plain numbers; a graph that computes them from `tf.shape` of a known
shape therefore still has plain numbers.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch

from ...base.dtypes import INTEGERS
from ...base.shapes import Dims
from ...core.tensor import numpy_to_torch, torch_to_numpy
from ...devices.inventory import INVENTORY
from ...ops.array.slicing import slice_kernel
from ...ops.op import Op, kernel_of
from ...ops.widen import widening
from ..representation.operation import PARTIAL_VALUE, STATIC_VALUE, Operation, SymbolicTensor

_MOST_ELEMENTS = 4096
_NOT = object()
_INTEGERS = frozenset(map(id, INTEGERS))
#: Ops whose values are known otherwise than by computing them.
_KNOWN_OTHERWISE = frozenset({"Const", "Shape", "Size", "Rank"})


def static_value(tensor: SymbolicTensor) -> Any:
    """The value as a NumPy array, or None where only running the graph tells it."""
    raw = _on_host(raw_value(tensor))
    if raw is None:
        return None
    return torch_to_numpy(raw) if isinstance(raw, torch.Tensor) else raw


def _on_host(raw: Any) -> Any:
    """A raw value that the host may look into: what a function captured may be on a GPU, for which
    this waits, once per trace.
    """
    if not isinstance(raw, torch.Tensor) or raw.device.type == "cpu":
        return raw
    for device in INVENTORY.devices():
        if device.torch_device == raw.device:
            device.backend.synchronize(device.ordinal)
    return raw.cpu()


def is_known(operation: Operation) -> bool:
    """Whether an operation makes nothing but values that are known before."""
    for y in operation.outputs:
        if raw_value(y) is None:
            return False
    return bool(operation.outputs)


def raw_value(tensor: SymbolicTensor) -> Any:
    """The raw value, or None; found once per tensor."""
    found = getattr(tensor, "_known", _NOT)
    return _found(tensor) if found is _NOT else found


def sources_of(tensor: SymbolicTensor) -> list[SymbolicTensor]:
    """The tensors that an unknown value could be computed of if they were known: none where it
    takes more than that.
    """
    found, waiting, seen = [], [tensor], set()
    while waiting:
        x = waiting.pop()
        if id(x) in seen or raw_value(x) is not None:
            continue
        seen.add(id(x))
        if x.op.inputs and not may_compute(x.op):
            return []
        waiting += x.op.inputs
        found += [] if x.op.inputs else [x]
    return found


def tell(tensor: SymbolicTensor, raw: Any) -> None:
    """Makes a value known that was not; what follows from it is found again."""
    tensor._known = raw
    waiting = [tensor]
    while waiting:
        for operation in waiting.pop().consumers():
            later = [y for y in operation.outputs if getattr(y, "_known", _NOT) is None]
            for y in later:
                del y._known
            waiting += later


def may_be_known(operation: Operation) -> bool:
    """Whether anything can be known of the first value of an operation: what has been found of
    it, or else what its op says.
    """
    found = getattr(operation.outputs[0], "_known", _NOT)
    return _is_known_by_op(operation.record) if found is _NOT else found is not None


def _found(tensor: SymbolicTensor) -> Any:
    """Finds what a value is computed of first, however long the way to it is."""
    waiting = [tensor]
    while waiting:
        last = waiting[-1]
        before = _asked_before(last)
        if before:
            waiting += before
        else:
            last._known = None if before is None else _find(last)
            waiting.pop()
    return tensor._known


def _asked_before(tensor: SymbolicTensor) -> list[SymbolicTensor] | None:
    """The values that have to be found first; None where another one is unknown for good, and this
    one with it.
    """
    operation = tensor._op
    if not _may_compute_op(operation.record):
        return []
    is_whole = id(tensor._dtype) not in _INTEGERS  # of those something may be known in parts
    found = []
    for x in operation.inputs:
        known = getattr(x, "_known", _NOT)
        if known is _NOT and not _is_known_by_op(x._op.record):
            known = x._known = None
        if known is None and is_whole:
            return None
        if known is _NOT:
            found.append(x)
    return found if found and may_compute(operation) else []


def _find(tensor: SymbolicTensor) -> Any:
    operation = tensor.op
    record, attrs = operation.record, operation.attrs
    if record.name in _KNOWN_OTHERWISE:
        if record.name == "Const":
            return attrs["value"]
        return None if operation.inputs[0].dims is None else _of_shape(operation)
    if not _may_compute_op(record):
        return None
    is_integer = id(tensor._dtype) in _INTEGERS  # something may be known of parts
    if not is_integer and any(getattr(x, "_known", _NOT) is None for x in operation.inputs):
        return None
    if not may_compute(operation):
        return None
    values = [_on_host(raw_value(x)) for x in operation.inputs]
    if any(value is None for value in values):
        return _of_parts(tensor) if is_integer else None
    given = [x.dtype for x in operation.inputs]
    try:
        made = widening(record, kernel_of(record, given), given)(*values, **attrs)
    except Exception:  # running the graph will say what is wrong
        return None
    return made[tensor.value_index] if isinstance(made, (tuple, list)) else made


@functools.lru_cache(maxsize=1024)
def _is_known_by_op(record: Op) -> bool:
    """Whether anything can be known of what operations of an op make."""
    return record.name in _KNOWN_OTHERWISE or _may_compute_op(record)


@functools.lru_cache(maxsize=1024)
def _may_compute_op(record: Op) -> bool:
    """Whether operations of an op may be computed before a graph runs."""
    # TF: a placeholder's default says nothing about what will be fed.
    if record.name in _KNOWN_OTHERWISE or record.name == "PlaceholderWithDefault":
        return False
    if record.stateful or record.is_factory or not record.inputs:
        return False
    return "CPU" in record.device_types and record.infer is not None


def may_compute(operation: Operation) -> bool:
    """Whether what an operation makes of known values is small, and the same whenever it runs."""
    if not operation.inputs or not _may_compute_op(operation.record):
        return False
    return all(map(is_small, operation.inputs)) and all(map(is_small, operation.outputs))


def is_small(tensor: SymbolicTensor) -> bool:
    """Whether a tensor is known to have few elements."""
    return _is_few(tensor._dims)


@functools.lru_cache(maxsize=1024)
def _is_few(dims: Dims | None) -> bool:
    if dims is None or None in dims:
        return False
    count = 1
    for size in dims:
        count *= size or 0
    return count <= _MOST_ELEMENTS


def _of_shape(operation: Any) -> Any:
    dims = operation.inputs[0].dims
    if operation.record.name == "Rank":
        sizes: Any = len(dims)
    elif None in dims:
        return None
    else:
        sizes = dims if operation.record.name == "Shape" else int(np.prod(dims, dtype=np.int64))
    array = np.array(sizes, operation.outputs[0].dtype.as_numpy_dtype)
    return numpy_to_torch(array)


def _of_parts(tensor: SymbolicTensor) -> Any:
    """Sizes that are taken out of a shape of which others are not known."""
    sizes, dims = _partial(tensor), tensor.dims
    if sizes is None or None in sizes or dims is None or None in dims:
        return None
    return numpy_to_torch(np.array(sizes, tensor.dtype.as_numpy_dtype).reshape(dims))


def partial_value(tensor: SymbolicTensor) -> list[int | None] | None:
    """What is known of a scalar or vector of integers, None for each element that is not; None
    if not even their number is.
    """
    raw = _on_host(raw_value(tensor))
    if raw is not None:
        array = torch_to_numpy(raw) if isinstance(raw, torch.Tensor) else raw
        return [int(each) for each in array.reshape(-1)] if array.dtype.kind in "iub" else None
    found = _partial(tensor)
    if found is not None:
        return found
    dims = tensor.dims
    if dims is None or None in dims or len(dims) > 1:
        return None
    return [None] * (dims[0] or 0 if dims else 1)


def _partial(tensor: SymbolicTensor) -> list[int | None] | None:
    operation = tensor.op
    name = operation.record.name
    if name == "Shape":
        dims = operation.inputs[0].dims
        return None if dims is None else list(dims)
    if name in ("Pack", "ConcatV2"):
        parts = [partial_value(x) for x in operation.inputs]
        if name == "Pack" and len(tensor.dims or ()) == 1:  # of scalars, whether known so or not
            parts = [[None] if part is None else part for part in parts]
        if any(part is None for part in parts) or len(tensor.dims or (0,)) > 1:
            return None
        return [each for part in parts for each in part or ()]
    if name in ("Cast", "Identity", "ExpandDims", "Squeeze", "StopGradient", "EnsureShape"):
        return partial_value(operation.inputs[0]) if len(tensor.dims or ()) < 2 else None
    if name == "StridedSlice":
        whole = partial_value(operation.inputs[0])
        if whole is None or len(operation.inputs) > 1:
            return None
        kept = slice_kernel(np.array(whole, object), key=operation.attrs["key"])
        return list(np.reshape(np.asarray(kept, object), -1))
    return None


STATIC_VALUE.bind(static_value)
PARTIAL_VALUE.bind(partial_value)
