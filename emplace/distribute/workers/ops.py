"""What workers do together, as ops: in a plan they are effects, and keep the program's order.

All workers run the same program, so the n-th of these ops of one is the n-th of each. Values of one
dtype travel as one flat tensor.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import InvalidArgumentError
from ...base.typing import DTypeLike, TensorLike
from ...core.tensor import Tensor, is_foreign
from ...ops import infer
from ...ops.collective.packing import laid_flat, packs_by_dtype
from ...ops.convert import to_tensor
from ...ops.infer import Spec
from ...ops.op import apply, apply_any, op
from .processes.link import link
from .processes.sums import Laid

# Numbers that are added as wider ones: Gloo has no sums of them.
_WIDER = {
    torch.bool: torch.int32, torch.int16: torch.int32, torch.uint16: torch.int32,
    torch.uint32: torch.int64, torch.uint64: torch.int64,
}  # fmt: skip


# From here on a vector goes around in parts.
_LARGE_BYTES = 8 << 20


class _Buffers:
    """Memory of large packs, which is used again when nobody holds what came out of it. The system
    would fill every page of a new one with zeros first, which takes as long as to send it.
    """

    _LEAST_BYTES, _MOST = 32 << 20, 4

    def __init__(self) -> None:
        self._kept: list[torch.Tensor] = []

    def take(self, count: int, like: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        """A vector of so many numbers, whatever they are."""
        for i, kept in enumerate(self._kept):
            fits = kept.numel() == count and kept.dtype is dtype and kept.device == like.device
            if fits and _holders(kept) == _ALONE:
                self._kept.append(self._kept.pop(i))
                return kept
        made = torch.empty(count, dtype=dtype, device=like.device)
        if made.nbytes >= self._LEAST_BYTES:
            self._kept = [*self._kept[1 - self._MOST :], made]
        return made


def _holders(x: torch.Tensor) -> int:
    return torch._C._storage_Use_Count(x.untyped_storage()._cdata)


_ALONE = _holders(torch.empty(1))
_BUFFERS = _Buffers()


def _sums(*values: torch.Tensor, dead: Sequence[int] = ()) -> tuple[torch.Tensor, ...]:
    """The sum of each value over all workers, where it is if nobody else holds it; `dead` are the
    places of those that a plan lets go of. What travels together follows from the sizes alone, for
    all workers must do the same.
    """
    own = {i for i in dead if _is_lonely(values, i)}  # before anything else here holds them
    first = values[0]
    kind = _WIDER.get(first.dtype, first.dtype)
    sizes = [value.numel() * kind.itemsize for value in values]
    if sum(sizes) < _LARGE_BYTES or kind.is_complex or first.device.type != "cpu":
        return _packed_sums(values, kind)
    large = [i for i, size in enumerate(sizes) if size >= _LARGE_BYTES]
    small = [i for i, size in enumerate(sizes) if size < _LARGE_BYTES]
    totals = list(values)
    with torch.no_grad():
        vectors = [_laid(values[i], kind, i in own) for i in large]
        parts = [_flat(values[i], kind) for i in small]
        pack = _BUFFERS.take(sum(part.numel() for part in parts), first, kind)
        if pack.nbytes >= _LARGE_BYTES:
            vectors.append(Laid(pack, parts))
        elif parts:
            link().sum(torch.cat(parts, out=pack))
        if vectors:
            link().sum_laid(vectors)
        for i, vector in zip(large, vectors, strict=False):
            totals[i] = vector.total.to(first.dtype).view(values[i].shape)
        likes = [values[i] for i in small]
        sums = torch._C._nn.unflatten_dense_tensors(pack.to(first.dtype), likes) if small else ()
        for i, part in zip(small, sums, strict=True):
            totals[i] = part
    return tuple(totals)


def _laid(value: torch.Tensor, kind: torch.dtype, is_own: bool) -> Laid:
    """A value and where its sum goes: into its own memory, if nobody else needs that."""
    flat = _flat(value, kind)
    is_own = is_own or flat.data_ptr() != value.data_ptr()  # already a copy
    return Laid(flat if is_own else _BUFFERS.take(flat.numel(), flat, kind), [flat])


def _packed_sums(values: Sequence[torch.Tensor], kind: torch.dtype) -> tuple[torch.Tensor, ...]:
    flat = laid_flat(values, is_own=True).to(kind)
    # Complex numbers are added as pairs.
    link().sum(torch.view_as_real(flat) if flat.is_complex() else flat)
    flat = flat.to(values[0].dtype)
    return tuple(torch._C._nn.unflatten_dense_tensors(flat, list(values)))


def _flat(value: torch.Tensor, kind: torch.dtype) -> torch.Tensor:
    return value.reshape(-1).to(kind)


def _is_lonely(values: Sequence[torch.Tensor], i: int) -> bool:
    """Whether only a plan holds a value, for the last time, and all of its memory is the value."""
    if torch.compiler.is_compiling() or sys.getrefcount(values[i]) > _LONELY:
        return False
    x = values[i]
    is_whole = x.is_contiguous() and x.untyped_storage().nbytes() == x.nbytes
    return is_whole and _holders(x) == _ALONE and not is_foreign(x)


def _probe(*values: torch.Tensor, dead: Sequence[int] = ()) -> int:
    return sys.getrefcount(values[0])


def _lonely() -> int:
    """The references to a value that a plan holds and hands to a kernel, as Python counts them."""
    mine = torch.empty(1)
    return _probe(mine, dead=(0,))


_LONELY = _lonely()


def _all_same(*inputs: Spec, **attrs: Any) -> tuple[Spec, ...]:
    return inputs


SUM = op(
    "CollectiveReduceV2", "inputs: N * T -> data: N * T", _sums, _all_same, stateful=True,
    is_listed=False, T=dtypes.NUMBERS,
)  # fmt: skip


def _of_first(value: torch.Tensor) -> torch.Tensor:
    """The first worker's value; those of the others only tell its shape."""
    sent = value.detach().clone(memory_format=torch.contiguous_format)
    if sent.numel():
        link().from_first(sent.reshape(-1).view(torch.uint8))
    return sent


