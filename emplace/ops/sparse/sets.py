"""Sets along the last axis: `tf.sets`. Kernels sort with NumPy, so they are on the CPU only."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import InternalError, invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.tensor import numpy_to_torch
from ..convert import to_tensor
from ..infer import Spec
from ..op import CPU_ONLY, apply, op
from .places import Dims, check_in_order, check_inside, dims_of, strides
from .tensor import SparseTensor
from .turns import in_turns, met_in_order, stretches

Array = np.ndarray[Any, Any]
Elements = tuple[Array, Array, Dims]  # the number of the set of each element, the elements, sets
_TYPES = (
    dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16,
    dtypes.string,
)  # fmt: skip


def _in(a: Array, b: Array) -> Array:
    """True for the elements of an ascending vector that stand in another one."""
    if not len(b):
        return np.zeros(len(a), bool)
    found: Array = b[np.minimum(np.searchsorted(b, a), len(b) - 1)] == a
    return found


_OPERATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "a-b": lambda a, b: a[~_in(a, b)],
    "b-a": lambda a, b: b[~_in(b, a)],
    "intersection": lambda a, b: a[_in(a, b)],
    "union": lambda a, b: np.sort(np.concatenate([a, b[~_in(b, a)]]), kind="stable"),
}


def _once(numbers: Array) -> Array:
    """The numbers in ascending order, each of them once."""
    return numbers if (numbers[1:] > numbers[:-1]).all() else np.unique(numbers)


def _array(value: np.ndarray[Any, Any] | torch.Tensor) -> Array:
    return value.numpy() if isinstance(value, torch.Tensor) else value


def _dense_elements(values: np.ndarray[Any, Any] | torch.Tensor) -> tuple[Array, Array, Dims]:
    """(number of the set of each element, the elements, the shape without the last axis)."""
    array = _array(values)
    if array.ndim < 2:
        raise invalid_argument(f"Invalid input shape: rank {array.ndim} < 2.")
    sets = math.prod(array.shape[:-1])
    return np.repeat(np.arange(sets), array.shape[-1]), array.reshape(-1), array.shape[:-1]


def _check_parts(
    indices: torch.Tensor, values: np.ndarray[Any, Any] | torch.Tensor, shape: Dims
) -> None:
    """Raises unless these are the parts of a sparse tensor of sets: groups are numbered by their
    places, so a place that is wrong would be in another group."""
    if values.ndim != 1:
        raise invalid_argument(f"vals must be a vec, but got: {runtime_text(tuple(values.shape))}")
    if len(indices) != len(values):
        raise invalid_argument(
            "indices and values rows (indexing dimension) must match. (indices = "
            f"{len(indices)}, values = {len(values)})"
        )
    wrong = (indices < 0) | (indices >= indices.new_tensor(list(shape)))
    if wrong.any():
        row, axis = wrong.nonzero()[0].tolist()
        begin = next(b for _, b, end in stretches(indices[:, :-1].tolist()) if end > row)
        raise InternalError(
            None,
            None,
            f"indices[{row - begin}, {axis}] expected < {shape[axis]}, "
            f"got {int(indices[row, axis])}.",
        )


def _sparse_elements(
    indices: torch.Tensor, values: np.ndarray[Any, Any] | torch.Tensor, shape: Dims
) -> tuple[Array, Array, Dims]:
    _check_parts(indices, values, shape)
    groups = _array(indices)[:, :-1] @ np.array(strides(shape[:-1]), np.int64).reshape(-1)
    return groups, _array(values), tuple(shape[:-1])


def _operate(first: Elements, second: Elements, operation: str) -> tuple[Any, ...]:
    """(places, values, shape) of the sets that an operation makes of two rows of sets."""
    groups1, values1, dims1 = first
    groups2, values2, dims2 = second
    if tuple(dims1) != tuple(dims2):
        raise invalid_argument(f"Mismatched group shapes: {list(dims1)} vs {list(dims2)}.")
    if not (_ascending(groups1) and _ascending(groups2)):
        return _operate_in_turns(first, second, operation)
    elements, ids, count = _numbered(np.concatenate([values1, values2]))
    a = _once(groups1 * count + ids[: len(values1)])
    b = _once(groups2 * count + ids[len(values1) :])
    made_of = _OPERATIONS[operation](a, b).astype(np.int64)
    return _as_parts(made_of // count, elements(made_of % count), dims1)


def _ascending(groups: Array) -> bool:
    return bool((groups[1:] >= groups[:-1]).all())


def _operate_in_turns(first: Elements, second: Elements, operation: str) -> tuple[Any, ...]:
    """The same of sets whose places are out of order: TF takes each stretch of one for a set."""
    (groups1, values1, dims), (groups2, values2, _) = first, second
    sets1, sets2 = (stretches(each.reshape(-1, 1).tolist()) for each in (groups1, groups2))
    groups, found = [np.zeros(0, np.int64)], [values1[:0]]
    for i, j in in_turns([place for place, _, _ in sets1], [place for place, _, _ in sets2]):
        a = np.unique(values1[slice(*sets1[i][1:])] if i >= 0 else values1[:0])
        b = np.unique(values2[slice(*sets2[j][1:])] if j >= 0 else values2[:0])
        made_of = _OPERATIONS[operation](a, b)
        (group,) = sets1[i][0] if i >= 0 else sets2[j][0]
        groups.append(np.full(len(made_of), group))
        found.append(made_of)
    return _as_parts(np.concatenate(groups), np.concatenate(found), dims)


def _numbered(values: Array) -> tuple[Callable[[Array], Array], Array, int]:
    """(what makes elements of numbers, the number of each element, one more than the largest)."""
    if values.dtype != object and len(values):
        least, most = int(values.min()), int(values.max())
        if most - least < 2**31:  # small enough for a number of its own in each set
            kind = values.dtype
            ids = values.astype(np.int64) - least
            return lambda numbers: (numbers + least).astype(kind), ids, most - least + 1
    elements, ids = np.unique(values, return_inverse=True)
    return lambda numbers: elements[numbers], ids.reshape(-1), max(1, len(elements))


def _as_parts(groups: Array, values: Array, dims: Dims) -> tuple[Any, ...]:
    count = np.arange(len(groups))
    is_first = np.append(True, groups[1:] != groups[:-1])[: len(groups)]
    within = count - np.maximum.accumulate(np.where(is_first, count, 0))
    places = np.stack([*np.unravel_index(groups, dims), within], 1) if len(groups) else None
    indices = np.zeros((0, len(dims) + 1), np.int64) if places is None else places
    widest = int(within.max()) + 1 if len(groups) else 0
    shape = np.array([*dims, widest], np.int64)
    raw = values if values.dtype == object else numpy_to_torch(np.ascontiguousarray(values))
    return numpy_to_torch(indices.astype(np.int64)), raw, numpy_to_torch(shape)


def dense_dense_kernel(
    set1: np.ndarray[Any, Any] | torch.Tensor,
    set2: np.ndarray[Any, Any] | torch.Tensor,
    *,
    set_operation: str,
    validate_indices: bool = True,
) -> tuple[Any, ...]:
    """An operation on the sets in the rows of two dense tensors."""
    return _operate(_dense_elements(set1), _dense_elements(set2), set_operation)


def _validate(indices: torch.Tensor, shape: Dims, validate_indices: bool) -> None:
    if len(shape) < 2:
        raise invalid_argument(f"Invalid rank {len(shape)}.")
    if indices.ndim != 2 or indices.shape[1] != len(shape):
        raise invalid_argument(
            f"indices must be a matrix of {len(shape)} columns, but got: "
            f"{runtime_text(tuple(indices.shape))}"
        )
    if validate_indices:
        check_inside(indices, shape)
        check_in_order(indices, shape)


def dense_sparse_kernel(
    set1: torch.Tensor,
    set2_indices: torch.Tensor,
    set2_values: torch.Tensor,
    *,
    set2_shape: Dims,
    set_operation: str,
    validate_indices: bool = True,
) -> tuple[Any, ...]:
    """An operation on the sets in the rows of a dense and of a sparse tensor."""
    _validate(set2_indices, set2_shape, validate_indices)
    groups, values, dims = _sparse_elements(set2_indices, set2_values, set2_shape)
    if not _ascending(groups):
        met = met_in_order(groups.tolist())
        groups, values = groups[:met], values[:met]
    return _operate(_dense_elements(set1), (groups, values, dims), set_operation)


def sparse_sparse_kernel(
    set1_indices: torch.Tensor,
    set1_values: np.ndarray[Any, Any] | torch.Tensor,
    set2_indices: torch.Tensor,
    set2_values: np.ndarray[Any, Any] | torch.Tensor,
    *,
    set1_shape: Dims,
    set2_shape: Dims,
    set_operation: str,
    validate_indices: bool = True,
) -> tuple[Any, ...]:
    """An operation on the sets in the rows of two sparse tensors."""
    _validate(set1_indices, set1_shape, validate_indices)
    _validate(set2_indices, set2_shape, validate_indices)
    first = _sparse_elements(set1_indices, set1_values, set1_shape)
    return _operate(first, _sparse_elements(set2_indices, set2_values, set2_shape), set_operation)


def size_kernel(
    set_indices: torch.Tensor,
    set_values: np.ndarray[Any, Any] | torch.Tensor,
    *,
    set_shape: Dims,
    validate_indices: bool = True,
) -> torch.Tensor:
    """How many different elements the set in each row has."""
    _validate(set_indices, set_shape, validate_indices)
    groups, values, dims = _sparse_elements(set_indices, set_values, set_shape)
    if not _ascending(groups):
        return _last_sizes(groups, values, dims)
    ids = np.unique(values, return_inverse=True)[1].reshape(-1)
    count = int(ids.max()) + 1 if len(ids) else 1
    different = np.unique(groups * count + ids)
    sizes = np.bincount(different // count, minlength=math.prod(dims)).astype(np.int32)
    return numpy_to_torch(sizes.reshape(tuple(dims)))


def _last_sizes(groups: Array, values: Array, dims: Dims) -> torch.Tensor:
    """Sizes of sets whose places are out of order: TF keeps that of a set's last stretch."""
    sizes = np.zeros(math.prod(dims), np.int32)
    for (group,), begin, end in stretches(groups.reshape(-1, 1).tolist()):
        sizes[group] = len({*values[begin:end].tolist()})
    return numpy_to_torch(sizes.reshape(tuple(dims)))


