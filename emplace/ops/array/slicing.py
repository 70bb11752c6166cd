"""Indexing: `x[...]` with numbers, slices, `...`, `tf.newaxis`, scalar tensors and masks.

A key becomes a tuple of plain entries, so that it can be an attribute: ("at", i) takes one place,
("slice", start, stop, step) a range, ("new",) adds an axis, ("rest",) stands for `...`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dimensions import Dimension
from ...base.dtypes import DType, runtime_name
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape, broadcast, runtime_text
from ...base.typing import IntsLike, TensorLike
from ...core.symbolic_value import SymbolicValue
from ...core.tensor import Tensor
from ..arguments import check_index_types, known_int, static_ints
from ..convert import is_tensor_like, to_tensor
from ..infer import Spec, shape_only
from ..op import apply, op
from .gathering import boolean_mask
from .movement import moves

Entry = tuple[Any, ...]
Key = tuple[Entry, ...]


_NEW: Entry = ("new",)
_REST: Entry = ("rest",)
_WHOLE: Entry = ("slice", None, None, None)
_NARROW = (dtypes.int16, dtypes.uint16)


def expanded_key(key: Key, rank: int) -> Key:
    """`key` with `...` written out. Axes behind its last entry are taken whole."""
    used = len(key) - key.count(_NEW) - key.count(_REST)
    if used and not rank:
        raise invalid_argument("Attempting to slice scalar input.")
    if used > rank:
        raise invalid_argument(
            f"Index out of range using input dim {rank}; input has only {rank} dims"
        )
    if _REST not in key:
        return key
    rest = key.index(_REST)
    return (*key[:rest], *[_WHOLE] * (rank - used), *key[rest + 1 :])


def _place(entry: Entry, axis: int, size: int) -> int:
    index = entry[1]
    if not -size <= index < size:
        place = index + size if index < 0 else index
        raise invalid_argument(f"slice index {place} of dimension {axis} out of bounds.")
    return int(index) % size


def slice_kernel(input: Any, *, key: Key) -> Any:
    """The part of a tensor that a key names."""
    axis = 0
    for number, entry in enumerate(expanded_key(key, input.ndim)):
        if entry[0] == "new":
            input = input.unsqueeze(axis) if torch.is_tensor(input) else np.expand_dims(input, axis)
            axis += 1
        elif entry[0] == "at":
            place = _place(entry, number, input.shape[axis])
            is_torch = isinstance(input, torch.Tensor)
            input = input.select(axis, place) if is_torch else _take(input, axis, place)
        else:
            input = _range(input, axis, *entry[1:])
            axis += 1
    return input


def _take(array: Any, axis: int, place: int) -> Any:
    return np.asarray(array.take(place, axis), dtype=array.dtype)


def _range(
    input: np.ndarray[Any, Any] | torch.Tensor,
    axis: int,
    start: int | None,
    stop: int | None,
    step: int | None,
) -> Any:
    if start is None and stop is None and step in (None, 1):
        return input
    if step == 0:
        raise invalid_argument("strides[0] must be non-zero")
    places = range(*slice(start, stop, step).indices(input.shape[axis]))
    if not torch.is_tensor(input):
        return input.take(places, axis)
    if places.step > 0:
        first = torch.narrow(input, axis, places.start, max(0, places.stop - places.start))
        return first if places.step == 1 else _stepped(first, axis, places.step)
    forward = range(places[-1], places[0] + 1, -places.step) if places else range(0)
    narrowed = torch.narrow(input, axis, forward.start, forward.stop - forward.start)
    return _stepped(narrowed, axis, -places.step).flip(axis)


def _stepped(value: torch.Tensor, axis: int, step: int) -> torch.Tensor:
    return value[(slice(None),) * axis + (slice(None, None, step),)]


def _slice_spec(input: Spec, *, key: Key) -> Spec:
    dims: list[int | None] = []
    sizes = iter(input.dims or ())
    for number, entry in enumerate(expanded_key(key, len(input.dims or ()))):
        if entry[0] == "new":
            dims.append(1)
            continue
        size = next(sizes) or 0
        if entry[0] == "at":
            _place(entry, number, size)
        else:
            dims.append(len(range(*slice(*entry[1:]).indices(size))))
    return Spec((*dims, *sizes), input.dtype)


def _goes_forward(input: object, *, key: Key) -> bool:
    """True where a slice is a view: torch cannot look at a tensor backwards."""
    return all(entry[0] != "slice" or (entry[3] or 1) > 0 for entry in key)


STRIDED_SLICE = op(
    "StridedSlice", "input: T, begin: host, end: host, strides: host -> output: T",
    slice_kernel, _slice_spec, aliases=_goes_forward, T=dtypes.ANY_HELD,
)  # fmt: skip


def slice_grad_kernel(dy: torch.Tensor, *, dims: tuple[int, ...], key: Key) -> torch.Tensor:
    """Zeros of the sliced tensor's shape, with dy where the slice was."""
    result = dy.new_zeros(dims)
    write_slice(result, key, dy)
    return result


