"""Rows of raw ops that move elements: versions of what is there, and shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ..base import dtypes
from ..base.dtypes import DType
from ..base.errors import invalid_argument
from ..base.shapes import TensorShape, runtime_text
from ..base.typing import TensorLike
from ..core.tensor import Tensor
from ..ops import infer
from ..ops.arguments import is_symbolic, static_ints
from ..ops.array.gathering import gather
from ..ops.array.joining import concat
from ..ops.array.making import constant, zeros
from ..ops.array.partition import dynamic_stitch
from ..ops.array.scattering import (
    check_scatter_nd_into,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_update,
)
from ..ops.array.shaping import (
    broadcast_args_kernel,
    ensure_shape,
    identity,
    reshape,
    shape,
    shape_n,
)
from ..ops.array.slicing import key_of, write_slice
from ..ops.array.space import batch_to_space, space_to_batch
from ..ops.convert import to_tensor
from ..ops.math.elementwise import cast, floormod, not_equal, subtract
from ..ops.raw import raw_op
from .rows import Row, composed, kernel, version


def _dims(value: torch.Tensor) -> tuple[int, ...]:
    return tuple(value.tolist())


def gradient_args_kernel(s0: torch.Tensor, s1: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """The axes that the gradients of both sides of a broadcast are summed over."""
    broadcast_args_kernel(s0, s1)
    rank = max(len(s0), len(s1))
    padded = [[1] * (rank - len(each)) + each.tolist() for each in (s0, s1)]
    axes = []
    for own, other in (padded, padded[::-1]):
        pairs = zip(own, other, strict=True)
        axes.append([i for i, (a, b) in enumerate(pairs) if a == 1 and (b != 1 or a == b)])
    if s0.tolist() == s1.tolist():
        axes = [[], []]
    return tuple(torch.tensor(each, dtype=s0.dtype, device=s0.device) for each in axes)


def concat_offset_kernel(*shapes: torch.Tensor, concat_dim: int) -> tuple[torch.Tensor, ...]:
    """Where each part begins in what they are joined to."""
    first = shapes[0]
    for each in shapes:
        if each.ndim != 1:
            raise invalid_argument(
                f"input 1 should be a vector, but got shape {runtime_text(tuple(each.shape))}"
            )
    rank = len(first)
    if not -rank <= concat_dim < rank:
        raise invalid_argument(f"Concat dim is out of range: {concat_dim} vs. {rank}")
    axis, behind, made = concat_dim % rank, 0, []
    for i, each in enumerate(shapes):
        if len(each) != rank:
            raise invalid_argument(f"input {i} should contain {rank} elements, but got {len(each)}")
        others = [j for j in range(rank) if j != axis and each[j] != first[j]]
        if others:
            raise invalid_argument(
                f"All dimensions except {axis} must match. Input {i} has shape "
                f"[{' '.join(map(str, each.tolist()))}] and doesn't match input 0 with shape "
                f"[{' '.join(map(str, first.tolist()))}]."
            )
        offset = torch.zeros_like(each)
        offset[axis] = behind
        behind += int(each[axis])
        made.append(offset)
    return tuple(made)


def _made_of(shape: Any, dtype: DType) -> Any:
    """Zeros: TensorFlow leaves the memory as it is, unless it is told to write zeros."""
    return zeros(shape, dtype)


def _check_rows(x: TensorShape, i: TensorShape, v: TensorShape) -> None:
    """Raises InvalidArgumentError unless there is a row of x's kind for each place."""
    if i.rank not in (None, 1):
        raise invalid_argument(f"i must be a vector. {runtime_text(tuple(i))}")
    if x.rank is None or v.rank is None:
        return
    texts = f"{runtime_text(tuple(x))} vs. {runtime_text(tuple(v))}"
    if x.rank != v.rank or not x.rank:
        raise invalid_argument(f"x and v shape doesn't match (ranks differ): {texts}")
    for axis in range(1, x.rank):
        if None not in (x[axis], v[axis]) and x[axis] != v[axis]:
            raise invalid_argument(f"x and v shape doesn't match at index {axis} : {texts}")
    if not v[:1].is_compatible_with(i):
        texts = f"{runtime_text(tuple(i))} vs. {runtime_text(tuple(v))}"
        raise invalid_argument(f"i and x shape doesn't match at index 0: {texts}")


