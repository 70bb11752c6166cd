"""Rows of raw ops on the parts of sparse and ragged tensors: gradients, counts, bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ..base.errors import invalid_argument
from ..base.shapes import runtime_text
from ..ops.infer import Spec
from ..ops.math.counting import dense_bincount_kernel
from ..ops.sparse.places import check_parts
from ..ops.waiting import SIZE_ARGUMENT
from .rows import Row, kernel

Raw = torch.Tensor


def _shares(segment_ids: Raw, kind: str, count: int, dtype: torch.dtype) -> Raw:
    """What each picked row counted in its segment."""
    sizes = torch.bincount(segment_ids, minlength=count).clamp(min=1).to(dtype)
    return {"Sum": torch.ones_like(sizes), "Mean": 1 / sizes, "SqrtN": sizes.rsqrt()}[kind]


def _check_inside(what: str, values: Raw, count: int) -> None:
    """Raises InvalidArgumentError for the first of some numbers that is not below `count`."""
    bad = values[(values < 0) | (values >= count)]
    if bad.numel():
        raise invalid_argument(f"{what} {int(bad[0])} out of range [0, {count}).")


def _check_segments(grad: Raw, indices: Raw, segment_ids: Raw) -> None:
    if segment_ids.shape != indices.shape:
        raise invalid_argument("segment_ids and indices should have same size.")
    if segment_ids.numel() and int(segment_ids[-1]) >= len(grad):
        raise invalid_argument("Invalid number of segments")
    _check_inside("Segment id", segment_ids, len(grad))


def _spread(grad: Raw, indices: Raw, segment_ids: Raw, rows: int, kind: str) -> Raw:
    _check_segments(grad, indices, segment_ids)
    _check_inside("Index", indices, rows)
    ids = segment_ids.long()
    wide = torch.float32 if grad.dtype in (torch.float16, torch.bfloat16) else grad.dtype
    shares = _shares(ids, kind, len(grad), wide)[ids].reshape(-1, *[1] * (grad.ndim - 1))
    made = grad.new_zeros((rows, *grad.shape[1:]), dtype=wide)
    return made.index_add(0, indices.long(), grad.to(wide)[ids] * shares).to(grad.dtype)


def _segments_back(kind: str) -> Any:
    def run(grad: Raw, indices: Raw, segment_ids: Raw, *, output_dim0: int) -> Raw:
        return _spread(grad, indices, segment_ids, output_dim0, kind)

    return run


def _segments_back_rows(kind: str) -> Any:
    """The rows that were picked alone, and which they are."""

    def run(
        grad: Raw, indices: Raw, segment_ids: Raw, *, dense_output_dim0: int
    ) -> tuple[Raw, Raw]:
        _check_segments(grad, indices, segment_ids)
        _check_inside("Index", indices, dense_output_dim0)
        picked, places = torch.unique(indices, return_inverse=True)
        return _spread(grad, places, segment_ids, len(picked), kind), picked

    return run


def _rows_of(table: Raw) -> list[tuple[int, ...]]:
    return [tuple(row) for row in table.tolist()]


def _picked(grad: Raw, wanted: list[Any], known: list[Any]) -> Raw:
    """The gradients at some of the known places; zeros where one is not known."""
    at = {place: i for i, place in enumerate(known)}
    padded = torch.cat([grad, grad.new_zeros((1,))])
    return padded[torch.tensor([at.get(each, len(grad)) for each in wanted], dtype=torch.int64)]


def add_back_kernel(
    backprop_val_grad: Raw, a_indices: Raw, b_indices: Raw, sum_indices: Raw
) -> tuple[Raw, Raw]:
    """The gradients of both sides of a sparse sum."""
    if len(backprop_val_grad) != len(sum_indices):
        raise invalid_argument(
            f"# elements of backprop_val_grad and # rows of sum_indices should match "
            f"(#nnz of sum): got {len(backprop_val_grad)} and {len(sum_indices)}"
        )
    known = _rows_of(sum_indices)
    a, b = (_picked(backprop_val_grad, _rows_of(each), known) for each in (a_indices, b_indices))
    return a, b


def slice_back_kernel(
    backprop_val_grad: Raw, input_indices: Raw, input_start: Raw, output_indices: Raw
) -> Raw:
    """The gradient of a sparse slice."""
    known = _rows_of(output_indices + input_start)
    return _picked(backprop_val_grad, _rows_of(input_indices), known)


def fill_back_kernel(reverse_index_map: Raw, grad_values: Raw) -> tuple[Raw, Raw]:
    """The gradients of the values, and of the default, which stands where no value went."""
    count = len(grad_values)
    for place in reverse_index_map.tolist():
        if not 0 <= place < count:
            raise invalid_argument(
                f"Elements in reverse index must be in [0, {count}) but got {place}"
            )
    seen = torch.zeros(count, dtype=torch.bool)
    seen[reverse_index_map] = True
    rest = grad_values[~seen].sum(dtype=grad_values.dtype)
    return grad_values[reverse_index_map], rest


def fill_ragged_kernel(
    value_rowids: Raw, values: Any, default_value: Any, *, nrows: int
) -> tuple[Any, ...]:
    """(row ids, values, which rows were empty, where each given value went)."""
    ids = value_rowids.tolist()
    for i, row in enumerate(ids):
        if not 0 <= row < nrows:
            raise invalid_argument(f"value_rowids({i}) is invalid: {row} not in [0, {nrows})")
    missing = sorted(set(range(nrows)) - set(ids))
    pairs = [(row, i) for i, row in enumerate(ids)] + [(row, -1) for row in missing]
    pairs.sort(key=lambda pair: pair[0])
    taken = [i for _, i in pairs]
    if isinstance(values, torch.Tensor):
        extended: Any = torch.cat([values, default_value.reshape(1)])[taken]
    else:
        extended = np.concatenate([values, default_value.reshape(1)])[taken]
    behind = {i: place for place, i in enumerate(taken) if i >= 0}
    empty = torch.zeros(nrows, dtype=torch.bool)
    empty[missing] = True
    rows = torch.tensor([row for row, _ in pairs], dtype=torch.int64)
    back = torch.tensor([behind[i] for i in range(len(ids))], dtype=torch.int64)
    return rows, extended, empty, back


def _counted(
    rows: list[Any], shape: tuple[int, ...], minlength: int,
    maxlength: int, binary_output: bool, like: Raw,
) -> tuple[Raw, Raw, Raw]:  # fmt: skip
    """Counts of (row, number, weight), as the parts of a sparse tensor."""
    found: dict[tuple[int, ...], Any] = {}
    most = -1
    for row, number, weight in rows:
        if number < 0:
            raise invalid_argument("Input values must all be non-negative")
        most = max(most, number)
        if maxlength < 0 or number < maxlength:
            key = (*row, number)
            found[key] = 1 if binary_output else found.get(key, 0) + weight
    width = max(minlength, most + 1 if maxlength < 0 else min(most + 1, maxlength))
    width = max(width, 0) if maxlength < 0 else max(min(width, maxlength), minlength, 0)
    places = sorted(found)
    indices = torch.tensor(places, dtype=torch.int64).reshape(len(places), len(shape) + 1)
    values = torch.tensor([found[each] for each in places], dtype=like.dtype)
    return indices, values, torch.tensor([*shape, width], dtype=torch.int64)


def _weights(weights: Raw, values: Raw) -> list[Any]:
    if weights.numel() and weights.shape != values.shape:
        raise invalid_argument(
            "Weights and values must have the same shape. Weight shape: "
            f"{runtime_text(weights.shape)}; values shape: {runtime_text(values.shape)}"
        )
    return weights.reshape(-1).tolist() if weights.numel() else [1] * values.numel()


def dense_count_kernel(
    values: Raw, weights: Raw, *, minlength: int, maxlength: int, binary_output: bool
) -> tuple[Raw, ...]:
    """How often each number is in a vector, or in each row."""
    if values.ndim not in (1, 2):
        raise invalid_argument(
            f"Input must be a 1 or 2-dimensional tensor. Got: {runtime_text(values.shape)}"
        )
    each = _weights(weights, values)
    table = values.reshape(-1, values.shape[-1]).tolist()
    width = values.shape[-1]
    rows = [
        ((i,) if values.ndim == 2 else (), number, each[i * width + j])
        for i, row in enumerate(table)
        for j, number in enumerate(row)
    ]
    shape = tuple(values.shape[:-1])
    return _counted(rows, shape, minlength, maxlength, binary_output, weights)


def sparse_count_kernel(
    indices: Raw, values: Raw, dense_shape: Raw, weights: Raw, *, minlength: int, maxlength: int,
    binary_output: bool,
) -> tuple[Raw, ...]:  # fmt: skip
    """The same of a sparse tensor."""
    is_vector = len(dense_shape) == 1
    each = _weights(weights, values)
    rows = [
        (() if is_vector else (place[0],), number, weight)
        for place, number, weight in zip(indices.tolist(), values.tolist(), each, strict=True)
    ]
    shape = () if is_vector else (int(dense_shape[0]),)
    return _counted(rows, shape, minlength, maxlength, binary_output, weights)


def _row_ids(splits: Raw, count: int) -> list[int]:
    ends = splits.tolist()
    if not ends:
        raise invalid_argument("Splits must be non-empty")
    if ends[0] != 0:
        raise invalid_argument("Splits must start with 0")
    if ends[-1] != count:
        raise invalid_argument(
            f"Splits must end with the number of values, got {ends[-1]} instead of {count}"
        )
    return [row for row in range(len(ends) - 1) for _ in range(ends[row], ends[row + 1])]


def ragged_count_kernel(
    splits: Raw, values: Raw, weights: Raw, *, minlength: int, maxlength: int, binary_output: bool
) -> tuple[Raw, ...]:
    """The same of a ragged tensor."""
    each = _weights(weights, values)
    ids = _row_ids(splits, values.numel())
    rows = [
        ((row,), number, weight)
        for row, number, weight in zip(ids, values.tolist(), each, strict=True)
    ]
    return _counted(rows, (len(splits) - 1,), minlength, maxlength, binary_output, weights)


def _binned(
    rows: list[int] | None, count: int, values: Raw, size: Raw, weights: Raw, binary_output: bool
) -> Raw:
    """Counts of each row, of numbers that stand one after the other."""
    if size.ndim:
        raise invalid_argument(f"Shape must be rank 0 but is rank {size.ndim}")
    bins = int(size)
    if bins < 0:
        raise invalid_argument(f"size ({bins}) must be non-negative")
    if values.numel() and int(values.min()) < 0:
        raise invalid_argument("Input must be non-negative")
    if rows is None:
        return dense_bincount_kernel(values, size, weights, binary_output=binary_output)
    inside = values < bins
    places = torch.tensor(rows, dtype=torch.int64)[inside] * bins + values[inside].long()
    added = weights.reshape(-1)[inside] if weights.numel() else weights.new_ones(len(places))
    flat = weights.new_zeros(count * bins)
    if binary_output:
        flat[places] = 1
    else:
        flat.index_add_(0, places, added)
    return flat.reshape(count, bins)


def _check_sparse(indices: Raw, values: Raw, dense_shape: Raw) -> None:
    """Raises unless three tensors are the parts of a sparse one."""
    if dense_shape.ndim != 1:
        raise invalid_argument(f"Sparse shape must be rank 1 but is rank {dense_shape.ndim}")
    check_parts(indices, values, dense_shape)  # type: ignore[arg-type]
    wrong = ((indices < 0) | (indices >= dense_shape)).any(-1).nonzero()
    if len(wrong):
        row = int(wrong[0])
        raise invalid_argument(
            f"Sparse index tuple indices[{row}, :] = {indices[row].tolist()} is out of bounds"
        )


def sparse_bincount_kernel(
    indices: Raw, values: Raw, dense_shape: Raw, size: Raw, weights: Raw, *, binary_output: bool
) -> Raw:
    """How often each of 0 .. size-1 is in a sparse vector, or in each row of a matrix."""
    _check_sparse(indices, values, dense_shape)
    if weights.numel() not in (0, values.numel()):
        raise invalid_argument("Input indices and weights must have the same size.")
    is_vector = len(dense_shape) == 1
    rows = None if is_vector else indices[:, 0].tolist()
    count = 1 if is_vector else int(dense_shape[0])
    return _binned(rows, count, values, size, weights, binary_output)


def ragged_bincount_kernel(
    splits: Raw, values: Raw, size: Raw, weights: Raw, *, binary_output: bool
) -> Raw:
    """The same of a ragged matrix."""
    ids = _row_ids(splits, values.numel())
    return _binned(ids, len(splits) - 1, values, size, weights, binary_output)


def _cut(grad: Spec, *rest: Spec, output_dim0: int) -> Spec:
    return Spec(None if grad.dims is None else (output_dim0, *grad.dims[1:]), grad.dtype)


def _of_first(count: int) -> Any:
    def rule(grad: Spec, *indices: Spec, **attrs: Any) -> Any:
        made = tuple(
            Spec(None if each.dims is None else each.dims[:1], grad.dtype)
            for each in indices[:count]
        )
        return made if count > 1 else made[0]

    return rule


ROWS: dict[str, Row] = {
    "DenseCountSparseOutput": kernel(dense_count_kernel, None, on_host=True),
    "RaggedBincount": kernel(ragged_bincount_kernel, None, on_host=True),
    "RaggedCountSparseOutput": kernel(ragged_count_kernel, None, on_host=True),
    "RaggedFillEmptyRows": kernel(fill_ragged_kernel, None, scalars="nrows", on_host=True),
    "RaggedFillEmptyRowsGrad": kernel(fill_back_kernel, None, on_host=True),
    "SparseAddGrad": kernel(add_back_kernel, _of_first(2), on_host=True),
    "SparseBincount": kernel(sparse_bincount_kernel, None, on_host=True),
    "SparseCountSparseOutput": kernel(sparse_count_kernel, None, on_host=True),
    "SparseFillEmptyRowsGrad": kernel(fill_back_kernel, None, on_host=True),
    "SparseSliceGrad": kernel(slice_back_kernel, _of_first(1), on_host=True),
    **{
        f"SparseSegment{kind}Grad": kernel(
            _segments_back(kind), _cut, scalars="output_dim0", wait_reason=SIZE_ARGUMENT
        )
        for kind in ("Sum", "Mean", "SqrtN")
    },
    **{
        f"SparseSegment{kind}GradV2": kernel(
            _segments_back_rows(kind), None, scalars="dense_output_dim0", wait_reason=SIZE_ARGUMENT
        )
        for kind in ("Sum", "Mean", "SqrtN")
    },
}