def _size_spec(set_indices: Spec, set_values: Spec, *, set_shape: Dims, **_: Any) -> Spec:
    return Spec(tuple(set_shape[:-1]), dtypes.int32)


_RESULT = "-> result_indices: int64, result_values: T, result_shape: int64"
_SET1 = "set1_indices: int64, set1_values: T, set1_shape: host"
_SET2 = "set2_indices: int64, set2_values: T, set2_shape: host"

DENSE_DENSE = op(
    "DenseToDenseSetOperation", f"set1: T, set2: T {_RESULT}", dense_dense_kernel, None,
    device_types=CPU_ONLY, T=_TYPES,
)  # fmt: skip
DENSE_SPARSE = op(
    "DenseToSparseSetOperation", f"set1: T, {_SET2} {_RESULT}", dense_sparse_kernel, None,
    device_types=CPU_ONLY, T=_TYPES,
)  # fmt: skip
SPARSE_SPARSE = op(
    "SparseToSparseSetOperation", f"{_SET1}, {_SET2} {_RESULT}", sparse_sparse_kernel, None,
    device_types=CPU_ONLY, T=_TYPES,
)  # fmt: skip
SET_SIZE = op(
    "SetSize", "set_indices: int64, set_values: T, set_shape: host -> size: int32",
    size_kernel, _size_spec, device_types=CPU_ONLY, T=_TYPES,
)  # fmt: skip


