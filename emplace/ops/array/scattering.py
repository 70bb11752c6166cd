"""Ops that put slices where rows of indices say: scatter_nd, tensor_scatter_nd_*."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import NotFoundError, invalid_argument
from ...base.shapes import num_elements, runtime_text
from ...base.typing import ShapeLike, TensorLike
from ...core.tensor import Tensor
from ..arguments import is_symbolic, static_ints
from ..convert import to_tensor
from ..infer import Spec
from ..op import Op, apply, op
from ..order import ordered, restored
from .gathering import checked_places, flat_places

Dims = Sequence[int | None]


def scatter_nd_kernel(
    indices: torch.Tensor,
    updates: np.ndarray[Any, Any] | torch.Tensor,
    *,
    shape: tuple[int, ...],
    bad_indices_policy: str = "",
) -> Any:
    """Zeros of a shape, with the updates added where the rows of indices say; texts are joined."""
    check_scatter_nd(tuple(indices.shape), tuple(updates.shape), shape)
    if not isinstance(updates, torch.Tensor):
        return place_strings(np.full(shape, b"", object), indices, updates, joins=True)
    start = updates.new_zeros(shape)
    if updates.dtype is torch.bool:
        return scatter("update", start, indices, updates, bad_indices_policy)
    return scatter("add", start, indices, updates, bad_indices_policy)


def scatter(
    how: str,
    tensor: torch.Tensor,
    indices: torch.Tensor,
    updates: torch.Tensor,
    bad_indices_policy: str = "",
) -> torch.Tensor:
    """A copy of a tensor in which the slices named by rows of indices meet the updates."""
    depth = indices.shape[-1]
    inner = tensor.shape[depth:]
    if not indices.numel() or not tensor.numel():
        return tensor.clone()
    if bad_indices_policy == "IGNORE":
        places, bad = flat_places(indices, tensor.shape[:depth])
    else:
        places, bad = checked_places(indices, tensor.shape[:depth], tensor.shape)
    flat, values = tensor.reshape((-1, *inner)), updates.reshape((len(places), *inner))
    if bad is None:
        return HOW[how](flat, places, values).reshape(tensor.shape)
    # What is left out goes to a row behind the last one.
    more = torch.cat([flat, flat[:1]])
    made = HOW[how](more, places.masked_fill(bad, len(flat)), values)
    return made[:-1].reshape(tensor.shape)


def _update(flat: torch.Tensor, places: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    return flat.index_copy(0, places, values)


def _extreme(reduce: str) -> Callable[..., torch.Tensor]:
    def change(flat: torch.Tensor, places: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        where = places.reshape((-1, *[1] * (flat.ndim - 1))).expand_as(values)
        made = ordered(flat).scatter_reduce(0, where, ordered(values), reduce)
        return restored(made) if flat.dtype is torch.uint64 else made

    return change


def _add(flat: torch.Tensor, places: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    return flat.index_add(0, places, values)


def _sub(flat: torch.Tensor, places: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    return flat.index_add(0, places, -values if values.is_signed() else ~values + 1)


# How slices meet the updates for them.
HOW: dict[str, Callable[..., torch.Tensor]] = {
    "add": _add, "sub": _sub, "max": _extreme("amax"), "min": _extreme("amin"), "update": _update,
}  # fmt: skip


def place_strings(array: Any, indices: torch.Tensor, updates: Any, joins: bool = False) -> Any:
    """A copy of an array of strings with some of them replaced, or with others behind them."""
    depth = indices.shape[-1]
    inner = array.shape[depth:]
    if not indices.numel() or not array.size:
        return array.copy()
    places, _ = checked_places(indices, array.shape[:depth], array.shape)
    flat = array.reshape((-1, *inner)).copy()
    values = updates.reshape((len(places), *inner))
    if joins:  # TF: that is what it is to add strings
        np.add.at(flat, places.numpy(), values)
    else:
        flat[places.numpy()] = values
    return flat.reshape(array.shape)


def check_scatter_nd(indices: Dims, updates: Dims, shape: Dims) -> None:
    """Raises InvalidArgumentError unless the shapes fit each other."""
    if any(size is not None and size < 0 for size in shape):
        raise invalid_argument(f"Dimension {min(s or 0 for s in shape)} must be >= 0")
    if not updates:
        raise invalid_argument(
            f"Updates shape must have rank at least one. Found:{runtime_text(updates)}"
        )
    if num_elements(tuple(shape)) == 0 or not shape:
        if num_elements(tuple(indices)) or num_elements(tuple(updates)):
            raise invalid_argument(
                "Indices and updates specified for empty output shape.  indices shape: "
                f"{runtime_text(indices)}"
            )
        return
    depth = indices[-1] if indices else 1
    assert depth is not None
    if depth == 0 and num_elements(tuple(updates)):
        raise invalid_argument("Indices and updates specified for empty output shape")
    outer = len(indices) - 1
    if tuple(indices[:-1]) != tuple(updates[:outer]):
        raise invalid_argument(
            f"Dimensions [0,{outer}) of indices[shape={runtime_text(indices)}] must match "
            f"dimensions [0,{outer}) of updates[shape={runtime_text(updates)}]"
        )
    if depth > len(shape) or tuple(updates[outer:]) != tuple(shape[depth:]):
        raise invalid_argument(
            f"Dimensions [{depth},{len(shape)}) of input[shape={runtime_text(shape)}] must match "
            f"dimensions [{outer},{len(updates)}) of updates[shape={runtime_text(updates)}]"
        )


def check_scatter_nd_into(indices: Dims, updates: Dims, value: Dims) -> None:
    """Raises InvalidArgumentError unless updates fit a value that is changed in place.

    TensorFlow says it in other words than of `ScatterNd`: here the size that differs is named.
    """
    if not value:
        raise invalid_argument(f"Output must be at least 1-D, got shape: {runtime_text(value)}")
    if not indices or not updates:
        name, dims = ("Updates", updates) if indices else ("Indices", indices)
        raise invalid_argument(
            f"{name} shape must have rank at least one. Found:{runtime_text(dims)}"
        )
    if 0 in value and num_elements(tuple(indices)) and num_elements(tuple(updates)):
        raise invalid_argument(
            "Indices and updates specified for empty output.  indices shape: "
            f"{runtime_text(indices)}"
        )
    outer, depth = len(indices) - 1, indices[-1] or 0
    texts = [f"{name}[shape={runtime_text(dims)}]" for name, dims in (
        ("indices", indices), ("updates", updates), ("input", value))]  # fmt: skip
    sizes = itertools.zip_longest(indices[:-1], updates[:outer])
    for i, (places, rows) in enumerate(sizes):
        if places != rows:
            raise invalid_argument(
                f"Dimensions [{i},{i + 1}) of {texts[0]} = {places} must match dimensions "
                f"[{i},{i + 1}) of {texts[1]} = {rows}"
            )
    if depth > len(value) or tuple(updates[outer:]) != tuple(value[depth:]):
        raise invalid_argument(
            f"Dimensions [{depth},{len(value)}) of {texts[2]} must match dimensions "
            f"[{depth},{len(updates)}) of {texts[1]}"
        )


def _scatter_nd_spec(
    indices: Spec, updates: Spec, *, shape: tuple[int, ...], bad_indices_policy: str = ""
) -> Spec:
    check_scatter_nd(indices.dims or (), updates.dims or (), shape)
    return Spec(shape, updates.dtype)


SCATTER_ND = op(
    "ScatterNd", "indices: Tindices, updates: T, shape: host -> output: T",
    scatter_nd_kernel, _scatter_nd_spec, checks=True, T=dtypes.ANY, Tindices=dtypes.ANY_INDICES,
)  # fmt: skip


def _tensor_scatter_kernel(how: str) -> Callable[..., Any]:
    def kernel(
        tensor: Any, indices: torch.Tensor, updates: Any, *, bad_indices_policy: str = ""
    ) -> Any:
        shapes = (tuple(x.shape) for x in (tensor, indices, updates))
        _check_tensor_scatter(*shapes)
        if not isinstance(tensor, torch.Tensor):
            return place_strings(tensor, indices, updates)
        return scatter(how, tensor, indices, updates, bad_indices_policy)

    return kernel


def _check_tensor_scatter(tensor: Dims, indices: Dims, updates: Dims) -> None:
    """Raises InvalidArgumentError unless the shapes fit each other."""
    if not updates or not indices:
        raise invalid_argument(
            "Updates shape must have rank at least one. Found:" + runtime_text(updates)
        )
    is_used = num_elements(tuple(indices)) or num_elements(tuple(updates))
    if not tensor or (num_elements(tuple(tensor)) == 0 and is_used):
        raise invalid_argument("Indices and updates specified for empty output shape")
    outer, depth = len(indices) - 1, indices[-1] or 0
    if tuple(indices[:-1]) != tuple(updates[:outer]):
        raise invalid_argument(
            "Outer dimensions of indices and update must match. Indices shape: "
            f"{runtime_text(indices)}, updates shape:{runtime_text(updates)}"
        )
    inner = tuple(tensor[depth:])
    if depth <= len(tensor) and len(updates) - outer == len(inner) and updates[outer:] != inner:
        raise invalid_argument(
            f"The inner {len(inner)} dimensions of output.shape={runtime_text(tensor)} must match "
            f"the inner {len(inner)} dimensions of updates.shape={runtime_text(updates)}"
        )
    if depth > len(tensor) or tuple(updates[outer:]) != inner:
        raise invalid_argument(
            "Inner dimensions of output shape must match inner dimensions of updates shape. "
            f"Output: {runtime_text(tensor)} updates: {runtime_text(updates)}"
        )


def _tensor_scatter_spec(
    tensor: Spec, indices: Spec, updates: Spec, *, bad_indices_policy: str = ""
) -> Spec:
    _check_tensor_scatter(tensor.dims or (), indices.dims or (), updates.dims or ())
    return tensor


def _tensor_scatter(name: str, how: str, types: tuple[dtypes.DType, ...]) -> Op:
    return op(
        name, "tensor: T, indices: Tindices, updates: T -> output: T",
        _tensor_scatter_kernel(how), _tensor_scatter_spec, checks=True, T=types,
        Tindices=dtypes.ANY_INDICES,
    )  # fmt: skip


TENSOR_SCATTER_ADD = _tensor_scatter("TensorScatterAdd", "add", dtypes.NUMBERS)
TENSOR_SCATTER_SUB = _tensor_scatter("TensorScatterSub", "sub", dtypes.NUMBERS)
TENSOR_SCATTER_MAX = _tensor_scatter("TensorScatterMax", "max", dtypes.REALS)
TENSOR_SCATTER_MIN = _tensor_scatter("TensorScatterMin", "min", dtypes.REALS)
TENSOR_SCATTER_UPDATE = _tensor_scatter("TensorScatterUpdate", "update", dtypes.ANY)


def _is_vector(shape: Any) -> bool:
    if isinstance(shape, (list, tuple)):
        return not any(isinstance(each, (list, tuple)) for each in shape)
    if is_symbolic(shape):
        return shape.shape.rank in (1, None)
    return np.ndim(shape) == 1


def scatter_nd(
    indices: TensorLike,
    updates: TensorLike,
    shape: ShapeLike | None,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Returns zeros of a shape with updates added where rows of indices say (`tf.scatter_nd`).

    Args:
        indices: shape (..., depth): each row names a place along the first `depth` axes.
        updates: shape indices.shape[:-1] + shape[depth:].
        shape: the shape of the result.
        bad_indices_policy: "IGNORE" leaves out rows that are out of range.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: a row is out of range, or shapes do not fit.

    >>> scatter_nd([[1], [1]], [5, 6], [3]).numpy().tolist()
    [0, 11, 0]
    """
    if not _is_vector(shape):
        raise invalid_argument("Shape must be a vector [Op:ScatterNd]")
    attrs: dict[str, Any] = {"shape": static_ints(shape, "shape")}
    if bad_indices_policy:
        attrs["bad_indices_policy"] = bad_indices_policy
    return apply(SCATTER_ND, (to_tensor(indices), to_tensor(updates)), attrs)