def write_slice(target: torch.Tensor, key: Key, value: torch.Tensor) -> None:
    """Writes a value, which may broadcast, into the part of a contiguous tensor a key names."""
    is_view = _goes_forward(target, key=key)
    if is_view:
        chosen = slice_kernel(target, key=key)
    else:
        places = torch.arange(target.numel(), device=target.device).reshape(target.shape)
        chosen = slice_kernel(places, key=key)
    while value.ndim > chosen.ndim and value.shape[0] == 1:  # TF: axes of size 1 in front fit
        value = value[0]
    if broadcast(tuple(value.shape), tuple(chosen.shape)) != tuple(chosen.shape):
        raise invalid_argument(
            f"Cannot broadcast input shape {runtime_text(value.shape)} into final shape "
            f"{runtime_text(chosen.shape)}"
        )
    if is_view:
        chosen.copy_(value)
    else:
        target.view(-1)[chosen.reshape(-1)] = value.broadcast_to(chosen.shape).reshape(-1)


def _slice_grad_spec(dy: Spec, *, dims: tuple[int, ...], key: Key) -> Spec:
    return Spec(dims, dy.dtype)


STRIDED_SLICE_GRAD = op(
    "StridedSliceGrad",
    "shape: host, begin: host, end: host, strides: host, dy: T -> output: T",
    slice_grad_kernel, _slice_grad_spec, T=dtypes.ANY_FIXED,
)  # fmt: skip


def getitem(x: TensorLike, key: Any) -> Any:
    """x[key], as TensorFlow indexes: a list is a tuple, a bool tensor is a mask.

    Raises:
        TypeError: something in the key is no index.
        InvalidArgumentError: an index is out of range.
    """
    x = to_tensor(x)
    if isinstance(key, (Tensor, np.ndarray, np.bool_, bool)) and is_mask(key):
        return boolean_mask(x, key)
    return apply(STRIDED_SLICE, (x,), {"key": key_of(key)})


def key_of(key: Any) -> Key:
    """What stands in x[...] as plain entries.

    Raises:
        TypeError: something in it is no index.
        InvalidArgumentError: there is more than one `...`.
    """
    parts = key if isinstance(key, (list, tuple)) else (key,)
    entries = tuple(map(_entry, parts))
    if any(map(_may_be_typed, parts)):
        _check_types(parts)
    if entries.count(_REST) > 1:
        raise invalid_argument("Multiple ellipses in slice spec not allowed [Op:StridedSlice]")
    return entries


def _may_be_typed(each: object) -> bool:
    """Whether a part of a key holds a tensor, whose type may not fit the others'."""
    if type(each) is slice:
        return any(isinstance(end, Tensor) for end in (each.start, each.stop, each.step))
    return isinstance(each, Tensor)


def _check_types(parts: Sequence[Any]) -> None:
    """Raises TensorFlow's error unless the tensors among the begins, the ends and the strides of a
    key are of one type each, and of the same one, or some of int64.
    """
    types: list[DType] = [_one_type(bounds) for bounds in zip(*map(_types_of, parts), strict=True)]
    if dtypes.int64 in types or types[0] is types[1] is types[2]:
        return
    place = 2 if types[1] is not types[0] else 3
    raise _unfit("StridedSlice", place, types[0], types[place - 1])


