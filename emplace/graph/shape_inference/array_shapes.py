"""Rules in graphs for ops that pick, repeat, move or cut out elements.

They know what to do with shapes and numbers that are not known, and refuse in TensorFlow's words
what cannot fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.dtypes import DType, int32
from ...base.shapes import Dims, runtime_text
from ...core.symbolic_value import SymbolicValue
from ...ops.infer import Spec


def _at_least(dims: Sequence[Any], rank: int) -> None:
    if len(dims) < rank:
        raise ValueError(f"Shape must be at least rank {rank} but is rank {len(dims)}")


def _rank(dims: Dims | None, rank: int) -> None:
    if dims is not None and len(dims) != rank:
        raise ValueError(f"Shape must be rank {rank} but is rank {len(dims)}")


def rolled(input: Spec, *, shift: Any, axis: Any) -> Spec:
    """Elements moved along axes. Whether there are such axes is asked when the graph runs."""
    if input.dims is not None:
        _at_least(input.dims, 1)
    if isinstance(shift, tuple) and isinstance(axis, tuple) and len(shift) != len(axis):
        raise ValueError(
            f"Dimension 0 in both shapes must be equal, but are {len(shift)} and {len(axis)}. "
            f"Shapes are [{len(shift)}] and [{len(axis)}]."
        )
    return input


def gathered(params: Spec, indices: Spec, *, axis: Any, batch_dims: Any = 0) -> Spec:
    """Slices along an axis in the order of indices, maybe for each of a batch."""
    dims, wanted = params.dims, indices.dims
    unknown = Spec(None, params.dtype)
    if dims is not None:
        _at_least(dims, 1)
        if not isinstance(axis, SymbolicValue):
            _at_least(dims, axis + 1 if axis >= 0 else -axis)
    if dims is None or wanted is None or isinstance(batch_dims, SymbolicValue):
        return unknown
    batch = batch_dims + len(wanted) if batch_dims < 0 else batch_dims
    rank = len(dims) - 1 + len(wanted) - batch
    if isinstance(axis, SymbolicValue) or not 0 <= batch <= len(wanted):
        return Spec((None,) * rank, params.dtype) if rank >= 0 else unknown
    place = axis % len(dims)
    if batch > place:
        return unknown
    first = [b if a is None else a for a, b in zip(dims[:batch], wanted[:batch], strict=True)]
    kept = (*first, *dims[batch:place], *wanted[batch:], *dims[place + 1 :])
    return Spec(kept, params.dtype)


def gathered_nd(params: Spec, indices: Spec, *, bad_indices_policy: str = "") -> Spec:
    """Slices named by rows of indices, whose length tells how many axes they name."""
    dims, rows = params.dims, indices.dims
    if rows is not None:
        _at_least(rows, 1)
    if dims is None or rows is None or rows[-1] is None:
        return Spec(None, params.dtype)
    if rows[-1] > len(dims):
        raise ValueError(
            "indices.shape[-1] must be <= params.rank, but saw indices shape: "
            f"{runtime_text(rows)} and params shape: {runtime_text(dims)}"
        )
    return Spec((*rows[:-1], *dims[rows[-1] :]), params.dtype)


def tiled(input: Spec, *, multiples: Any) -> Spec:
    """The tensor several times along each axis."""
    dims = input.dims
    if isinstance(multiples, SymbolicValue):
        return Spec(dims and (None,) * len(dims), input.dtype)
    if dims is None:
        return Spec((None,) * len(multiples), input.dtype)
    if len(multiples) != len(dims):
        raise ValueError(f"Shape must be rank {len(dims)} but is rank {len(multiples)}")
    made = [
        None if size is None or isinstance(count, SymbolicValue) else size * count
        for size, count in zip(dims, multiples, strict=True)
    ]
    if any(size is not None and size < 0 for size in made):
        raise ValueError(f"Expected multiples to be >= 0, but got {runtime_text(multiples)}")
    return Spec(tuple(made), input.dtype)


def _to_batch(input: Spec, *, block_shape: Any, paddings: Any) -> Spec:
    return _blocks(input, block_shape, paddings, is_to_batch=True)


def _from_batch(input: Spec, *, block_shape: Any, crops: Any) -> Spec:
    return _blocks(input, block_shape, crops, is_to_batch=False)


def _blocks(input: Spec, block_shape: Any, ends: Any, is_to_batch: bool) -> Spec:
    """Blocks of space as batches, or the other way."""
    dims = input.dims
    if dims is None:
        return input
    if isinstance(block_shape, SymbolicValue):
        return Spec((None,) * len(dims), input.dtype)
    count = len(block_shape)
    _at_least(dims, 1 + count)
    blocks = [None if isinstance(each, SymbolicValue) else each for each in block_shape]
    made: list[int | None] = [_times(dims[0], blocks, is_to_batch)]
    pairs = [(None, None)] * count if isinstance(ends, SymbolicValue) else ends
    if len(pairs) != count:
        raise ValueError(
            f"{count} axes are cut into blocks, which need a pair of ends each, but there are "
            f"{len(pairs)} pairs"
        )
    for size, block, pair in zip(dims[1 : 1 + count], blocks, pairs, strict=True):
        made.append(_space(size, block, pair, is_to_batch))
    return Spec((*made, *dims[1 + count :]), input.dtype)


def _times(batch: int | None, blocks: Sequence[int | None], is_to_batch: bool) -> int | None:
    for block in blocks:
        if batch is None or not block:
            return None
        if is_to_batch:
            batch *= block
        elif batch % block:
            raise ValueError(f"Dimension size must be evenly divisible by {block} but is {batch}")
        else:
            batch //= block
    return batch


def _space(size: int | None, block: int | None, pair: Any, is_to_batch: bool) -> int | None:
    if size is None or not block or not all(isinstance(end, int) for end in pair):
        return None
    low, high = pair
    if not is_to_batch:
        return int(max(size * block - low - high, 0))
    if (size + low + high) % block:
        raise ValueError(
            f"Dimension size must be evenly divisible by {block} but is {size + low + high}"
        )
    return int(size + low + high) // block


def split(value: Spec, *, axis: Any, num_split: Any) -> Any:
    """Equal parts along an axis."""
    dims = value.dims
    if num_split < 1:
        raise ValueError(f"Attr 'num_split' of 'Split' Op passed {num_split} less than minimum 1.")
    if dims is None:
        made: Dims | None = None
    elif isinstance(axis, SymbolicValue):
        made = (None,) * len(dims)
    else:
        _split_axis(dims, axis)
        size = dims[axis]
        if size is not None and size % num_split:
            raise ValueError(
                f"Dimension size must be evenly divisible by {num_split} but is {size}\n\tNumber "
                "of ways to split should evenly divide the split dimension"
            )
        part = None if size is None else size // num_split
        made = tuple(part if i == axis % len(dims) else d for i, d in enumerate(dims))
    return (Spec(made, value.dtype),) * num_split


def _split_axis(dims: Dims, axis: int) -> None:
    rank = len(dims)
    if not -rank <= axis < rank:
        raise ValueError(
            f"Dimension size, given by scalar input {axis} must be in range [-{rank}, {rank})"
        )


def split_parts(value: Spec, *, axis: Any, size_splits: Any) -> Any:
    """Parts of sizes of which some may be known only when the graph runs."""
    if isinstance(size_splits, SymbolicValue):
        return ()
    if not len(size_splits):
        raise ValueError("Attr 'num_split' of 'SplitV' Op passed 0 less than minimum 1.")
    told = [None if isinstance(each, SymbolicValue) else int(each) for each in size_splits]
    dims = value.dims
    if dims is None or isinstance(axis, SymbolicValue):
        made = None if dims is None else (None,) * len(dims)
        return (Spec(made, value.dtype),) * len(told)
    _split_axis(dims, axis)
    if None not in told:
        told = _checked_parts(told, dims[axis])
    place = axis % len(dims)
    return tuple(
        Spec((*dims[:place], None if size == -1 else size, *dims[place + 1 :]), value.dtype)
        for size in told
    )


def _checked_parts(told: Sequence[Any], whole: int | None) -> list[Any]:
    """Sizes with -1 worked out, where the whole is known."""
    if list(told).count(-1) > 1:
        raise ValueError("size_splits can only have one -1")
    for i, size in enumerate(told):
        if size < -1:
            raise ValueError(f"Split size at index {i} must be >= 0. Got: {size}")
    if whole is None:
        return list(told)
    known = sum(size for size in told if size != -1)
    if known > whole or (-1 not in told and known != whole):
        raise ValueError(f"can't split axis of size {whole} into pieces of size {_pieces(told)}")
    return [whole - known if size == -1 else size for size in told]


def _pieces(told: Sequence[int]) -> str:
    return f"[{','.join(map(str, told))}]"


def unique(x: Spec, *, out_idx: DType | None = None, **attrs: Any) -> tuple[Spec, ...]:
    """The elements of a vector without repetitions, and where each of it is among them."""
    _rank(x.dims, 1)
    return Spec((None,), x.dtype), Spec(x.dims, out_idx or int32)


def unique_counts(x: Spec, *, out_idx: DType | None = None, **attrs: Any) -> tuple[Spec, ...]:
    """The same, and how often each is there."""
    return *unique(x, out_idx=out_idx), Spec((None,), out_idx or int32)


def unique_along(x: Spec, *, axis: Any, out_idx: DType | None = None) -> tuple[Spec, ...]:
    """The slices along an axis without repetitions, and where each is among them."""
    made = x.dims and (None,) * len(x.dims)
    return Spec(made, x.dtype), Spec((_places(x.dims, axis),), out_idx or int32)


def unique_along_counts(x: Spec, *, axis: Any, out_idx: DType | None = None) -> tuple[Spec, ...]:
    """The same, and how often each is there."""
    return *unique_along(x, axis=axis, out_idx=out_idx), Spec((None,), out_idx or int32)


def _places(dims: Dims | None, axis: Any) -> int | None:
    """How many slices there are."""
    if dims is None or isinstance(axis, (SymbolicValue, int)) or len(axis) > 1:
        return None
    if not len(axis):
        if len(dims) != 1:
            raise ValueError("x expects a 1D vector.")
        return dims[0]
    place = axis[0]
    if isinstance(place, SymbolicValue):
        return None
    if not -len(dims) <= place < len(dims):
        raise ValueError(f"axis expects to be in the range [{-len(dims)}, {len(dims)})")
    return dims[int(place)]


ARRAYS: dict[str, Any] = {
    "Roll": rolled, "GatherV2": gathered, "GatherNd": gathered_nd, "Tile": tiled,
    "SpaceToBatchND": _to_batch, "BatchToSpaceND": _from_batch, "Split": split,
    "SplitV": split_parts, "Unique": unique, "UniqueWithCounts": unique_counts,
    "UniqueV2": unique_along, "UniqueWithCountsV2": unique_along_counts,
}  # fmt: skip
