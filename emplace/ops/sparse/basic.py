"""Sparse tensors: from and to dense ones, the order of their places, another shape.

Ops work on places and values; shapes are plain numbers, so that nothing waits for a GPU.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import as_dtype
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape, runtime_text
from ...base.typing import Axis, DTypeLike, ShapeLike, TensorLike
from ...core.context import LOCAL
from ...core.symbolic_value import SymbolicValue, symbolic_values
from ...core.tensor import Tensor
from ...devices.late import is_late
from ..arguments import check_that, is_symbolic, one_number, read_now, static_ints
from ..array.gathering import WHERE, gather
from ..array.joining import concat, stack
from ..array.making import ones, range_, zeros_like
from ..array.shaping import (
    expand_dims as expand_dense,
    reshape as reshape_dense,
    size as size_of_dense,
    sizes_of,
)
from ..composite import composite_rule
from ..convert import to_tensor
from ..host_values import full_of
from ..infer import Spec
from ..math.elementwise import add, cast, equal, minimum, not_equal
from ..math.reduction import reduce_any, reduce_max, reduce_prod
from ..op import CPU_ONLY, Op, apply, op
from ..strings.basic import length
from .places import (
    Dims,
    as_sparse,
    ascending,
    check_in_order,
    check_parts,
    dims_of,
    dims_of_dense,
    inside,
    made,
    numbers_of,
    outside_of_shape,
    places_of,
    put_together,
    size_tensor,
    sizes_as_tensor,
    take,
)
from .tensor import SparseTensor
from .unranked import needs_sparse_rank


def to_dense_kernel(
    sparse_indices: torch.Tensor,
    sparse_values: np.ndarray[Any, Any] | torch.Tensor,
    default_value: Any,
    *,
    output_shape: Dims,
    validate_indices: bool = True,
) -> Any:
    """A tensor of one value with others put into it."""
    _check_forms(sparse_indices, sparse_values, default_value)
    if sparse_indices.ndim == 2 and sparse_indices.shape[1] != len(output_shape):
        raise invalid_argument(
            f"output_shape has incorrect number of elements: {len(output_shape)} should be: "
            f"{sparse_indices.shape[1]}"
        )
    places = sparse_indices.reshape(-1, len(output_shape)).long()
    places = inside(places, output_shape, None if validate_indices else outside_of_shape)
    if validate_indices:
        check_in_order(places, output_shape)
    numbers = numbers_of(places, output_shape)
    if not isinstance(sparse_values, torch.Tensor):
        texts = full_of((math.prod(output_shape),), default_value[()])
        texts[numbers.numpy()] = sparse_values
        return texts.reshape(tuple(output_shape))
    flat = default_value.expand(math.prod(output_shape)).clone()
    flat.index_copy_(0, numbers, sparse_values.expand(len(numbers)))
    return flat.reshape(tuple(output_shape))


def _check_forms(indices: torch.Tensor, values: Any, default: Any) -> None:
    if indices.ndim > 2:
        raise invalid_argument(
            "sparse_indices should be a scalar, vector, or matrix, got shape "
            f"{runtime_text(indices.shape)}"
        )
    count = indices.shape[0] if indices.ndim else 1
    if values.ndim and tuple(values.shape) != (count,):
        raise invalid_argument(
            f"sparse_values has incorrect shape {runtime_text(values.shape)}, should be [] or "
            f"[{count}]"
        )
    if default.ndim:
        raise invalid_argument("default_value should be a scalar.")


def _to_dense_spec(
    sparse_indices: Spec, sparse_values: Spec, default_value: Spec, *, output_shape: Dims, **_: Any
) -> Spec:
    if default_value.dims:
        raise invalid_argument("default_value should be a scalar.")
    return Spec(tuple(output_shape), sparse_values.dtype)


SPARSE_TO_DENSE = op(
    "SparseToDense",
    "sparse_indices: Tindices, output_shape: host, sparse_values: T, default_value: T -> dense: T",
    to_dense_kernel, _to_dense_spec, checks=True, T=dtypes.ANY, Tindices=dtypes.INDICES,
)  # fmt: skip


def reorder_kernel(
    input_indices: torch.Tensor,
    input_values: np.ndarray[Any, Any] | torch.Tensor,
    *,
    input_shape: Dims,
) -> tuple[Any, ...]:
    """The same elements in ascending order of their places."""
    check_parts(input_indices, input_values, input_shape)
    input_indices = inside(input_indices, input_shape)
    numbers = numbers_of(input_indices, input_shape)
    if not is_late(numbers) and ascending(numbers):
        return input_indices, input_values
    order = torch.argsort(numbers, stable=True)
    return input_indices.index_select(0, order), take(input_values, order)


def _is_in_order(input_indices: torch.Tensor, values: object, *, input_shape: Dims) -> bool:
    if is_late(input_indices) or input_indices.ndim != 2:
        return False
    return ascending(numbers_of(input_indices, input_shape))


def _reorder_spec(indices: Spec, values: Spec, **attrs: Any) -> tuple[Spec, Spec]:
    return indices, values


SPARSE_REORDER = op(
    "SparseReorder",
    "input_indices: int64, input_values: T, input_shape: host "
    "-> output_indices: int64, output_values: T",
    reorder_kernel, _reorder_spec, checks=True, aliases=_is_in_order, T=dtypes.ANY,
)  # fmt: skip


def reshape_kernel(
    input_indices: torch.Tensor, *, input_shape: Dims, new_shape: Dims
) -> tuple[torch.Tensor, torch.Tensor]:
    """The places of the same elements in another shape, and that shape with -1 worked out."""
    dims = reshaped(input_shape, new_shape)
    if dims == tuple(input_shape):  # TF: places outside of the shape stay what they are, too
        return input_indices.clone(), sizes_as_tensor(dims, input_indices)
    places = places_of(numbers_of(input_indices, input_shape), dims)
    return places, sizes_as_tensor(dims, input_indices)


def reshaped(dims: Dims, shape: Dims) -> tuple[int, ...]:
    """The new shape, its one -1 worked out.

    Raises:
        InvalidArgumentError: it has not as many elements, or several sizes are unknown.
    """
    unknown = [i for i, size in enumerate(shape) if size == -1]
    if len(unknown) > 1:
        raise invalid_argument(
            f"only one output dimension may be -1, not both {unknown[0]} and {unknown[1]}"
        )
    for i, size in enumerate(shape):
        if size < -1:
            raise invalid_argument(f"size {i} must be non-negative, not {size}")
    count, known = math.prod(dims), math.prod(size for size in shape if size != -1)
    if unknown:
        if known == 0:
            raise invalid_argument(
                "reshape cannot infer the missing input size for an empty tensor unless all "
                "specified input sizes are non-zero"
            )
        if count % known:
            raise invalid_argument(
                f"Input to reshape is a SparseTensor with {count} dense values, but the requested "
                f"shape requires a multiple of {known}. input_shape={runtime_text(dims)} "
                f"output_shape={runtime_text(shape)}"
            )
        return tuple(count // known if size == -1 else size for size in shape)
    if known != count:
        raise invalid_argument(
            f"Input to reshape is a tensor with {count} dense values, but the requested shape has "
            f"{known}. input_shape={runtime_text(dims)} output_shape={runtime_text(shape)}"
        )
    return tuple(shape)


def _reshape_spec(input_indices: Spec, *, input_shape: Dims, new_shape: Dims) -> tuple[Spec, Spec]:
    rank = len(reshaped(input_shape, new_shape))
    count = (input_indices.dims or (None,))[0]
    return Spec((count, rank), dtypes.int64), Spec((rank,), dtypes.int64)


SPARSE_RESHAPE = op(
    "SparseReshape",
    "input_indices: int64, input_shape: host, new_shape: host "
    "-> output_indices: int64, output_shape: int64",
    reshape_kernel, _reshape_spec,
)  # fmt: skip


def from_dense(tensor: TensorLike, name: str | None = None) -> SparseTensor:
    """The elements that are not zero, False or empty (`tf.sparse.from_dense`).

    >>> from_dense([[0, 5], [0, 0]]).indices.numpy().tolist()
    [[0, 1]]
    """
    tensor = to_tensor(tensor)
    if tensor.shape.rank == 0:
        raise invalid_argument("WhereOp : Unhandled input dimensions: 0 [Op:Where] name: ")
    is_kept = _is_something(tensor)
    dims = dims_of_dense(tensor)
    flat = reshape_dense(tensor, [-1])
    numbers = reshape_dense(apply(WHERE, (reshape_dense(is_kept, [-1]),)), [-1])
    places = apply(WHERE, (is_kept,))
    return made(places, gather(flat, numbers), dims)


def _is_something(tensor: Tensor) -> Tensor:
    """True where a tensor is not zero, False or empty."""
    if tensor.dtype is dtypes.bool_:
        return tensor
    if tensor.dtype is dtypes.string:
        tensor = length(tensor)
    return not_equal(tensor, to_tensor(0, tensor.dtype))


def to_dense(
    sp_input: TensorLike,
    default_value: TensorLike | None = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """Returns a dense tensor of the same elements (`tf.sparse.to_dense`).

    Args:
        sp_input: a sparse tensor.
        default_value: what stands where no element is; 0, False or "" if None.
        validate_indices: refuse places that are out of order or repeated.
        name: a name in graphs.

    Raises:
        TypeError: sp_input is no sparse tensor.
        InvalidArgumentError: a place is outside of the shape, out of order or repeated.

    >>> to_dense(SparseTensor([[1]], [5], [3])).numpy().tolist()
    [0, 5, 0]
    """
    x = as_sparse(sp_input)
    if default_value is None:
        default_value = b"" if x.dtype is dtypes.string else False if x.dtype is dtypes.bool_ else 0
    default = to_tensor(default_value, hint=x.dtype)
    attrs = {"output_shape": dims_of(x), "validate_indices": bool(validate_indices)}
    return apply(SPARSE_TO_DENSE, (x.indices, x.values, default), attrs)


def eye(
    num_rows: Any,
    num_columns: Any = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> SparseTensor:
    """Returns ones on the diagonal (`tf.sparse.eye`).

    Args:
        num_rows: how many rows.
        num_columns: how many columns; as many as rows for None.
        dtype: the dtype.
        name: a name in graphs.
    """
    rows = one_number(num_rows, "num_rows")
    columns = rows if num_columns is None else one_number(num_columns, "num_columns")
    numbers = range_(_smaller(rows, columns), dtype=dtypes.int64)
    places = stack([numbers, numbers], 1)
    return made(places, ones(sizes_of(numbers), as_dtype(dtype)), (rows, columns))


def _smaller(a: int, b: int) -> Any:
    """The smaller of two sizes; a tensor if a graph does not know them."""
    if not isinstance(a, SymbolicValue) and not isinstance(b, SymbolicValue):
        return min(a, b)
    return minimum(size_tensor(a), size_tensor(b))


def reorder(sp_input: TensorLike, name: str | None = None) -> SparseTensor:
    """The same elements in ascending order of their places (`tf.sparse.reorder`)."""
    x = as_sparse(sp_input)
    return _reordered(x.indices, x.values, x)


def _reordered(indices: Tensor, values: Tensor, like: SparseTensor) -> SparseTensor:
    attrs = {"input_shape": dims_of(like)}
    indices, values = apply(SPARSE_REORDER, (indices, values), attrs)
    return SparseTensor.of(indices, values, like.dense_shape, like.shape)


def reshape(sp_input: Any, shape: ShapeLike | None, name: str | None = None) -> SparseTensor:
    """The same elements in another shape (`tf.sparse.reshape`).

    Raises:
        InvalidArgumentError: the sizes do not fit.
    """
    x = as_sparse(sp_input)
    dims = dims_of(x)
    wanted = static_ints(shape, "a shape")
    known = None
    if not LOCAL.state.target.is_eager and x.shape.is_fully_defined():
        known = _worked_out(math.prod(x.shape.as_list()), wanted)
    attrs = {"input_shape": dims, "new_shape": wanted}
    indices, sizes = apply(SPARSE_RESHAPE, (x.indices,), attrs)
    result = put_together(indices, x.values, sizes, lambda: reshaped(dims, wanted))
    if known is not None:
        result.set_shape(known)
    return result


def _partly_known(wanted: Any) -> list[int | None] | None:
    """The sizes of a shape that a graph knows, None for others and for -1; None for all of them."""
    if isinstance(wanted, SymbolicValue):
        known = wanted.tensor.partial_value()
        if known is None:
            count = wanted.tensor.shape[0] if wanted.tensor.shape.rank == 1 else None
            return None if count is None else [None] * count
        return [None if size == -1 else size for size in known]
    return [None if isinstance(size, SymbolicValue) or size < 0 else int(size) for size in wanted]


def _worked_out(count: int, wanted: Any) -> list[int] | None:
    """A shape for `count` elements, its one unknown size worked out; None if several wait.

    Raises:
        ValueError: there is no such shape, or several sizes are unknown.
    """
    sizes = _partly_known(wanted)
    if sizes is None:
        return None
    if sizes.count(None) > 1:
        if not isinstance(wanted, SymbolicValue) and not list(symbolic_values(wanted)):
            raise ValueError(
                f"At most one dimension can be inferred (-1). Found: {np.array(wanted)}"
            )
        return None
    rest = math.prod(size for size in sizes if size is not None)
    filled = [count // max(1, rest) if size is None else size for size in sizes]
    if math.prod(filled) != count:
        raise ValueError(
            f"Cannot reshape a tensor with {count} elements to shape {sizes} "
            f"({math.prod(filled)} elements)."
        )
    return filled


@needs_sparse_rank
def transpose(
    sp_input: TensorLike, perm: TensorLike | None = None, name: str | None = None
) -> SparseTensor:
    """The axes in another order, reversed by default (`tf.sparse.transpose`)."""
    x = as_sparse(sp_input)
    dims = dims_of(x)
    order = tuple(reversed(range(len(dims)))) if perm is None else static_ints(perm, "perm")
    if sorted(axis % max(1, len(dims)) for axis in order) != list(range(len(dims))):
        raise invalid_argument(f"{order} is no permutation of the axes of {runtime_text(dims)}")
    turned = made(gather(x.indices, order, axis=1), x.values, [dims[axis] for axis in order])
    return reorder(turned)


@needs_sparse_rank
def expand_dims(sp_input: Any, axis: Axis | None = None, name: str | None = None) -> SparseTensor:
    """One more axis of size 1, the last by default (`tf.sparse.expand_dims`)."""
    x = as_sparse(sp_input)
    dims = dims_of(x)
    place = -1 if axis is None else one_number(axis, "axis")
    if not -len(dims) - 1 <= place <= len(dims):
        raise invalid_argument(
            f"axis {place} is not in [{-len(dims) - 1}, {len(dims)}] of a shape of rank {len(dims)}"
        )
    place %= len(dims) + 1
    column = zeros_like(x.indices[:, :1])
    columns = [x.indices[:, :place], column, x.indices[:, place:]]
    return made(concat(columns, 1), x.values, [*dims[:place], 1, *dims[place:]])


def larger_shape_kernel(new: torch.Tensor, old: torch.Tensor) -> torch.Tensor:
    """The new shape, which is nowhere smaller than the old one."""
    if len(new) != len(old):
        raise invalid_argument(
            f"Condition x == y did not hold element-wise: {len(old)} == {len(new)}. New shape must "
            f"have the rank of the input's: {new.tolist()}, not {old.tolist()}."
        )
    if bool((new < old).any()):
        raise invalid_argument(
            f"Condition x <= y did not hold element-wise: {old.tolist()} <= {new.tolist()}. New "
            "shape must have dimension >= that of the input's."
        )
    return new.clone()


_LARGER_SHAPE = op(
    "_LargerShape", "new: int64, old: int64 -> shape: int64", larger_shape_kernel,
    lambda new, old: new, device_types=CPU_ONLY, is_listed=False,
)  # fmt: skip


def reset_shape(sp_input: TensorLike, new_shape: ShapeLike | None = None) -> SparseTensor:
    """The same places in a larger shape, or in the smallest that holds them
    (`tf.sparse.reset_shape`).

    Raises:
        ValueError, InvalidArgumentError: the new shape has another rank or is too small.
    """
    x = as_sparse(sp_input)
    dims = dims_of(x)
    if new_shape is None:
        return SparseTensor(x.indices, x.values, _smallest_shape(x))
    new_shape = read_now(new_shape)
    if is_symbolic(new_shape) and new_shape.shape.num_elements() is None:
        sizes = cast(new_shape, dtypes.int64)
        larger = apply(_LARGER_SHAPE, (sizes, x.dense_shape))
        rank = x.shape.rank
        shape = TensorShape(None if rank is None else [None] * rank)
        return SparseTensor.of(x.indices, x.values, larger, shape)
    wanted = static_ints(new_shape, "a shape")
    if isinstance(dims, SymbolicValue) or not all(type(each) is int for each in (*dims, *wanted)):
        return _reset_later(x, wanted)
    if len(wanted) != len(dims):
        raise ValueError(f"Dimensions {len(dims)} and {len(wanted)} are not compatible")
    if any(new < old for new, old in zip(wanted, dims, strict=True)):
        raise ValueError(
            f"Requested new_shape should have dimension sizes >= sp_input.shape. Got {wanted}, and "
            f"sp_input.shape is {dims}."
        )
    return made(x.indices, x.values, wanted)


def _reset_later(x: SparseTensor, wanted: object) -> SparseTensor:
    """In a graph that knows the shapes only when it runs."""
    larger = made(x.indices, x.values, wanted)
    sizes = apply(_LARGER_SHAPE, (larger.dense_shape, x.dense_shape))
    return SparseTensor.of(x.indices, x.values, sizes, larger.shape)


def _smallest_shape(x: SparseTensor) -> Tensor:
    """The smallest shape that holds all places."""
    nothing = zeros_like(expand_dense(x.dense_shape, 0))
    return reduce_max(concat([add(x.indices, 1), nothing], 0), 0)


def retain(sp_input: TensorLike, to_retain: TensorLike) -> SparseTensor:
    """The elements for which a flag is True (`tf.sparse.retain`)."""
    x = as_sparse(sp_input)
    flags = to_tensor(to_retain, dtypes.bool_)
    if flags.shape.rank not in (None, 1):
        raise ValueError(f"Shape {flags.shape} must have rank 1")
    if not flags.shape.is_compatible_with(x.values.shape):
        raise ValueError(f"Dimensions {x.values.shape[0]} and {flags.shape[0]} are not compatible")
    chosen = reshape_dense(apply(WHERE, (flags,)), [-1])
    return SparseTensor.of(
        gather(x.indices, chosen), gather(x.values, chosen), x.dense_shape, x.shape
    )


@needs_sparse_rank
def to_indicator(sp_input: TensorLike, vocab_size: Any, name: str | None = None) -> Tensor:
    """A dense bool tensor that is True at the values along the last axis
    (`tf.sparse.to_indicator`).
    """
    x = as_sparse(sp_input)
    size = one_number(vocab_size, "vocab_size")
    dims = dims_of(x)
    column = expand_dense(cast(x.values, dtypes.int64), 1)
    places = concat([x.indices[:, :-1], column], 1)
    flags = made(places, ones(sizes_of(x.values), dtypes.bool_), [*dims[:-1], size])
    return to_dense(reorder(flags), default_value=False, validate_indices=False)


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """Applies a function to the values of sparse tensors of the same places
    (`tf.sparse.map_values`).

    Args:
        op: the function of values.
        args: its arguments.
        kwargs: its arguments by name.

    Raises:
        ValueError: no argument is a sparse tensor, or the result does not fit the places.
        InvalidArgumentError: the places differ.
    """
    given = [*args, *kwargs.values()]
    found = [each for each in given if isinstance(each, SparseTensor)]
    if not found:
        raise ValueError("No SparseTensor in argument list of map_values")
    values = op(
        *[_values_of(each) for each in args],
        **{name: _values_of(each) for name, each in kwargs.items()},
    )
    return found[0].with_values(_of_same_places(found, values))


# TF: the functions of one tensor that answer 0 for 0, and take sparse tensors.
_KEEP_ZERO = """
    Abs Asin Asinh Atan Atanh BesselI0e BesselI1e Cast ComplexAbs Erf Identity Neg Sign Sin Sqrt
    Square StopGradient Tan Tanh