def _changed_rows(change: str, x: Tensor, i: Tensor, v: Tensor) -> Any:
    """Rows written into a copy, one after the other. Places count round."""
    if change != "update" and x.dtype in (dtypes.string, dtypes.bool_):
        raise invalid_argument(f"Unsupported data type: {x.dtype.name}")
    _check_rows(x.shape, i.shape, v.shape)
    if x.shape.num_elements() == 0:
        return identity(x)
    places = reshape(floormod(i, shape(x)[0]), [-1, 1])
    if change == "update":
        return tensor_scatter_nd_update(x, places, v)
    return tensor_scatter_nd_add(x, places, v if change == "add" else subtract(0 * v, v))


def _space(input: Tensor, block_size: int, edges: Any, to_batch: bool) -> Any:
    """Blocks of the two axes in the middle."""
    if block_size < 2:
        raise invalid_argument(f"Block size should be > 1: {block_size}")
    if input.shape.rank not in (None, 4):
        raise invalid_argument(f"rank(input) should be 4: {input.shape.rank}")
    if input.shape.rank is None:
        input = ensure_shape(input, [None] * 4)
    change = space_to_batch if to_batch else batch_to_space
    return change(input, [block_size, block_size], edges)


def _check_layouts(src_format: str, dst_format: str) -> None:
    """Raises InvalidArgumentError unless one layout is an order of the other's letters."""
    if len(src_format) not in (4, 5):
        raise invalid_argument(
            f"Source format must be of length 4 or 5, received src_format = {src_format}"
        )
    letters = set(src_format)
    if len(letters) < len(src_format) or sorted(src_format) != sorted(dst_format):
        raise invalid_argument(
            "Destination and source format must determine a permutation, got "
            f"{src_format} and {dst_format}"
        )


def _permuted(x: Tensor, src_format: str, dst_format: str) -> Any:
    """Sizes, or pairs of them, in the order of another layout."""
    _check_layouts(src_format, dst_format)
    shape = runtime_text(tuple(x.shape))
    rank = x.shape.rank
    if rank not in (1, 2):
        raise invalid_argument(f"input must be a vector or 2D tensor, but got shape {shape}")
    rows = x.shape.as_list()[0]
    if rows == len(src_format) - 2:  # sizes of images alone
        if "H" not in src_format or "W" not in src_format:
            raise invalid_argument("Format specifier must contain H and W for 2D case")
        spatial = [letter for letter in src_format if letter not in "NC"]
        order = [spatial.index(letter) for letter in dst_format if letter not in "NC"]
    elif rows == len(src_format):
        order = [src_format.index(letter) for letter in dst_format]
    else:
        subject = "1D input" if rank == 1 else "First dimension of 2D input"
        raise invalid_argument(
            f"{subject} must be of size {len(src_format) - 2} or {len(src_format)}, but got shape "
            f"{shape}"
        )
    return gather(x, order)


def _dim_map(x: Tensor, src_format: str, dst_format: str) -> Any:
    """Axes of one layout as axes of another."""
    _check_layouts(src_format, dst_format)
    return gather(constant([dst_format.index(letter) for letter in src_format], x.dtype),
                  x % len(src_format))  # fmt: skip


_MASKS = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")


def slice_key(bounds: dict[str, Any]) -> tuple[Any, ...]:
    """What stands in brackets, from begins, ends, strides and masks with one bit per entry."""
    arrays = [static_ints(bounds[name], name) for name in ("begin", "end", "strides")]
    key: list[Any] = []
    for i, (begin, end, stride) in enumerate(zip(*arrays, strict=True)):
        masks = [bounds[f"{name}_mask"] >> i & 1 for name in _MASKS]
        if masks[2]:
            key.append(Ellipsis)
        elif masks[3]:
            key.append(None)
        elif masks[4]:
            key.append(int(begin))
        else:
            low = None if masks[0] else int(begin)
            key.append(slice(low, None if masks[1] else int(end), int(stride)))
    return tuple(key)


