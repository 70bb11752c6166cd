"""Arithmetic on sparse tensors: sums, extremes, softmax, products with dense tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.errors import InvalidArgumentError, invalid_argument
from ...base.shapes import broadcast, runtime_text
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ...devices.late import is_late
from ..convert import to_tensor
from ..infer import Spec
from ..math import unsigned
from ..math.elementwise import dividable
from ..op import Op, apply, op
from ..waiting import RESULT_SIZE
from .places import (
    Dims,
    Place,
    are_inside,
    as_sparse,
    ascending,
    check_inside,
    dims_of,
    in_order_of_places,
    inside,
    merged_places,
    numbers_of,
    outside_of_tuple,
    sizes_as_tensor,
    wrong_axis,
)
from .reduction import largest, summed
from .tensor import SparseTensor, SparseTensorValue
from .turns import in_turns

_PAIR = "a_indices: int64, a_values: T, a_shape: host, b_indices: int64, b_values: T, b_shape: host"


def _merged(
    a: torch.Tensor, a_values: torch.Tensor, b: torch.Tensor, b_values: torch.Tensor, shape: Dims
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The union of the places in order, and both values laid out on it."""
    a_numbers, b_numbers = numbers_of(a, shape), numbers_of(b, shape)
    if not (_in_order(a, a_numbers, shape) and _in_order(b, b_numbers, shape)):
        return _merged_in_turns(a, a_values, b, b_values)
    behind = torch.searchsorted(a_numbers, b_numbers, right=True)
    before = (behind - 1).clamp(min=0)
    is_new = a_numbers[before] != b_numbers if len(a) else torch.ones_like(b_numbers) > 0
    new = is_new.nonzero().reshape(-1)
    first, second = merged_places(behind.index_select(0, new), len(a))
    count = len(first) + len(second)
    places = a.new_empty((count, len(shape)))
    places[first], places[second] = a, b.index_select(0, new)
    right_places = first[before] if len(a) else behind.clone()
    right_places[new] = second
    left = a_values.new_zeros(count).index_copy(0, first, a_values)
    return places, left, b_values.new_zeros(count).index_copy(0, right_places, b_values)


def _in_order(indices: torch.Tensor, numbers: torch.Tensor, shape: Dims) -> bool:
    """True if places ascend, each there once, and are inside: numbers tell others wrong."""
    return not (numbers[1:] <= numbers[:-1]).any() and are_inside(indices, shape)