""".split()  # noqa: SIM905  # as in ragged_elementwise


@composite_rule(SparseTensor, ["Shape"])
def shape_of_sparse(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """The shape with the zeros, where a graph does not know it."""
    return cast(inputs[0].dense_shape, attrs["out_type"])


@composite_rule(SparseTensor, ["Rank"])
def rank_of_sparse(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """How many sizes there are."""
    return size_of_dense(inputs[0].dense_shape)


@composite_rule(SparseTensor, ["Size"])
def size_of_sparse(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """The product of the sizes: places without a value count."""
    return cast(reduce_prod(inputs[0].dense_shape), attrs["out_type"])


@composite_rule(SparseTensor, _KEEP_ZERO)
def on_values(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> SparseTensor:
    """The op on the values of a sparse tensor."""
    (sparse,) = inputs
    return sparse.with_values(apply(op, (sparse.values,), attrs))  # type: ignore[no-any-return]


def _values_of(value: SparseTensor | float) -> Any:
    return value.values if isinstance(value, SparseTensor) else value


_OTHER_PLACES = "SparseTensor indices and shapes must be the same in map_values"


def _of_same_places(found: Sequence[SparseTensor], values: Tensor) -> Tensor:
    """The values of sparse tensors that have the same places; those of tensors of a graph are
    compared when it runs.
    """
    first = found[0]
    for each in found[1:]:
        if is_symbolic(each.indices) or is_symbolic(first.indices):
            if not each.shape.is_compatible_with(first.shape):
                raise invalid_argument(_OTHER_PLACES)
            if each.indices is not first.indices:
                values = check_that(values, _are_equal(each, first), _OTHER_PLACES)
            continue
        same = each.indices is first.indices or np.array_equal(
            each.indices.numpy(), first.indices.numpy()
        )
        if not same or each.shape != first.shape:
            raise invalid_argument(_OTHER_PLACES)
    return values


def _are_equal(a: SparseTensor, b: SparseTensor) -> Any:
    """Whether places and shapes of two sparse tensors of a graph are the same."""
    pairs = ((a.indices, b.indices), (a.dense_shape, b.dense_shape))
    places, sizes = [cast(reduce_any(not_equal(x, y)), dtypes.int32) for x, y in pairs]
    return equal(add(places, sizes), 0)