def intersection(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """Returns the elements that both sets have, for each pair of rows (`tf.sets.intersection`).

    Args:
        a: a dense or sparse tensor of integers or strings; its last axis holds sets.
        b: another one of the same shape but for the last axis.
        validate_indices: refuse sparse places that are out of order or out of bounds.

    Returns:
        A sparse tensor with the elements of each set in ascending order.

    Raises:
        InvalidArgumentError: shapes do not fit, or places are not valid.

    >>> intersection([[1, 2]], [[2, 3]]).values.numpy().tolist()
    [2]
    """
    return _set_operation(a, b, "intersection", validate_indices)


def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Returns the elements that one of the sets has, see `intersection` (`tf.sets.union`).

    Args:
        a: sets: the last axis of a dense or sparse tensor.
        b: as many sets.
        validate_indices: True checks the order of the places of sparse tensors.
    """
    return _set_operation(a, b, "union", validate_indices)


def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """Returns the elements of a that b lacks, or the other way round (`tf.sets.difference`).

    Args:
        a: sets: the last axis of a dense or sparse tensor.
        b: as many sets.
        aminusb: False takes the elements of b that a lacks.
        validate_indices: True checks the order of the places of sparse tensors.
    """
    return _set_operation(a, b, "a-b" if aminusb else "b-a", validate_indices)


def _set_operation(a: Any, b: Any, operation: str, validate_indices: bool) -> SparseTensor:
    a = a if isinstance(a, SparseTensor) else to_tensor(a)
    b = b if isinstance(b, SparseTensor) else to_tensor(b, hint=a.dtype)
    if isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        a, b = b, a
        operation = {"a-b": "b-a", "b-a": "a-b"}.get(operation, operation)
    _check_type(a, "a")
    _check_type(b, "b")
    attrs: dict[str, Any] = {
        "set_operation": operation, "validate_indices": bool(validate_indices)
    }  # fmt: skip
    if isinstance(a, SparseTensor):
        inputs = (a.indices, a.values, b.indices, b.values)
        attrs |= {"set1_shape": dims_of(a), "set2_shape": dims_of(b)}
        parts = apply(SPARSE_SPARSE, inputs, attrs)
    elif isinstance(b, SparseTensor):
        attrs["set2_shape"] = dims_of(b)
        parts = apply(DENSE_SPARSE, (a, b.indices, b.values), attrs)
    else:
        parts = apply(DENSE_DENSE, (a, b), attrs)
    return SparseTensor(*parts)


def _check_type(value: Any, name: str) -> None:
    if value.dtype not in _TYPES:
        raise TypeError(
            f"{name!r} has invalid dtype `{value.dtype!r}` not in supported dtypes: `"
            f"{', '.join(repr(each) for each in _TYPES)}`."
        )


def size(a: Any, validate_indices: bool = True) -> Any:
    """How many different elements the set in each row has (`tf.sets.size`).

    Raises:
        TypeError: a is no sparse tensor.
    """
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    attrs = {"set_shape": dims_of(a), "validate_indices": bool(validate_indices)}
    return apply(SET_SIZE, (a.indices, a.values), attrs)
