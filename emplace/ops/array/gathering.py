"""Ops that pick elements and slices by index or by mask."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import NotFoundError, invalid_argument
from ...base.shapes import TensorShape, num_elements, runtime_text
from ...base.typing import Axis, ShapeLike, TensorLike
from ...core.composite import CompositeTensor
from ...core.tensor import EagerTensor, Tensor
from ...devices.late import is_late, note, refuse
from ..arguments import (
    check_index_types,
    is_symbolic,
    known_int,
    number_now,
    one_int,
    one_number,
    static_ints,
    unranked_int,
    wrong_argument,
)
from ..convert import to_tensor
from ..deferred import deferrable
from ..infer import Spec, known_dims, shape_only
from ..op import apply, op
from ..waiting import RESULT_SIZE
from .joining import concat
from .movement import moves
from .shaping import axis_size, reshape, shape


@moves
def gather_kernel(
    params: torch.Tensor, indices: torch.Tensor, *, axis: int, batch_dims: int = 0
) -> torch.Tensor:
    """Slices of params along an axis, in the order of the indices.

    The first `batch_dims` axes of both belong together: each slice of params has indices of its
    own. Graphs may know only now how many axes there are to count from behind.
    """
    axis, batch_dims = _from_front(params.ndim, indices.ndim, axis, batch_dims)
    if batch_dims:
        return _gather_batches(params, indices, axis, batch_dims)
    flat = pick(params, axis, indices)
    if indices.ndim == 1:
        return flat
    return flat.reshape((*params.shape[:axis], *indices.shape, *params.shape[axis + 1 :]))


def _from_front(rank: int, index_rank: int, axis: int, batch_dims: int) -> tuple[int, int]:
    if not 0 <= axis < rank or batch_dims < 0:
        return _checked_axes(rank, index_rank, axis, batch_dims)
    return axis, batch_dims


def pick(params: torch.Tensor, axis: int, indices: torch.Tensor) -> torch.Tensor:
    """Slices of params along an axis, one for each index.

    Raises:
        InvalidArgumentError: an index is out of range.
    """
    if indices.dtype is torch.int16:
        indices = indices.long()
    flat = indices.reshape(-1)
    if is_late(flat):
        return params.index_select(axis, inside(indices, params.shape[axis]).reshape(-1))
    try:
        return params.index_select(axis, flat)
    except (IndexError, RuntimeError):
        check_indices(indices, params.shape[axis])
        raise


def inside(indices: torch.Tensor, size: int) -> torch.Tensor:
    """Indices below `size`: these, after a check. Where it is late, wrong ones are replaced, for
    kernels of GPUs would reach what is not theirs.

    Raises:
        InvalidArgumentError: one is out of range; maybe later.
    """
    if not is_late(indices):
        check_indices(indices, size)
        return indices
    if not size and indices.numel():
        refuse(check_indices, (indices,), size)
    safe = indices.clamp(0, max(size - 1, 0))
    wrong = safe != indices
    if indices.numel() <= _MOST_KEPT:
        note(wrong.any(), check_indices, (indices,), size)
    else:
        place = wrong.reshape(-1).to(torch.uint8).argmax().reshape(1)
        first = indices.reshape(-1).index_select(0, place)
        note(wrong.any(), _check_first, (first, place), tuple(indices.shape), size)
    return safe


# Of more indices the first wrong one is kept for the error, not all.
_MOST_KEPT = 1 << 18


def _check_first(
    first: torch.Tensor, place: torch.Tensor, shape: tuple[int, ...], size: int
) -> NoReturn:
    raise _bad_index(np.unravel_index(int(place), shape), int(first), size)


def _bad_index(place: Sequence[Any], index: int, size: int) -> Exception:
    text = ",".join(map(str, place))
    return invalid_argument(f"indices[{text}] = {index} is not in [0, {size})")


def check_indices(indices: torch.Tensor, size: int) -> None:
    """Raises InvalidArgumentError, naming the first wrong one, unless all are below `size`."""
    if not indices.numel():
        return
    low, high = (int(end) for end in indices.aminmax())
    if low < 0 or high >= size:
        place = ((indices < 0) | (indices >= size)).nonzero()[0].tolist()
        raise _bad_index(place, int(indices[tuple(place)]), size)


def _gather_batches(
    params: torch.Tensor, indices: torch.Tensor, axis: int, batch_dims: int
) -> torch.Tensor:
    size = params.shape[axis]
    indices = inside(indices, size)
    batch, outer = params.shape[:batch_dims], params.shape[batch_dims:axis]
    inner, wanted = params.shape[axis + 1 :], indices.shape[batch_dims:]
    count, each = num_elements(tuple(batch)), num_elements(tuple(wanted))
    slices = params.movedim(axis, batch_dims).reshape((count * size, *outer, *inner))
    starts = torch.arange(count, device=indices.device) * size
    places = indices.reshape((count, each)).long() + starts.unsqueeze(1)
    found = slices.index_select(0, places.reshape(-1))
    found = found.reshape((*batch, each, *outer, *inner))
    return found.movedim(batch_dims, axis).reshape((*batch, *outer, *wanted, *inner))


def _gather_spec(params: Spec, indices: Spec, *, axis: int, batch_dims: int = 0) -> Spec:
    dims, wanted = params.dims or (), indices.dims or ()
    axis, batch_dims = _from_front(len(dims), len(wanted), axis, batch_dims)
    for i, (size, other) in enumerate(zip(dims[:batch_dims], wanted, strict=False)):
        if size != other:
            raise invalid_argument(
                f"params.shape[{i}]: {size} should be equal to indices.shape[{i}]: {other}"
            )
    return Spec((*dims[:axis], *wanted[batch_dims:], *dims[axis + 1 :]), params.dtype)


GATHER = op(
    "GatherV2", "params: Tparams, indices: Tindices, axis: host -> output: Tparams",
    gather_kernel, _gather_spec, checks=True, Tparams=dtypes.ANY_HELD,
    Tindices=dtypes.ANY_INDICES,
)  # fmt: skip


@moves
def gather_nd_kernel(
    params: torch.Tensor, indices: torch.Tensor, *, bad_indices_policy: str = ""
) -> torch.Tensor:
    """Slices of params, each named by a row of indices for its first axes."""
    depth = indices.shape[-1]
    made = known_dims(_gather_nd_spec(shape_only(params), shape_only(indices)))
    inner = params.shape[depth:]
    if not params.numel() and num_elements(tuple(indices.shape[:-1])):
        raise invalid_argument(
            "Requested more than 0 entries, but params is empty.  Params shape: "
            f"{runtime_text(params.shape)}"
        )
    if not depth:
        return params.expand(made).contiguous()
    if not num_elements(made):
        return params.new_empty(made)
    if bad_indices_policy == "IGNORE":
        places, bad = flat_places(indices, params.shape[:depth])
    else:
        said = "param ", ", node name: GatherNd"
        places, bad = checked_places(indices, params.shape[:depth], params.shape, *said)
    found = params.reshape((-1, *inner)).index_select(0, places)
    if bad is not None:
        found = found.masked_fill(bad.reshape((-1, *[1] * len(inner))), 0)
    return found.reshape(made)


def flat_places(
    indices: torch.Tensor, dims: Sequence[int]
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Rows of indices as places in the flattened axes, and which of them are out of range.

    Rows that are out of range stand for place 0. None instead of the latter if none is, and that
    can be known without a wait.
    """
    rows = indices.reshape(-1, indices.shape[-1]).long()
    if is_late(rows) or not _are_inside(rows, dims):
        bad = torch.zeros_like(rows[:, 0], dtype=torch.bool)
        for i, size in enumerate(dims):
            bad |= (rows[:, i] < 0) | (rows[:, i] >= size)
        return _combined(rows, dims).masked_fill(bad, 0), bad
    return _combined(rows, dims), None