FROM_FIRST = op(
    "CollectiveBcastSendV2", "input: T -> data: T", _of_first, infer.same, stateful=True,
    is_listed=False, T=dtypes.ANY_FIXED,
)  # fmt: skip


def _joined(value: Any, *, axis: int) -> Any:
    """The values of all workers along an axis, of which only the size may differ."""
    if isinstance(value, np.ndarray):
        raise InvalidArgumentError(
            None, None, "Texts cannot be gathered from other workers. Gather numbers instead."
        )
    moved = value.detach().movedim(axis, 0).contiguous()
    sizes = _sizes(moved)
    most = max(sizes)
    sent = moved.new_zeros((most, *moved.shape[1:]))
    sent[: moved.shape[0]] = moved
    if not sent.numel():
        return moved.new_zeros((sum(sizes), *moved.shape[1:])).movedim(0, axis)
    raw = sent.reshape(-1).view(torch.uint8)
    parts = [part.view(sent.dtype).view(sent.shape) for part in link().all_of(raw)]
    kept = [part[:size] for part, size in zip(parts, sizes, strict=True)]
    return torch.cat(kept).movedim(0, axis).contiguous()


def _sizes(value: torch.Tensor) -> list[int]:
    """The number of rows of each worker.

    Raises:
        InvalidArgumentError: the other sizes of the workers differ.
    """
    sizes = torch.tensor([value.dim(), *value.shape, *[0] * (7 - value.dim())])
    all_of_them = [part.tolist() for part in link().all_of(sizes)]
    if any(each[0] != value.dim() or each[2:] != all_of_them[0][2:] for each in all_of_them):
        shapes = [tuple(each[1 : 1 + each[0]]) for each in all_of_them]
        raise InvalidArgumentError(
            None, None,
            "Workers gather values whose shapes differ elsewhere than along the axis: with that "
            f"axis first they are {shapes}.",
        )  # fmt: skip
    return [each[1] for each in all_of_them]


GATHER = op(
    "CollectiveGatherV2", "input: T, axis: host -> data: T", _joined, None, stateful=True,
    is_listed=False, T=dtypes.ANY,
)  # fmt: skip


def summed(values: Sequence[Any], bytes_per_pack: int = 0) -> list[Any]:
    """The sums of values over all workers, where the values are. Values of one dtype go together,
    in packs that are full when they have more than so many bytes; 0 is one pack.
    """
    made: list[Any] = list(values)
    sizes = [(value.shape.num_elements() or 0) * value.dtype.size for value in values]
    for places in packs_by_dtype(sizes, [value.dtype for value in values], bytes_per_pack):
        done = apply_any(SUM, tuple(values[i] for i in places))
        done = [done] if isinstance(done, Tensor) else done
        for i, each in zip(places, done, strict=True):
            made[i] = each
    return made


def from_first(value: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """The first worker's value, on all of them. Texts stay as they are."""
    tensor = to_tensor(value, None if dtype is None else dtypes.as_dtype(dtype))
    if tensor.dtype in (dtypes.string, dtypes.resource, dtypes.variant):
        return tensor
    return apply(FROM_FIRST, (tensor,))


def gathered(value: TensorLike, axis: int) -> Any:
    """The values of all workers, joined along an axis.

    Raises:
        ValueError: a value is a scalar, or there is no such axis.
    """
    tensor = to_tensor(value)
    rank = tensor.shape.rank
    if rank == 0 or (rank is not None and not -rank <= axis < rank):
        raise ValueError(
            f"Values of shape {tensor.shape} cannot be gathered along axis {axis}. Give them a "
            "dimension there."
        )
    made = apply(GATHER, (tensor,), {"axis": axis if rank is None else axis % rank})
    if rank is not None and hasattr(made, "set_shape"):
        dims = list(tensor.shape)
        dims[axis] = None
        made.set_shape(dims)
    return made