def _changed(
    record: Op, tensor: TensorLike, indices: TensorLike, updates: TensorLike, policy: str
) -> Tensor:
    tensor = to_tensor(tensor)
    _check_kernel(record, tensor.dtype)
    inputs = (tensor, to_tensor(indices), to_tensor(updates, hint=tensor.dtype))
    return apply(record, inputs, {"bad_indices_policy": policy} if policy else None)


def _check_kernel(record: Op, dtype: dtypes.DType) -> None:
    """TF: the op takes any type, but there are kernels for these only."""
    if dtype not in record.types["T"]:
        raise NotFoundError(
            None, None, f"Could not find device for node: {record.name} has no kernel for "
            f"{dtype.name}.",
        )  # fmt: skip


def tensor_scatter_nd_add(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Returns a tensor with updates added to the slices that indices name
    (`tf.tensor_scatter_nd_add`).

    Args:
        tensor: a tensor.
        indices: shape (..., depth): each row names a place along the first `depth` axes.
        updates: shape indices.shape[:-1] + tensor.shape[depth:].
        bad_indices_policy: "IGNORE" leaves out rows that are out of range.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: a row is out of range, or shapes do not fit.

    >>> tensor_scatter_nd_add([1, 2], [[0], [0]], [5, 6]).numpy().tolist()
    [12, 2]
    """
    return _changed(TENSOR_SCATTER_ADD, tensor, indices, updates, bad_indices_policy)


def tensor_scatter_nd_sub(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Returns a tensor less updates in the slices that indices name (`tf.tensor_scatter_nd_sub`).

    Args:
        tensor: a tensor.
        indices: shape (..., depth): each row names a place along the first `depth` axes.
        updates: shape indices.shape[:-1] + tensor.shape[depth:].
        bad_indices_policy: "IGNORE" leaves out rows that are out of range.
        name: a name in graphs.
    """
    return _changed(TENSOR_SCATTER_SUB, tensor, indices, updates, bad_indices_policy)


def tensor_scatter_nd_max(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Returns the larger of slices and their updates (`tf.tensor_scatter_nd_max`).

    Args:
        tensor: a tensor.
        indices: shape (..., depth): each row names a place along the first `depth` axes.
        updates: shape indices.shape[:-1] + tensor.shape[depth:].
        bad_indices_policy: "IGNORE" leaves out rows that are out of range.
        name: a name in graphs.
    """
    return _changed(TENSOR_SCATTER_MAX, tensor, indices, updates, bad_indices_policy)


def tensor_scatter_nd_min(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Returns the smaller of slices and their updates (`tf.tensor_scatter_nd_min`).

    Args:
        tensor: a tensor.
        indices: shape (..., depth): each row names a place along the first `depth` axes.
        updates: shape indices.shape[:-1] + tensor.shape[depth:].
        bad_indices_policy: "IGNORE" leaves out rows that are out of range.
        name: a name in graphs.
    """
    return _changed(TENSOR_SCATTER_MIN, tensor, indices, updates, bad_indices_policy)


def tensor_scatter_nd_update(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """Returns a tensor with the slices that indices name replaced (`tf.tensor_scatter_nd_update`).

    Args:
        tensor: a tensor.
        indices: shape (..., depth): each row names a place along the first `depth` axes.
        updates: shape indices.shape[:-1] + tensor.shape[depth:].
        name: a name in graphs.

    >>> tensor_scatter_nd_update([1, 2, 3], [[1]], [9]).numpy().tolist()
    [1, 9, 3]
    """
    return _changed(TENSOR_SCATTER_UPDATE, tensor, indices, updates, "")