def _types_of(part: Any) -> list[DType | None]:
    """The types of begin, end and stride of a part of a key; None for numbers of Python. TF: what
    is left out is of the type of 16 bits that stands beside it.
    """
    is_slice = type(part) is slice
    bounds = [part.start, part.stop, part.step] if is_slice else [part, part, None]
    types = [each.dtype if isinstance(each, Tensor) else None for each in bounds]
    narrow = next((each for each in types if each in _NARROW), None)
    return [narrow if end is None else each for end, each in zip(bounds, types, strict=True)]


def _one_type(types: Sequence[DType | None]) -> DType:
    """The type of bounds; numbers of Python take it on."""
    first = next((each for each in types if each is not None), dtypes.int32)
    for place, each in enumerate(types):
        if each is not None and each is not first:
            raise _unfit("Pack", place, first, each)
    return first


def _unfit(name: str, place: int, wanted: DType, got: DType) -> Exception:
    return invalid_argument(
        f"cannot compute {name} as input #{place}(zero-based) was expected to be a "
        f"{runtime_name(wanted)} tensor but is a {runtime_name(got)} tensor [Op:{name}] name: "
    )


def is_mask(key: Any) -> bool:
    """True for an index that selects by True and False."""
    return isinstance(key, bool) or key.dtype in (dtypes.bool_, np.bool_)


def _entry(each: object) -> Entry:
    if type(each) is int:
        return ("at", each)
    if each is None:
        return _NEW
    if each is Ellipsis:
        return _REST
    if isinstance(each, slice):
        return ("slice", *(_end(end) for end in (each.start, each.stop, each.step)))
    return ("at", _index(each))


def _end(end: int | None) -> int | None:
    if type(end) is int:
        return end
    is_open = end is None or (isinstance(end, Dimension) and end.value is None)
    return None if is_open else _index(end)


def _index(each: Any) -> int:
    if type(each) is int:
        return each
    if isinstance(each, Dimension) and each.value is not None:
        return each.value
    dtype = getattr(each, "dtype", None)
    whole = isinstance(each, int) and not isinstance(each, bool)
    if dtype is not None:
        is_numpy = isinstance(each, (np.ndarray, np.generic))
        known = dtype.kind in "iu" if is_numpy else dtype in dtypes.ANY_INDICES
        shape = getattr(each, "shape", ())
        # TF takes what may turn out to be a scalar, and says so when it does not.
        is_open = isinstance(shape, TensorShape) and shape.rank is None
        whole = known and (is_open or not tuple(shape))
    if not whole:
        raise TypeError(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
            f"tf.int32/tf.int64 tensors are valid indices, got {each!r}"
        )
    return known_int(each) if is_tensor_like(each) else int(each)


@moves
def plain_slice_kernel(
    input: torch.Tensor, *, begin: tuple[int, ...], size: tuple[int, ...]
) -> torch.Tensor:
    """A block of a tensor: where it begins and how large it is."""
    _plain_slice_spec(shape_only(input), begin=begin, size=size)
    for axis, (start, count) in enumerate(zip(begin, size, strict=True)):
        input = input.narrow(axis, start, input.shape[axis] - start if count == -1 else count)
    return input


def _plain_slice_spec(input: Spec, *, begin: tuple[int, ...], size: tuple[int, ...]) -> Spec:
    dims = input.dims or ()
    if not len(begin) == len(size) == len(dims):
        raise invalid_argument(
            f"Expected begin and size arguments to be 1-D tensors of size {len(dims)}, but got "
            f"shapes [{len(begin)}] and [{len(size)}] instead."
        )
    made = []
    for i, (whole, start, count) in enumerate(zip(dims, begin, size, strict=True)):
        most = whole or 0
        if not 0 <= start <= most:
            raise invalid_argument(f"Expected begin[{i}] in [0, {most}], but got {start}")
        if not -1 <= count <= most - start:
            raise invalid_argument(f"Expected size[{i}] in [0, {most - start}], but got {count}")
        made.append(most - start if count == -1 else count)
    return Spec(tuple(made), input.dtype)


SLICE = op(
    "Slice", "input: T, begin: host, size: host -> output: T",
    plain_slice_kernel, _plain_slice_spec, aliases=True, T=dtypes.ANY_HELD,
)  # fmt: skip


