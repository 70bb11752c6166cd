"""Ops on some slices of a variable: read them, add to them, replace them.

All indices are checked before the first slice is changed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType, runtime_name
from ...base.errors import OutOfRangeError, invalid_argument
from ...base.shapes import num_elements, runtime_text
from ...base.typing import TensorLike
from ...core.tensor import EagerTensor, Tensor
from ...devices.late import is_late
from ..arguments import static_array
from ..array.gathering import checked_places, gather_kernel, gather_nd_kernel, inside
from ..array.scattering import check_scatter_nd_into, place_strings
from ..convert import to_tensor
from ..math import unsigned
from ..op import Op, op
from ..order import ordered, restored
from ..waiting import AT_ONCE
from .resource import Storage

Change = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], Any]


def resource_gather_kernel(resource: Storage, indices: torch.Tensor) -> Any:
    """Slices of the value, in the order of the indices."""
    return gather_kernel(resource.read(), indices, axis=0)


def resource_gather_nd_kernel(resource: Storage, indices: torch.Tensor) -> Any:
    """Slices of the value, each named by a row of indices."""
    return gather_nd_kernel(resource.read(), indices)


RESOURCE_GATHER = op(
    "ResourceGather", "resource: resource, indices: Tindices -> output: dtype",
    resource_gather_kernel, None, stateful=True, checks=True, Tindices=dtypes.INDICES,
)  # fmt: skip
RESOURCE_GATHER_ND = op(
    "ResourceGatherNd", "resource: resource, indices: Tindices -> output: dtype",
    resource_gather_nd_kernel, None, stateful=True, checks=True,
    Tindices=dtypes.INDICES,
)  # fmt: skip


def _add(rows: torch.Tensor, places: torch.Tensor, values: torch.Tensor) -> None:
    rows.index_add_(0, places, values)


def _sub(rows: torch.Tensor, places: torch.Tensor, values: torch.Tensor) -> None:
    rows.index_add_(0, places, values, alpha=-1)


def _update(rows: torch.Tensor, places: torch.Tensor, values: torch.Tensor) -> None:
    rows.index_copy_(0, places, values)


def _reducing(reduce: str) -> Change:
    def change(rows: torch.Tensor, places: torch.Tensor, values: torch.Tensor) -> None:
        where = places.reshape((-1, *[1] * (rows.ndim - 1))).expand_as(values)
        if rows.dtype is torch.uint64 and reduce != "prod":
            made = ordered(rows).scatter_reduce(0, where, ordered(values), reduce)
            rows.copy_(restored(made))
        else:
            rows.scatter_reduce_(0, where, values, reduce)

    return change


_mul = _reducing("prod")


def _div(rows: torch.Tensor, places: torch.Tensor, values: torch.Tensor) -> None:
    """Slices divided by theirs, also by several of them one after the other."""
    if rows.dtype is torch.uint64:
        product = unsigned.as_signed(torch.ones_like(rows))
        _reducing("prod")(product, places, unsigned.as_signed(values))
        rows.copy_(unsigned.divide(rows, unsigned.as_unsigned(product)))
        return
    divisor = torch.ones_like(rows)
    _reducing("prod")(divisor, places, values)
    if rows.is_floating_point() or rows.is_complex():
        rows.div_(divisor)
    else:
        rows.copy_(torch.div(rows, divisor, rounding_mode="trunc"))


_CHANGES: dict[str, Change] = {
    "Add": _add, "Sub": _sub, "Mul": _mul, "Div": _div, "Min": _reducing("amin"),
    "Max": _reducing("amax"), "Update": _update,
}  # fmt: skip


def _scatter_kernel(name: str, how: Change) -> Callable[..., None]:
    def kernel(resource: Storage, indices: torch.Tensor, updates: Any) -> None:
        if not isinstance(updates, torch.Tensor):
            old = resource.read()
            inside(indices, old.shape[0])
            resource.write(place_strings(old, indices.unsqueeze(-1), updates))
            return
        resource.change(name, functools.partial(_scatter, how, indices, updates))

    return kernel


def _scatter(
    how: Change, indices: torch.Tensor, updates: torch.Tensor, value: torch.Tensor
) -> None:
    inner = value.shape[1:]
    if updates.ndim and updates.shape != (*indices.shape, *inner):
        raise invalid_argument(
            "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], "
            f"got updates.shape {runtime_text(updates.shape)}, indices.shape "
            f"{runtime_text(indices.shape)}, params.shape {runtime_text(value.shape)}"
        )
    safe = inside(indices, value.shape[0])
    wanted = (num_elements(tuple(indices.shape)), *inner)
    values = updates.expand(wanted) if not updates.ndim else updates.reshape(wanted)
    bad = (safe != indices).any() if is_late(indices) else None
    _apply(how, value, safe.reshape(-1).long(), values, bad)


def _apply(
    how: Change,
    rows: torch.Tensor,
    places: torch.Tensor,
    values: torch.Tensor,
    bad: torch.Tensor | None,
) -> None:
    """Changes rows in place, in a wider type where torch has no kernel for theirs. `bad` says on
    the device whether a place is wrong, where nobody waits for that: then nothing changes.
    """
    if bad is not None:
        values = torch.where(bad, _unchanging(how, rows, places), values)
    try:
        how(rows, places, values)
    except (NotImplementedError, RuntimeError) as error:
        if "not implemented" not in str(error) or rows.is_complex():
            raise
        wide = torch.float32 if rows.is_floating_point() else torch.int64
        copy = rows.to(wide)
        how(copy, places, values.to(wide))
        rows.copy_(copy)


def _unchanging(how: Change, rows: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """Values that leave rows as they are."""
    if how in (_add, _sub):
        return rows.new_zeros(())
    if how in (_mul, _div):
        return rows.new_ones(())
    return unsigned.signed_bits(rows).index_select(0, places).view(rows.dtype)


def _resource_scatter(kind: str, types: tuple[DType, ...]) -> Op:
    name = f"ResourceScatter{kind}"
    return op(
        name, "resource: resource, indices: Tindices, updates: dtype ->",
        _scatter_kernel(name, _CHANGES[kind]), None, stateful=True, checks=True, dtype=types,
        Tindices=dtypes.INDICES,
    )  # fmt: skip


# Of complex numbers none is the larger.
_TYPES = {"Update": dtypes.ANY, "Min": dtypes.REALS, "Max": dtypes.REALS}
SCATTER: dict[str, Op] = {
    kind: _resource_scatter(kind, _TYPES.get(kind, dtypes.NUMBERS)) for kind in _CHANGES
}


def _scatter_nd_kernel(name: str, how: Change) -> Callable[..., None]:
    def kernel(ref: Storage, indices: torch.Tensor, updates: Any) -> None:
        if not isinstance(updates, torch.Tensor):
            ref.write(place_strings(ref.read(), indices, updates))
            return
        ref.change(name, functools.partial(_scatter_nd, how, indices, updates))

    return kernel


def _scatter_nd(
    how: Change, indices: torch.Tensor, updates: torch.Tensor, value: torch.Tensor
) -> None:
    check_scatter_nd_into(tuple(indices.shape), tuple(updates.shape), tuple(value.shape))
    if not indices.numel():
        return
    depth = indices.shape[-1]
    places, bad = checked_places(indices, value.shape[:depth], value.shape)
    inner = value.shape[depth:]
    rows, values = value.view((-1, *inner)), updates.reshape((len(places), *inner))
    _apply(how, rows, places, values, None if bad is None else bad.any())


def _resource_scatter_nd(kind: str, types: tuple[DType, ...]) -> Op:
    name = f"ResourceScatterNd{kind}"
    return op(
        name, "ref: resource, indices: Tindices, updates: T ->",
        _scatter_nd_kernel(name, _CHANGES[kind]), None, stateful=True, checks=True, T=types,
        Tindices=dtypes.INDICES,
    )  # fmt: skip


SCATTER_ND: dict[str, Op] = {
    kind: _resource_scatter_nd(kind, _TYPES.get(kind, dtypes.NUMBERS))
    for kind in ("Add", "Sub", "Min", "Max", "Update")
}


def count_up_to_kernel(resource: Storage, *, limit: int) -> torch.Tensor:
    """The value, which then is one larger."""
    with resource.lock:
        value = resource.read()
        if value.ndim:
            raise invalid_argument(f"input is not a scalar: {runtime_text(value.shape)}")
        if int(value) >= limit:
            raise OutOfRangeError(None, None, f"Reached limit of {limit}")
        resource.write(value + 1)
        return value  # type: ignore[no-any-return]


COUNT_UP_TO = op(
    "ResourceCountUpTo", "resource: resource -> output: T", count_up_to_kernel, None, stateful=True,
    wait_reason=AT_ONCE,
)  # fmt: skip


def value_shape(handle: Any) -> np.ndarray[Any, Any]:
    """The shape of the value behind a handle, as int32."""
    dims = handle._value.read().shape if type(handle) is EagerTensor else handle.handle_data.dims
    return np.array(dims, np.int32)


def check_countable(dtype: DType) -> None:
    """Raises InvalidArgumentError unless a variable of this dtype can count."""
    if dtype not in dtypes.INDICES:
        raise invalid_argument(
            f"Value for attr 'T' of {runtime_name(dtype)} is not in the list of allowed values: "
            "int32, int64 [Op:ResourceCountUpTo]"
        )


def batch_places(indices: TensorLike) -> Tensor:
    """Indices whose first axes are a batch's, as rows with their place in the batch in front."""
    last = static_array(indices, "indices")
    rows = np.stack([*np.indices(last.shape)[:-1], last], axis=-1)
    return to_tensor(rows.astype(np.int64))
