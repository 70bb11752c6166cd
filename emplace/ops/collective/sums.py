"""Sums over replicas of many values at once.

A step of training has a gradient per variable and replica. Where devices share one memory, one op
adds all of them where they are, and another says that a device has what lies in its memory already.
Elsewhere values travel in packs, by copies or by NCCL.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.cuda.nccl

from ...base import dtypes
from ...base.shapes import num_elements
from ..infer import Spec, known_dims, shape_only
from ..math.reduction import add_n_spec
from ..op import op
from .packing import Pack, pack, packs_by_dtype, unpack

Tensors = Sequence[torch.Tensor]


def replica_sum_kernel(*inputs: torch.Tensor, replicas: int, is_mean: bool) -> list[torch.Tensor]:
    """The sums of the values of replicas, added in their order, or the means."""
    count = len(inputs) // replicas
    first, *others = [inputs[i : i + count] for i in range(0, len(inputs), count)]
    if any(x.shape != y.shape for each in others for x, y in zip(first, each, strict=True)):
        _replica_sum_spec(*map(shape_only, inputs), replicas=replicas, is_mean=is_mean)
    if not others:
        return list(first)
    totals = list(torch._foreach_add(first, others[0]))
    for each in others[1:]:
        torch._foreach_add_(totals, each)
    if is_mean:
        torch._foreach_div_(totals, replicas)
    return totals


def _replica_sum_spec(*inputs: Spec, replicas: int, is_mean: bool) -> list[Spec]:
    count = len(inputs) // replicas
    return [add_n_spec(*inputs[i::count]) for i in range(count)]


def replica_matmul_kernel(
    added: torch.Tensor, a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False,
    transpose_b: bool = False,
) -> torch.Tensor:  # fmt: skip
    """Adds a product to that of the replica before, in its memory, which is nobody else's."""
    a, b = a.mT if transpose_a else a, b.mT if transpose_b else b
    return added.addmm_(a, b)


def replica_copy_kernel(*inputs: torch.Tensor) -> Tensors:
    """The values: they are here, or were copied here before."""
    return inputs


def replica_join_kernel(*inputs: torch.Tensor) -> torch.Tensor:
    """The rows of all one behind the other: where they lie so already, the memory they are in."""
    first, end = inputs[0], inputs[0].data_ptr()
    whole, rows = first.untyped_storage()._cdata, 0
    for x in inputs:
        if not x.is_contiguous() or x.data_ptr() != end or x.untyped_storage()._cdata != whole:
            return torch.cat(inputs)
        end += x.nbytes
        rows += x.shape[0]
    return first.as_strided((rows, *first.shape[1:]), first.stride())


def _replica_join_spec(*inputs: Spec) -> Spec:
    dims = [known_dims(x) for x in inputs]
    return Spec((sum(each[0] for each in dims), *dims[0][1:]), inputs[0].dtype)


def replica_rows_kernel(
    joined: torch.Tensor, *, start: int, stop: int, is_own: bool
) -> torch.Tensor:
    """The rows of one replica, where they are or in memory of their own."""
    rows = joined[start:stop]
    return rows.clone() if is_own else rows


def _replica_rows_spec(joined: Spec, *, start: int, stop: int, is_own: bool) -> Spec:
    return Spec((stop - start, *known_dims(joined)[1:]), joined.dtype)


def replica_pack_kernel(*inputs: torch.Tensor, bytes_per_pack: int) -> list[torch.Tensor]:
    """Values as flat ones."""
    return [each.flat for each in pack(inputs, bytes_per_pack, is_own=True)]


def _replica_pack_spec(*inputs: Spec, bytes_per_pack: int) -> list[Spec]:
    places = packs_by_dtype(
        [num_elements(known_dims(each)) * each.dtype.size for each in inputs],
        [each.dtype for each in inputs], bytes_per_pack,
    )  # fmt: skip
    return [
        Spec((sum(num_elements(known_dims(inputs[i])) for i in each),), inputs[each[0]].dtype)
        for each in places
    ]