def slice_(input_: Any, begin: TensorLike, size: TensorLike, name: str | None = None) -> Tensor:
    """Returns a block of a tensor (`tf.slice`).

    Args:
        input_: a tensor.
        begin: where the block begins along each axis.
        size: how large it is along each axis; -1 for all that is left.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: the block is not inside of the tensor.

    >>> slice_([1, 2, 3, 4], [1], [2]).numpy().tolist()
    [2, 3]
    """
    if not (type(begin) is list and type(size) is list):
        check_index_types("Slice", (begin, size), dtypes.INDICES)
    attrs = {"begin": static_ints(begin, "begin"), "size": static_ints(size, "size")}
    return apply(SLICE, (to_tensor(input_),), attrs)


def strided_slice(
    input_: TensorLike,
    begin: TensorLike,
    end: TensorLike,
    strides: IntsLike | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns `x[begin:end:strides]` with several axes at once (`tf.strided_slice`).

    Args:
        input_: a tensor.
        begin: where each slice begins.
        end: where it ends, without that place.
        strides: the steps; ones if None.
        begin_mask: bit i set: slice i has no begin.
        end_mask: bit i set: slice i has no end.
        ellipsis_mask: bit i set: entry i stands for `...`.
        new_axis_mask: bit i set: entry i is a new axis.
        shrink_axis_mask: bit i set: entry i takes the place `begin` alone, and the axis goes.
        var: a variable that is changed by `assign` of the result.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: an entry is out of range, or the lists differ in length.

    >>> strided_slice([1, 2, 3, 4], [0], [4], [2]).numpy().tolist()
    [1, 3]
    """
    check_index_types("StridedSlice", (begin, end, strides), dtypes.ANY_INDICES)
    starts, ends = static_ints(begin, "begin"), static_ints(end, "end")
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    steps = None if strides is None else static_ints(strides, "strides")
    bounds = (starts, ends, steps)
    if any(isinstance(bound, SymbolicValue) for bound in bounds):  # nor is known how many there are
        return apply(
            SLICE_BY, (to_tensor(input_),),
            {"begin": starts, "end": ends, "strides": steps, "masks": masks},
        )  # fmt: skip
    return apply(STRIDED_SLICE, (to_tensor(input_),), {"key": _entries(*bounds, masks)})


def _entries(
    starts: Sequence[Any], ends: Sequence[Any], steps: Sequence[Any] | None, masks: Sequence[int]
) -> Key:
    """The entries of a slice that is given by its bounds.

    Raises:
        InvalidArgumentError: the lists differ in length, or an entry is no slice.
    """
    begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask = masks
    steps = (1,) * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(steps):
        raise invalid_argument(
            "Expected begin, end, and strides to be 1D equal size tensors, but got shapes "
            f"[{len(starts)}], [{len(ends)}], and [{len(steps)}] instead. [Op:StridedSlice]"
        )
    entries: list[Any] = []
    for i, (start, stop, step) in enumerate(zip(starts, ends, steps, strict=True)):
        if ellipsis_mask >> i & 1:
            entries.append(_REST)
        elif new_axis_mask >> i & 1:
            entries.append(_NEW)
        elif shrink_axis_mask >> i & 1:
            if step <= 0:
                raise invalid_argument("only stride 1 allowed on non-range indexing.")
            entries.append(("at", start))
        else:
            first = None if begin_mask >> i & 1 else start
            last = None if end_mask >> i & 1 else stop
            entries.append(("slice", first, last, step))
    if entries.count(_REST) > 1:
        raise invalid_argument("Multiple ellipses in slice spec not allowed [Op:StridedSlice]")
    return tuple(entries)


def slice_by_kernel(input: torch.Tensor, *, begin: Any, end: Any, strides: Any, masks: Any) -> Any:
    """A slice whose bounds are known only now, all of them."""
    return slice_kernel(input, key=_entries(begin, end, strides, masks))


SLICE_BY = op(
    "_StridedSliceBy", "input: T, begin: host, end: host, strides: host, masks: host -> output: T",
    slice_by_kernel, None, T=dtypes.ANY_HELD, is_listed=False,
)  # fmt: skip