def _merged_in_turns(
    a: torch.Tensor, a_values: torch.Tensor, b: torch.Tensor, b_values: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The same of any places, one after the other as TensorFlow's kernels go."""
    pairs = torch.tensor(list(in_turns(a.tolist(), b.tolist())), dtype=torch.int64)
    left, right = pairs.reshape(-1, 2).to(a.device).unbind(1)
    places = torch.cat([a, b]).index_select(0, torch.where(left < 0, len(a) + right, left))
    nothing = a_values.new_zeros(1)  # where -1 points to
    return places, torch.cat([a_values, nothing])[left], torch.cat([b_values, nothing])[right]


def _check_pair(a_shape: Dims, b_shape: Dims) -> None:
    if len(a_shape) != len(b_shape):
        raise invalid_argument(
            "Operands do not have the same ranks; got shapes: "
            f"{runtime_text(a_shape)} and {runtime_text(b_shape)}"
        )
    if tuple(a_shape) != tuple(b_shape):
        raise invalid_argument(
            f"operands' shapes do not match: {runtime_text(a_shape)} vs. {runtime_text(b_shape)}"
        )


def _check_extreme(places: Sequence[torch.Tensor], shapes: Sequence[Dims]) -> None:
    """Raises InvalidArgumentError unless two sparse tensors can be compared place by place."""
    for indices, shape in zip(places, shapes, strict=True):
        if indices.shape[1] != len(shape):
            raise invalid_argument(
                f"Index rank ({indices.shape[1]}) and shape rank ({len(shape)}) do not match."
            )
    a, b = shapes
    if len(a) != len(b):
        _check_pair(a, b)
    for i, (one, other) in enumerate(zip(a, b, strict=True)):
        if one != other:
            raise invalid_argument(
                f"Operands' shapes do not match: got {one} and {other} for dimension {i}"
            )
    for indices in places:
        check_inside(indices, a, outside_of_tuple)


def add_kernel(
    a_indices: torch.Tensor,
    a_values: torch.Tensor,
    b_indices: torch.Tensor,
    b_values: torch.Tensor,
    thresh: torch.Tensor,
    *,
    a_shape: Dims,
    b_shape: Dims,
) -> tuple[torch.Tensor, ...]:
    """The sum, without sums of two elements that are below the threshold."""
    _check_pair(a_shape, b_shape)
    places, left, right = _merged(a_indices, a_values, b_indices, b_values, a_shape)
    total = left + right
    sizes = sizes_as_tensor(a_shape, places)
    if not thresh > 0:
        return places, total, sizes
    ones = [torch.ones_like(each) for each in (a_indices[:, 0], b_indices[:, 0])]
    here = _merged(a_indices, ones[0], b_indices, ones[1], a_shape)
    in_both = (here[1] > 0) & (here[2] > 0)
    kept = (~in_both | (total.detach().abs() >= thresh)).nonzero().reshape(-1)
    return places.index_select(0, kept), total.index_select(0, kept), sizes


SPARSE_ADD = op(
    "SparseAdd",
    f"{_PAIR}, thresh: Treal -> sum_indices: int64, sum_values: T, sum_shape: int64",
    add_kernel, None, T=dtypes.NUMBERS, Treal=dtypes.REALS,
    wait_reason=RESULT_SIZE,
)  # fmt: skip


def dense_add_kernel(
    a_indices: torch.Tensor, a_values: torch.Tensor, b: torch.Tensor, *, a_shape: Dims
) -> torch.Tensor:
    """A dense tensor with a sparse one added to it."""
    _dense_add_spec(*[Spec(tuple(x.shape), dtypes.int64) for x in (a_indices, a_values, b)],
                    a_shape=a_shape)  # fmt: skip
    a_indices = inside(a_indices, a_shape, _outside_of_dense)
    flat = b.reshape(-1).index_add(0, numbers_of(a_indices, a_shape), a_values)
    return flat.reshape(b.shape)


def _outside_of_dense(row: int, place: Place, shape: Dims) -> str:
    axis = wrong_axis(place, shape)
    return (
        f"Sparse tensor has an invalid index on dimension {axis}: a_indices({row},{axis}) = "
        f"{place[axis]}, dense tensor shape: {' '.join(map(str, shape))}"
    )


def _dense_add_spec(a_indices: Spec, a_values: Spec, b: Spec, *, a_shape: Dims) -> Spec:
    if b.dims is not None and len(a_shape) != len(b.dims):
        raise invalid_argument(
            f"Two operands have different ranks: {len(a_shape)} vs. {len(b.dims)}"
        )
    if b.dims is not None and tuple(a_shape) != tuple(b.dims):
        i = next(i for i, (x, y) in enumerate(zip(a_shape, b.dims, strict=True)) if x != y)
        raise invalid_argument(
            f"Dimension {i} does not equal (no broadcasting is supported): sparse side "
            f"{a_shape[i]} vs dense side {b.dims[i]}"
        )
    return b


SPARSE_TENSOR_DENSE_ADD = op(
    "SparseTensorDenseAdd",
    "a_indices: Tindices, a_values: T, a_shape: host, b: T -> output: T",
    dense_add_kernel, _dense_add_spec, checks=True, T=dtypes.NUMBERS, Tindices=dtypes.INDICES,
)  # fmt: skip


def _extreme(choose: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Any:
    def kernel(
        a_indices: torch.Tensor,
        a_values: torch.Tensor,
        b_indices: torch.Tensor,
        b_values: torch.Tensor,
        *,
        a_shape: Dims,
        b_shape: Dims,
    ) -> tuple[torch.Tensor, ...]:
        _check_extreme((a_indices, b_indices), (a_shape, b_shape))
        places, left, right = _merged(a_indices, a_values, b_indices, b_values, a_shape)
        return places, choose(left, right)

    return kernel


def _unsigned_extreme(choose: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Any:
    """The same of uint64: torch merges their bits as int64 alone."""

    def chosen(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        both = unsigned.as_unsigned(left), unsigned.as_unsigned(right)
        return unsigned.as_signed(unsigned.extreme(choose)(*both))

    of_bits = _extreme(chosen)

    def kernel(
        a_indices: torch.Tensor, a_values: torch.Tensor, b_indices: torch.Tensor,
        b_values: torch.Tensor, **shapes: Dims,
    ) -> tuple[torch.Tensor, ...]:  # fmt: skip
        a_values, b_values = unsigned.as_signed(a_values), unsigned.as_signed(b_values)
        places, values = of_bits(a_indices, a_values, b_indices, b_values, **shapes)
        return places, unsigned.as_unsigned(values)

    return kernel


def _extreme_op(name: str, choose: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Op:
    signature = f"{_PAIR} -> output_indices: int64, output_values: T"
    return op(
        name, signature, _extreme(choose), None, wait_reason=RESULT_SIZE,
        kernel_for={dtypes.uint64: _unsigned_extreme(choose)}, T=dtypes.REALS,
    )  # fmt: skip


SPARSE_MAXIMUM = _extreme_op("SparseSparseMaximum", torch.maximum)
SPARSE_MINIMUM = _extreme_op("SparseSparseMinimum", torch.minimum)


def softmax_kernel(
    sp_indices: torch.Tensor, sp_values: torch.Tensor, *, sp_shape: Dims
) -> torch.Tensor:
    """Softmax over the elements that are there, along the last axis."""
    _check_matrices(sp_shape)
    if is_late(sp_indices) or not _ascend_inside(sp_indices, sp_shape):
        # TF: values come in the order of their places, which stay as they are.
        order = in_order_of_places(sp_indices)
        sp_indices, sp_values = sp_indices.index_select(0, order), sp_values.index_select(0, order)
    is_next = (sp_indices[1:, :-1] != sp_indices[:-1, :-1]).any(1)
    groups = torch.cat([is_next.new_zeros(min(1, len(sp_values))), is_next]).cumsum(0)
    count = len(sp_values)  # there are no more rows than that
    top = largest(sp_values.detach(), groups, count)
    powers = torch.exp(sp_values - top.index_select(0, groups))
    return powers / summed(powers, groups, count).index_select(0, groups)


def _ascend_inside(indices: torch.Tensor, shape: Dims) -> bool:
    return ascending(numbers_of(indices, shape)) and are_inside(indices, shape)


def _check_matrices(shape: Dims) -> None:
    if len(shape) < 2:
        raise invalid_argument(
            "Input should have rank >= 2, but received shape: " + ", ".join(map(str, shape))
        )


def _softmax_spec(sp_indices: Spec, sp_values: Spec, *, sp_shape: Dims) -> Spec:
    _check_matrices(sp_shape)
    return sp_values


SPARSE_SOFTMAX = op(
    "SparseSoftmax", "sp_indices: int64, sp_values: T, sp_shape: host -> output: T",
    softmax_kernel, _softmax_spec, T=dtypes.FLOATS,
)  # fmt: skip


def _by_element(combine: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Any:
    def kernel(
        sp_indices: torch.Tensor, sp_values: torch.Tensor, dense: torch.Tensor, *, sp_shape: Dims
    ) -> torch.Tensor:
        _check_by_element(sp_shape, tuple(dense.shape))
        stretched = dense.broadcast_to(tuple(sp_shape))
        sp_indices = inside(sp_indices, sp_shape, _outside_of_stretched)
        chosen = stretched[tuple(sp_indices.unbind(-1))] if sp_shape else stretched.reshape(1)
        return combine(sp_values, chosen)

    return kernel


def _outside_of_stretched(row: int, place: Place, shape: Dims) -> str:
    return "Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape"


def _check_by_element(sp_shape: Dims, dense: tuple[int, ...]) -> None:
    try:
        fits = broadcast(tuple(sp_shape), tuple(dense)) == tuple(sp_shape)
    except InvalidArgumentError:
        fits = False
    if not fits:
        raise invalid_argument(
            "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: "
            f"{runtime_text(sp_shape)} vs. {runtime_text(dense)}"
        )


def _by_element_spec(sp_indices: Spec, sp_values: Spec, dense: Spec, *, sp_shape: Dims) -> Spec:
    return sp_values  # TF: whether the dense one can be stretched is asked when it runs


def _divided(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    if x.is_floating_point() or x.is_complex():
        return x / y
    return torch.div(x, y, rounding_mode="trunc")


def _by_element_op(
    name: str, combine: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    kernel_for: Mapping[DType, Any] | None = None,
) -> Op:  # fmt: skip
    return op(
        name, "sp_indices: int64, sp_values: T, sp_shape: host, dense: T -> output: T",
        _by_element(combine), _by_element_spec, checks=True, kernel_for=kernel_for,
        T=dtypes.NUMBERS,
    )  # fmt: skip


CWISE_MUL = _by_element_op("SparseDenseCwiseMul", torch.mul)
_UNSIGNED_QUOTIENT = {dtypes.uint64: _by_element(unsigned.divide)}
CWISE_DIV = _by_element_op("SparseDenseCwiseDiv", _divided, _UNSIGNED_QUOTIENT)
CWISE_ADD = _by_element_op("SparseDenseCwiseAdd", torch.add)


def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """Returns the sum of two tensors of one shape, of which one is sparse (`tf.sparse.add`).

    Args:
        a: a sparse or dense tensor.
        b: another one.
        threshold: sums of two sparse tensors that are closer to 0 than this are left out.

    Returns:
        A sparse tensor if both are, else a dense one.

    Raises:
        TypeError: none is sparse.
        InvalidArgumentError: shapes or types differ.
    """
    a, b = (SparseTensor.from_value(x) if isinstance(x, SparseTensorValue) else x for x in (a, b))
    if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
        thresh = to_tensor(threshold, hint=a.dtype.real_dtype)
        inputs = (a.indices, a.values, b.indices, b.values, thresh)
        attrs = {"a_shape": dims_of(a), "b_shape": dims_of(b)}
        indices, values, sizes = apply(SPARSE_ADD, inputs, attrs)
        return SparseTensor.of(indices, values, sizes, a.shape)
    if not isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    sparse, dense = (a, b) if isinstance(a, SparseTensor) else (b, a)
    dense = to_tensor(dense, hint=sparse.dtype)
    attrs = {"a_shape": dims_of(sparse)}
    return apply(SPARSE_TENSOR_DENSE_ADD, (sparse.indices, sparse.values, dense), attrs)


def maximum(sp_a: TensorLike, sp_b: TensorLike, name: str | None = None) -> SparseTensor:
    """The larger of two sparse tensors, element by element; what is not there counts as 0
    (`tf.sparse.maximum`).
    """
    return _choose(SPARSE_MAXIMUM, sp_a, sp_b)


def minimum(sp_a: TensorLike, sp_b: TensorLike, name: str | None = None) -> SparseTensor:
    """The smaller of two sparse tensors, element by element; what is not there counts as 0
    (`tf.sparse.minimum`).
    """
    return _choose(SPARSE_MINIMUM, sp_a, sp_b)


def _choose(record: Op, sp_a: TensorLike, sp_b: TensorLike) -> SparseTensor:
    a, b = as_sparse(sp_a), as_sparse(sp_b)
    attrs = {"a_shape": dims_of(a), "b_shape": dims_of(b)}
    indices, values = apply(record, (a.indices, a.values, b.indices, b.values), attrs)
    return SparseTensor.of(indices, values, a.dense_shape, a.shape)


def softmax(sp_input: TensorLike, name: str | None = None) -> SparseTensor:
    """Softmax along the last axis over the elements that are there (`tf.sparse.softmax`)."""
    x = as_sparse(sp_input)
    attrs = {"sp_shape": dims_of(x)}
    return x.with_values(apply(SPARSE_SOFTMAX, (x.indices, x.values), attrs))


def _times(record: Op, x: SparseTensor, dense: Any) -> SparseTensor:
    dense = to_tensor(dense, x.dtype)
    return x.with_values(apply(record, (x.indices, x.values, dense), {"sp_shape": dims_of(x)}))


def _mul(self: Any, other: TensorLike) -> Any:
    return _times(CWISE_MUL, self, other)


def _rmul(self: Any, other: TensorLike) -> Any:
    return _mul(self, other) if isinstance(other, Tensor) else NotImplemented


def _truediv(self: Any, other: TensorLike) -> Any:
    """x / dense; integers are divided as those of tensors are, as floats."""
    values, dense = dividable(self.values, to_tensor(other, self.dtype), "__truediv__")
    return _times(CWISE_DIV, self.with_values(values), dense)


for _name, _function in {"__mul__": _mul, "__rmul__": _rmul, "__truediv__": _truediv}.items():
    setattr(SparseTensor, _name, _function)
# Operators of tensors leave it to a sparse tensor on their right what to do.
SparseTensor.__array_priority__ = 200  # type: ignore[attr-defined]