def replica_unpack_kernel(
    *flats: torch.Tensor, places: Sequence[Sequence[int]], shapes: Sequence[Sequence[int]]
) -> list[torch.Tensor]:
    """The values in flat ones: `places` of each flat one, and the `shapes` of the values."""
    return unpack(
        [
            Pack(flat, tuple(each), tuple(torch.Size(shapes[i]) for i in each))
            for flat, each in zip(flats, places, strict=True)
        ]
    )


def _replica_unpack_spec(
    *flats: Spec, places: Sequence[Sequence[int]], shapes: Sequence[Sequence[int]]
) -> list[Spec]:
    kinds = {i: flat.dtype for flat, each in zip(flats, places, strict=True) for i in each}
    return [Spec(tuple(dims), kinds[i]) for i, dims in enumerate(shapes)]


def nccl_sum_kernel(*inputs: torch.Tensor, is_mean: bool) -> list[torch.Tensor]:
    """The sum of tensors on as many GPUs, on each of them."""
    outputs = [torch.empty_like(each) for each in inputs]
    torch.cuda.nccl.all_reduce(list(inputs), outputs)  # type: ignore[no-untyped-call]
    return [each.div_(len(inputs)) for each in outputs] if is_mean else outputs


def _nccl_sum_spec(*inputs: Spec, is_mean: bool) -> list[Spec]:
    return list(inputs)


def replica_part_kernel(*inputs: torch.Tensor, place: int) -> torch.Tensor:
    """One of the values, which is on its device."""
    return inputs[place]


# All values of the first replica, then all of the second ...
REPLICA_SUM = op(
    "ReplicaSum", "inputs: N * any -> sums: N * any", replica_sum_kernel, _replica_sum_spec,
    peer_access="memory", is_listed=False,
)  # fmt: skip
# What plans make of a product and a sum.
REPLICA_MATMUL = op(
    "ReplicaMatMul", "added: T, a: T, b: T -> total: T", replica_matmul_kernel,
    lambda added, a, b, **attrs: added, aliases=True, peer_access="memory", is_listed=False,
    T=(dtypes.float32, dtypes.float64),
)  # fmt: skip
REPLICA_COPY = op(
    "ReplicaCopy", "inputs: N * any -> outputs: N * any", replica_copy_kernel,
    lambda *inputs: list(inputs), is_transfer=True, aliases=True, peer_access="memory",
    is_listed=False,
)  # fmt: skip
# What plans make of operations that all replicas do alike, each on its rows.
REPLICA_JOIN = op(
    "ReplicaJoin", "inputs: N * any -> joined: any", replica_join_kernel, _replica_join_spec,
    aliases=True, peer_access="memory", is_listed=False,
)  # fmt: skip
REPLICA_ROWS = op(
    "ReplicaRows", "joined: any -> rows: any", replica_rows_kernel, _replica_rows_spec,
    aliases=True, peer_access="memory", is_listed=False,
)  # fmt: skip
REPLICA_PACK = op(
    "ReplicaPack", "inputs: N * any -> flats: N * any", replica_pack_kernel, _replica_pack_spec,
    is_listed=False,
)  # fmt: skip
REPLICA_UNPACK = op(
    "ReplicaUnpack", "flats: N * any -> outputs: N * any", replica_unpack_kernel,
    _replica_unpack_spec, is_transfer=True, aliases=True, is_listed=False,
)  # fmt: skip
# One value of each replica, each on a GPU of its own.
NCCL_SUM = op(
    "ReplicaNcclSum", "inputs: N * any -> sums: N * any", nccl_sum_kernel, _nccl_sum_spec,
    peer_access="everything", is_listed=False,
)  # fmt: skip
REPLICA_PART = op(
    "ReplicaPart", "inputs: N * any -> output: any", replica_part_kernel,
    lambda *inputs, place: inputs[place], aliases=True, peer_access="everything", is_listed=False,
)  # fmt: skip