def assigned_kernel(
    input: Any,
    value: Any,
    *,
    begin: tuple[int, ...],
    end: tuple[int, ...],
    strides: tuple[int, ...],
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> Any:
    """A copy with a slice replaced."""
    bounds = {"begin": begin, "end": end, "strides": strides}
    masks = begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    named = {f"{name}_mask": mask for name, mask in zip(_MASKS, masks, strict=True)}
    made = input.clone() if isinstance(input, torch.Tensor) else input.copy()
    write_slice(made, key_of(slice_key({**bounds, **named})), value)
    return made


def _added(input: TensorLike, indices: TensorLike, updates: TensorLike) -> Any:
    """Updates added in places of a tensor; of truth values, whether any is true."""
    input, indices, updates = to_tensor(input), to_tensor(indices), to_tensor(updates)
    if not any(map(is_symbolic, (input, indices, updates))):
        shapes = (indices, updates, input)
        check_scatter_nd_into(*[tuple(x.shape.as_list()) for x in shapes])
    if input.dtype is not dtypes.bool_:
        return tensor_scatter_nd_add(input, indices, updates)
    numbers = cast(input, dtypes.int32), cast(updates, dtypes.int32)
    return cast(tensor_scatter_nd_max(numbers[0], indices, numbers[1]), dtypes.bool_)


def _parallel(values: Sequence[Tensor], shape: TensorShape) -> Any:
    """Parts of one row each, joined."""
    for each in values:
        if each.shape.rank == 0:
            raise invalid_argument(
                "All values must have the same rank, at least 1 [Op:ParallelConcat]"
            )
    made = concat(list(values), 0)
    return ensure_shape(made, shape)


ROWS: dict[str, Row] = {
    "BatchToSpace": composed(
        lambda input, crops, block_size: _space(input, block_size, crops, False)
    ),
    "BroadcastGradientArgs": kernel(gradient_args_kernel, None, on_host=True),
    "Concat": composed(
        lambda concat_dim, values: raw_op("ConcatV2")(values=values, axis=concat_dim),
        host="concat_dim",
    ),
    "ConcatOffset": kernel(
        concat_offset_kernel, lambda *specs, **attrs: specs, scalars="concat_dim", on_host=True
    ),
    "Copy": composed(lambda input: identity(input), ignored="tensor_name debug_ops_spec"),
    "CopyHost": composed(lambda input: identity(input), ignored="tensor_name debug_ops_spec"),
    "DataFormatDimMap": composed(_dim_map),
    "DataFormatVecPermute": composed(_permuted),
    "DeepCopy": kernel(
        lambda x: x.clone() if isinstance(x, torch.Tensor) else x.copy(), infer.same
    ),
    "Empty": composed(_made_of, host="shape", ignored="init"),
    "Fact": composed(lambda: constant("0! == 1")),
    "Gather": composed(
        lambda params, indices: raw_op("GatherV2")(params=params, indices=indices, axis=0),
        ignored="validate_indices",
    ),
    "InTopK": version("InTopKV2"),
    "InplaceAdd": composed(lambda x, i, v: _changed_rows("add", x, i, v)),
    "InplaceSub": composed(lambda x, i, v: _changed_rows("sub", x, i, v)),
    "InplaceUpdate": composed(lambda x, i, v: _changed_rows("update", x, i, v)),
    "ParallelConcat": composed(_parallel),
    "ParallelDynamicStitch": composed(lambda indices, data: dynamic_stitch(indices, data)),
    "PlaceholderWithDefault": composed(lambda input, shape: identity(ensure_shape(input, shape))),
    "ScatterNdNonAliasingAdd": composed(
        _added,
        fixed="bad_indices_policy",
    ),
    "ShapeN": composed(lambda input, out_type: shape_n(input, out_type)),
    "Snapshot": composed(lambda input: identity(input)),
    "SpaceToBatch": composed(
        lambda input, paddings, block_size: _space(input, block_size, paddings, True)
    ),
    "TensorStridedSliceUpdate": kernel(
        assigned_kernel, lambda input, value, **attrs: input, ints="begin end strides"
    ),
    "ToBool": composed(
        lambda input: (
            not_equal(input, "" if input.dtype is dtypes.string else cast(0, input.dtype))
            if input.shape.rank == 0
            else constant(bool(input.shape.num_elements()))
        )
    ),
}