def checked_places(
    indices: torch.Tensor,
    dims: Sequence[int],
    shape: Sequence[int],
    what: str = "",
    end: str = "",
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """As `flat_places`, for rows that must be inside.

    Raises:
        InvalidArgumentError: one is out of range of `dims`, the first sizes of `shape`; maybe
            later.
    """
    places, bad = flat_places(indices, dims)
    if bad is not None:
        facts = tuple(dims), tuple(shape), what, end
        if not is_late(indices):
            _refuse_rows(indices, *facts)
        note(bad.any(), _refuse_rows, (indices,), *facts)
    return places, bad


def _refuse_rows(
    indices: torch.Tensor, dims: Sequence[int], shape: Sequence[int], what: str, end: str
) -> NoReturn:
    bad = flat_places(indices, dims)[1]
    assert bad is not None
    raise bad_row(indices, bad, shape, what, end)


def _are_inside(rows: torch.Tensor, dims: Sequence[int]) -> bool:
    if not rows.numel():
        return True
    low, high = rows.aminmax(dim=0)
    return min(low.tolist()) >= 0 and all(map(operator.lt, high.tolist(), dims))


def _combined(rows: torch.Tensor, dims: Sequence[int]) -> torch.Tensor:
    places = rows[:, 0]
    for i, size in enumerate(dims[1:], 1):
        places = places * size + rows[:, i]
    return places


def _steps(dims: Sequence[int]) -> list[int]:
    steps = [1]
    for size in reversed(dims[1:]):
        steps.append(steps[-1] * size)
    return steps[: len(dims)][::-1]


def bad_row(
    indices: torch.Tensor, bad: torch.Tensor, dims: Sequence[int], what: str = "", end: str = ""
) -> Exception:
    """The error that names the first row of indices that is out of range."""
    row = int(bad.nonzero()[0])
    values = indices.reshape(-1, indices.shape[-1])[row].tolist()
    place = ",".join(map(str, np.unravel_index(row, indices.shape[:-1])))
    return invalid_argument(
        f"indices[{place}] = {values} does not index into {what}shape {runtime_text(dims)}{end}"
    )


def _gather_nd_spec(params: Spec, indices: Spec, *, bad_indices_policy: str = "") -> Spec:
    dims, rows = params.dims or (), indices.dims or ()
    if not rows:
        raise invalid_argument("indices must be at least a vector")
    depth = rows[-1] or 0
    if depth > len(dims):
        raise invalid_argument(
            f"index innermost dimension length must be <= params rank; saw: {depth} vs. {len(dims)}"
        )
    return Spec((*rows[:-1], *dims[depth:]), params.dtype)


GATHER_ND = op(
    "GatherNd", "params: Tparams, indices: Tindices -> output: Tparams",
    gather_nd_kernel, _gather_nd_spec, checks=True, Tparams=dtypes.ANY_HELD,
    Tindices=dtypes.ANY_INDICES,
)  # fmt: skip


def gather(
    params: TensorLike,
    indices: Any,
    validate_indices: object = None,
    axis: Axis | None = None,
    batch_dims: int | None = 0,
    name: str | None = None,
) -> Tensor:
    """Slices of params along an axis, in the order of the indices (`tf.gather`).

    Args:
        params: a tensor or a variable; of a variable only what is asked for is read.
        indices: int16, int32 or int64, any shape.
        validate_indices: not used; indices are always checked.
        axis: the axis; `batch_dims` if None.
        batch_dims: how many first axes of params and indices belong together.
        name: a name in graphs.

    Returns:
        params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:].

    Raises:
        InvalidArgumentError: an index is out of range.
        ValueError: an axis is, and the tensors are ragged.

    >>> gather([10, 20, 30], [2, 0]).numpy().tolist()
    [30, 10]
    """
    if type(batch_dims) is not int:
        batch_dims = 0 if batch_dims is None else known_int(batch_dims)
    place = batch_dims if axis is None else one_axis(axis)
    if type(params) is not EagerTensor:
        if not batch_dims and type(place) is int and place == 0 and hasattr(params, "sparse_read"):
            read: Tensor = params.sparse_read(indices)
            return read
        params = to_tensor(params)
    indices = to_tensor(indices)
    rank, index_rank = params.ndim, indices.ndim
    if rank is not None is not index_rank and isinstance(place, int):
        if isinstance(params, CompositeTensor) or isinstance(indices, CompositeTensor):
            if axis is None and -index_rank <= place < 0:
                place += index_rank  # the axis behind the batches, whatever the rank of params
            _check_ragged_axes(rank, index_rank, place, batch_dims)
        place, batch_dims = _checked_axes(rank, index_rank, place, batch_dims)
    batch_dims = batches_from_front(index_rank, batch_dims)
    attrs = {"axis": place, "batch_dims": batch_dims} if batch_dims else {"axis": place}
    return apply(GATHER, (params, indices), attrs)


def batches_from_front(index_rank: int | None, batch_dims: int) -> int:
    """The count of batches where the indices' rank tells it. Still negative, so that gradients
    are refused (as in TensorFlow), where it does not: also in a graph that calls the function
    that was traced so, and knows the rank itself.
    """
    if index_rank is None or not -index_rank <= batch_dims < 0:
        return batch_dims
    return batch_dims + index_rank


def one_axis(axis: Axis) -> Any:
    """An axis as a number, or as a `SymbolicValue` where only running the graph tells it."""
    if is_symbolic(axis):
        refusal = "axis must be scalar, got shape {shape}"
        return unranked_int(axis, refusal) if axis.shape.rank is None else one_int(axis, refusal)
    return one_number(axis, "axis")


def _check_ragged_axes(rank: int, index_rank: int, axis: int, batch_dims: int) -> None:
    """Raises what TensorFlow raises for wrong axes where one of both is ragged."""
    if batch_dims and not -index_rank <= batch_dims <= index_rank:
        raise ValueError(
            f"batch_dims={batch_dims} out of bounds: expected {-index_rank}<=batch_dims<="
            f"{index_rank}"
        )
    if not -rank <= axis < rank:
        raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    if (batch_dims + index_rank if batch_dims < 0 else batch_dims) > axis % rank:
        raise ValueError("axis must be greater than or equal to batch_dims")


def _checked_axes(rank: int, index_rank: int, axis: int, batch_dims: int) -> tuple[int, int]:
    """Both counted from the front."""
    if rank == 0:
        raise wrong_argument(
            "params must be at least 1 dimensional [Op:GatherV2]",
            "Shape must be at least rank 1 but is rank 0",
        )
    if not -rank <= axis < rank:
        least = axis + 1 if axis >= 0 else -axis
        text = f"Shape must be at least rank {least} but is rank {rank}"
        raise wrong_argument(f"{text} [Op:GatherV2]", text)
    if batch_dims and not -index_rank <= batch_dims <= index_rank:
        text = (
            f"Expected batch_dims in the range [{-index_rank}, {index_rank}], but got {batch_dims}"
        )
        raise wrong_argument(f"{text} [Op:GatherV2]", text)
    if batch_dims < 0:
        batch_dims += index_rank
    axis %= rank
    if batch_dims > axis:
        text = f"batch_dims ({batch_dims}) must be less than or equal to axis ({axis})."
        raise wrong_argument(f"{text} [Op:GatherV2]", text)
    return axis, batch_dims


def gather_nd(
    params: Any,
    indices: Any,
    batch_dims: Axis | None = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Any:
    """Slices of params, each named by indices for its first axes (`tf.gather_nd`).

    Args:
        params: a tensor or a variable.
        indices: shape (..., depth): each row names the place along the first `depth` axes.
        batch_dims: how many first axes of params and indices belong together.
        name: a name in graphs.
        bad_indices_policy: "IGNORE" gives zeros for rows that are out of range.

    Returns:
        indices.shape[:-1] + params.shape[depth:].

    Raises:
        InvalidArgumentError: a row is out of range.

    >>> gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy().tolist()
    [2, 3]
    """
    if bad_indices_policy not in ("", "DEFAULT", "ERROR", "IGNORE"):
        raise NotFoundError(
            None, None, f"There is no kernel for bad_indices_policy={bad_indices_policy!r}. "
            "Use 'ERROR' or 'IGNORE'.",
        )  # fmt: skip
    places = one_number(batch_dims, "batch_dims")
    if type(params) is not EagerTensor:
        if not places and hasattr(params, "sparse_read"):
            return params.gather_nd(indices)
        params = to_tensor(params)
    indices = to_tensor(indices)
    attrs = {"bad_indices_policy": bad_indices_policy} if bad_indices_policy else None
    if places:
        if isinstance(params, CompositeTensor) or isinstance(indices, CompositeTensor):
            raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
        is_open = not indices.shape.is_fully_defined()
        return (_in_open_batches if is_open else _in_batches)(params, indices, places, attrs)
    return apply(GATHER_ND, (params, indices), attrs)


def _in_batches(params: Tensor, indices: Tensor, batch_dims: int, attrs: Any) -> Any:
    return apply(GATHER_ND, (params, _with_batch(indices, batch_dims)), attrs)


_in_open_batches = deferrable(_in_batches)


def _with_batch(indices: Tensor, batch_dims: int) -> Tensor:
    """Indices with the place of their batch written in front."""
    dims = indices.shape.as_list()
    if not 0 <= batch_dims < len(dims):
        raise invalid_argument(
            f"batch_dims = {batch_dims} must be less than rank(indices) = {len(dims)} [Op:GatherNd]"
        )
    grid = np.indices(dims[:batch_dims]).reshape(batch_dims, *dims[:batch_dims])
    rest = dims[batch_dims:-1]
    grid = np.moveaxis(grid, 0, -1).reshape(*dims[:batch_dims], *[1] * len(rest), batch_dims)
    grid = np.broadcast_to(grid, (*dims[:-1], batch_dims)).astype(indices.dtype.as_numpy_dtype)
    return concat([to_tensor(grid), indices], -1)


def where_kernel(condition: torch.Tensor) -> torch.Tensor:
    """The places of all True elements, a row each."""
    if condition.ndim == 0:
        raise invalid_argument("WhereOp : Unhandled input dimensions: 0")
    return torch.nonzero(condition)


WHERE = op(
    "Where", "condition: T -> index: int64", where_kernel, None, wait_reason=RESULT_SIZE,
    T=dtypes.ANY_FIXED,
)  # fmt: skip


def boolean_mask(
    tensor: TensorLike, mask: TensorLike, axis: int | None = None, name: str | None = "boolean_mask"
) -> Any:
    """Returns the elements or slices where a mask is True (`tf.boolean_mask`).

    Args:
        tensor: a tensor.
        mask: bools; its shape is a part of the tensor's.
        axis: where in the tensor's shape the mask's begins; 0 if None.
        name: a name in graphs.

    Raises:
        ValueError: the mask is a scalar, or its shape is no part of the tensor's.

    >>> boolean_mask([1, 2, 3], [True, False, True]).numpy().tolist()
    [1, 3]
    """
    tensor, mask = to_tensor(tensor), to_tensor(mask)
    start = 0 if axis is None else number_now(axis)
    if is_symbolic(start):
        start = reshape(start, ())
    covered = mask.shape.rank
    if covered is None:
        raise ValueError(
            "Number of mask dimensions must be specified, even if some dimensions are None.  E.g. "
            "shape=[None] is ok, but shape=None is not."
        )
    if covered == 0:
        raise ValueError("mask cannot be scalar.")
    if tensor.shape.rank is None or is_symbolic(start):
        sizes = shape(tensor)
        flat_shape: Any = concat([sizes[:start], [-1], sizes[start + covered :]], 0)
    else:
        flat_shape = _with_one_axis(tensor, mask, start, covered)
    places = reshape(apply(WHERE, (reshape(mask, (-1,)),)), (-1,))
    return gather(reshape(tensor, flat_shape), places, axis=start)


def _with_one_axis(tensor: Tensor, mask: Tensor, start: int, covered: int) -> tuple[Any, ...]:
    """The shape of a tensor that has one axis where the mask has several."""
    dims, mask_dims = tensor.shape.as_list(), mask.shape.as_list()
    part = dims[start : start + covered]
    if part != mask_dims and not TensorShape(part).is_compatible_with(mask_dims):
        raise ValueError(f"Shapes {tuple(part)} and {mask.shape} are incompatible")
    if None in dims:
        dims = [axis_size(tensor, i) for i in range(len(dims))]
    count = -1 if None in part else num_elements(tuple(part))
    return (*dims[:start], count, *dims[start + covered :])


def _check_unravelled(indices: torch.Tensor, count: int) -> None:
    if indices.numel():
        low, high = (int(end) for end in indices.aminmax())
        if low < 0 or high >= count:
            raise invalid_argument("index is out of bound as with dims")


def unravel_index_kernel(indices: torch.Tensor, *, dims: tuple[int, ...]) -> torch.Tensor:
    """Places in a flattened tensor as places along its axes, one row for each axis."""
    if 0 in dims:
        raise invalid_argument(f"Input dims cannot contain a dim of zero, got {list(dims)}")
    if num_elements(dims) > torch.iinfo(indices.dtype).max:
        raise invalid_argument(
            f"Input dims product is causing integer overflow: {list(dims)} has more places than "
            f"{dtypes.as_dtype(indices.dtype).name} can number"
        )
    if is_late(indices):
        wrong = (indices < 0) | (indices >= num_elements(dims))
        note(wrong.any(), _check_unravelled, (indices,), num_elements(dims))
    else:
        _check_unravelled(indices, num_elements(dims))
    rows = []
    for size, step in zip(dims, _steps(dims), strict=True):
        rows.append(torch.div(indices, step, rounding_mode="floor") % size)
    return torch.stack(rows)


def _unravel_index_spec(indices: Spec, *, dims: tuple[int, ...]) -> Spec:
    return Spec((len(dims), *(indices.dims or ())), indices.dtype)


UNRAVEL_INDEX = op(
    "UnravelIndex", "indices: Tidx, dims: host -> output: Tidx",
    unravel_index_kernel, _unravel_index_spec, checks=True, Tidx=dtypes.INDICES,
)  # fmt: skip


def unravel_index(indices: TensorLike, dims: ShapeLike | None, name: str | None = None) -> Tensor:
    """Places in a flattened tensor as places along its axes (`tf.unravel_index`).

    Raises:
        InvalidArgumentError: a place is out of range, a size is 0, or there are more places than
            the dtype of the indices can number.

    >>> unravel_index([5], [2, 3]).numpy().tolist()
    [[1], [2]]
    """
    hint = dims.dtype if isinstance(dims, Tensor) else None
    indices = to_tensor(indices, hint=hint)
    check_index_types("UnravelIndex", (indices, dims), dtypes.INDICES, start=0)
    return apply(UNRAVEL_INDEX, (indices,), {"dims": static_ints(dims, "dims")})
