"""What graphs know of lists of tensors: dtypes and shapes of elements.

The variant tensor of a list has, as `handle_data`, the Spec of its elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base import dtypes
from ...base.dtypes import DType
from ...core.symbolic_value import SymbolicValue
from ...ops.array.list_array import ListArray
from ...ops.array.tensor_list import LISTS
from ...ops.infer import Spec
from ..representation.graph import Operation, SymbolicTensor
from .shapes import special_rule

_A_LIST = Spec((), dtypes.variant)
ARRAY = ListArray  # the TensorArray of graphs


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _dims(shape: Any) -> tuple[int | None, ...] | None:
    if shape is None or isinstance(shape, SymbolicValue):
        return None
    return tuple(_number(each) for each in shape)


def _list(*inputs: Spec, **attrs: Any) -> Spec:
    return _A_LIST


# Raw ops of the same names take shapes, numbers and indices as tensors: nothing is known of them.


def _item(*inputs: Spec, element_dtype: DType, element_shape: Any = None, **attrs: Any) -> Spec:
    known = () if element_dtype is dtypes.variant else _dims(element_shape)
    return Spec(known, element_dtype)


def _stacked(
    *inputs: Spec, element_dtype: DType, element_shape: Any = None, num_elements: Any = None,
    **attrs: Any,
) -> Spec:  # fmt: skip
    dims, count = _dims(element_shape), _number(num_elements)
    first = None if count is None or count < 0 else count
    return Spec(None if dims is None else (first, *dims), element_dtype)


def _gathered(
    *inputs: Spec, element_dtype: Any, element_shape: Any = None, indices: Any = None, **attrs: Any
) -> Spec:
    dims = _dims(element_shape)
    count = len(indices) if isinstance(indices, (tuple, list)) else None
    return Spec(None if dims is None else (count, *dims), element_dtype)


def _joined(*inputs: Spec, element_dtype: Any, element_shape: Any = None, **attrs: Any) -> Any:
    dims = _dims(element_shape)
    made = Spec(None if not dims else (None, *dims[1:]), element_dtype)
    return made if len(inputs) == 1 else (made, Spec((None,), dtypes.int64))


def _like(handle: Spec, like: Spec, **attrs: Any) -> Spec:
    return like


def _length(handle: Spec, **attrs: Any) -> Spec:
    return Spec((), dtypes.int32)


_RULES = {
    "TensorListGetItem": _item, "TensorListStack": _stacked, "TensorListGather": _gathered,
    "TensorListConcatV2": _joined, "TensorListJoined_": _like, "TensorListLength": _length,
}  # fmt: skip

for _each in LISTS:
    special_rule(_each.name, _RULES.get(_each.name, _list))


def elements_of(operation: Operation, inputs: Sequence[SymbolicTensor]) -> Spec | None:
    """What is known of the elements of the list that an operation makes."""
    dtype = operation.attrs.get("element_dtype")
    if dtype is None:
        return next((x.handle_data for x in inputs if x.handle_data is not None), None)
    dims = _dims(operation.attrs.get("element_shape"))
    name = operation.record.name
    if dims is None and inputs:
        before = inputs[0].handle_data
        item = inputs[-1].dims if inputs[-1].dtype is dtype else None
        if name in ("TensorListFromTensor", "TensorListScatterIntoExistingList"):
            item = None if item is None else item[1:]
        elif name not in ("TensorListSetItem", "TensorListOf_"):
            item = None
        dims = item if before is None or before.dims is None else before.dims
    return Spec(dims, dtype)
