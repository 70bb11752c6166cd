"""`tf.experimental.numpy`: arithmetic, comparison, reductions and products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.typing import Axis, DTypeLike, TensorLike
from ...core.tensor import Tensor
from ..arguments import static_ints
from ..array import shaping
from ..array.shaping import reshape, transpose
from ..convert import is_tensor_like
from ..deferred import deferrable
from ..linalg import products
from ..math import cumulative, elementwise, reduction
from ..math.complex import real
from ..math.elementwise import cast
from ..op import apply, find_op
from .types import BEHAVIOR, as_array, inexact, promoted, result_type

Function = Callable[..., Any]

_INEXACT = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128)


def _named(name: str, doc: str, function: Function) -> Function:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def binary(name: str, on_tensors: Function, convert: Function = promoted) -> Function:
    """A function of two arrays out of one of two tensors; `convert` makes those."""

    def function(x1: object, x2: object) -> Any:
        return on_tensors(*convert(x1, x2))

    return _named(name, f"NumPy's `{name}` of two arrays (`tf.experimental.numpy`).", function)


def unary(name: str, on_tensor: Function, convert: Function = promoted) -> Function:
    """A function of an array out of one of a tensor; `convert` makes that."""

    def function(x: object) -> Any:
        return on_tensor(*convert(x))

    return _named(name, f"NumPy's `{name}` of an array (`tf.experimental.numpy`).", function)


def _by_op(op_name: str) -> Function:
    def function(*tensors: Any) -> Any:
        return apply(find_op(op_name), tensors)

    return function


def _bools(*values: Any) -> list[Any]:
    return [cast(as_array(each), dtypes.bool_) for each in values]


def _of_quotients(x1: Any, x2: Any) -> list[Any]:
    """Values of a common type to divide. Integers of 8 and 16 bits have quotients of float32, as
    `tf.truediv` of them; NumPy's would be float16 and float32.
    """
    tensors = promoted(x1, x2)
    return tensors if tensors[0].dtype.is_integer else _floats(*tensors)


def _floats(x1: TensorLike, x2: TensorLike) -> list[Any]:
    """Values of a common type; integers and bools as floats."""
    tensors = promoted(x1, x2)
    return tensors if tensors[0].dtype.is_floating else inexact(*tensors)


def _bool_or(on_bools: Function, on_numbers: Function) -> Function:
    def function(x: Any, y: Any) -> Any:
        return (on_bools if x.dtype is dtypes.bool_ else on_numbers)(x, y)

    return function


def _of_small(on_numbers: Function) -> Function:
    """TF: two bools are compared and divided as int8."""

    def function(x: Any, y: Any) -> Any:
        if x.dtype is dtypes.bool_:
            x, y = cast(x, dtypes.int8), cast(y, dtypes.int8)
        return on_numbers(x, y)

    return function


add = binary("add", _bool_or(elementwise.logical_or, elementwise.add))
subtract = binary("subtract", elementwise.subtract)
multiply = binary("multiply", _bool_or(elementwise.logical_and, elementwise.multiply))
divide = binary("divide", elementwise.truediv, _of_quotients)
true_divide = binary("true_divide", elementwise.truediv, _of_quotients)
floor_divide = binary("floor_divide", _of_small(elementwise.floordiv))
mod = binary("mod", _of_small(elementwise.floormod))
remainder = binary("remainder", _of_small(elementwise.floormod))
power = binary("power", elementwise.pow)
maximum = binary("maximum", _bool_or(elementwise.logical_or, elementwise.maximum))
minimum = binary("minimum", _bool_or(elementwise.logical_and, elementwise.minimum))
arctan2 = binary("arctan2", _by_op("Atan2"), _floats)
bitwise_and = binary("bitwise_and", _bool_or(elementwise.logical_and, _by_op("BitwiseAnd")))
bitwise_or = binary("bitwise_or", _bool_or(elementwise.logical_or, _by_op("BitwiseOr")))
bitwise_xor = binary("bitwise_xor", _bool_or(elementwise.not_equal, _by_op("BitwiseXor")))
equal = binary("equal", elementwise.equal)
not_equal = binary("not_equal", elementwise.not_equal)
less = binary("less", _of_small(elementwise.less))
less_equal = binary("less_equal", _of_small(elementwise.less_equal))
greater = binary("greater", _of_small(elementwise.greater))
greater_equal = binary("greater_equal", _of_small(elementwise.greater_equal))
logical_and = binary("logical_and", elementwise.logical_and, _bools)
logical_or = binary("logical_or", elementwise.logical_or, _bools)
logical_xor = binary("logical_xor", elementwise.not_equal, _bools)
logical_not = unary("logical_not", elementwise.logical_not, _bools)

negative = unary("negative", elementwise.negative)
absolute = unary("absolute", elementwise.abs)
abs_ = unary("abs", elementwise.abs)
square = unary("square", elementwise.square)
sqrt = unary("sqrt", elementwise.sqrt, inexact)
exp = unary("exp", elementwise.exp, inexact)
log = unary("log", elementwise.log, inexact)
tanh = unary("tanh", elementwise.tanh, inexact)
sin, cos, tan = (unary(n.lower(), _by_op(n), inexact) for n in ("Sin", "Cos", "Tan"))
sinh, cosh = (unary(n.lower(), _by_op(n), inexact) for n in ("Sinh", "Cosh"))
arcsin, arccos, arctan = (
    unary(f"arc{n.lower()}", _by_op(f"A{n.lower()}"), inexact) for n in ("Sin", "Cos", "Tan")
)
expm1, log1p = (unary(n.lower(), _by_op(n), inexact) for n in ("Expm1", "Log1p"))
floor, ceil = (unary(n.lower(), _by_op(n), inexact) for n in ("Floor", "Ceil"))
isnan, isinf, isfinite = (
    unary(n.lower(), _by_op(n), inexact) for n in ("IsNan", "IsInf", "IsFinite")
)


def sign(x: TensorLike, out: object = None, where: object = None, **kwargs: object) -> Any:
    """Returns -1, 0 or 1 for each element (`tf.experimental.numpy.sign`).

    Args:
        x: the array.
        out: None: tensors never change.
        where: None.
        **kwargs: none.

    Raises:
        ValueError: one of the last three is given.
    """
    if out is not None or where is not None or kwargs:
        raise ValueError("sign takes one array: `out`, `where` and more are not supported.")
    return elementwise.sign(promoted(x)[0])


def _axes(axis: Axis | None) -> Any:
    """The axes that go, as an op takes them; None for all."""
    if axis is None:
        return None
    if is_tensor_like(axis) and not axis.dtype.is_integer:  # TF casts them
        axis = cast(axis, dtypes.int32)
    return list(static_ints(axis, "axis")) or np.zeros(0, np.int32)  # a list of none has no type


_REDUCER = """Reduces over axes as NumPy's `{}` does (`tf.experimental.numpy`).

Args:
    a: the array, or what becomes one.
    axis: the axis or axes that go; all of them for None.
{}    keepdims: True keeps the axes that go, with size 1.
"""
_DTYPE = "    dtype: the dtype to compute in; that of the array for None.\n"


def _reducer(name: str, reduce: Function, of_bools: Function) -> Function:
    by_type = _extreme(reduce, of_bools)

    def function(a: object, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
        value = as_array(a, dtype) if dtype is not None else _wide(as_array(a))
        return by_type(value, _axes(axis), bool(keepdims))

    return _named(name, _REDUCER.format(name, _DTYPE), function)


def _plain_reducer(name: str, reduce: Function, convert: Function) -> Function:
    def function(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
        return reduce(convert(as_array(a)), _axes(axis), bool(keepdims))

    return _named(name, _REDUCER.format(name, ""), function)


def _extreme(of_numbers: Function, of_bools: Function) -> Function:
    def function(value: Tensor, *how: Any) -> Any:
        return (of_bools if value.dtype is dtypes.bool_ else of_numbers)(value, *how)

    return function


def _wide(value: Tensor) -> Any:
    """Small integers and bools as 64 bits, in which NumPy adds them up."""
    dtype = value.dtype
    if dtype is dtypes.bool_ or (dtype.is_integer and dtype.size < 8):
        unsigned = dtype.name.startswith("u")
        if BEHAVIOR.promotes:  # to 32 bits, and what has as many stays as it is
            return cast(value, dtypes.uint32 if unsigned else dtypes.int32)
        return cast(value, dtypes.uint64 if unsigned else dtypes.int64)
    return value


def _wide_to_scan(value: Tensor) -> Any:
    """Sums and products on the way are of the common type with NumPy's int, as in TensorFlow."""
    if value.dtype.name.startswith("u"):
        is_small, wide = value.dtype.size < 8, not BEHAVIOR.promotes
        if is_small:
            return cast(value, dtypes.int64 if wide else dtypes.int32)
        return cast(value, dtypes.float64 if wide else dtypes.float32)
    return _wide(value)


def _as_float(value: Tensor) -> Any:
    return value if value.dtype.is_floating else inexact(value)[0]


def _as_is(value: Tensor) -> Tensor:
    return value


def _as_bool(value: Tensor) -> Any:
    return cast(value, dtypes.bool_)


sum_ = _reducer("sum", reduction.reduce_sum, reduction.reduce_any)
prod = _reducer("prod", reduction.reduce_prod, reduction.reduce_all)
max_ = _plain_reducer("max", _extreme(reduction.reduce_max, reduction.reduce_any), _as_is)
min_ = _plain_reducer("min", _extreme(reduction.reduce_min, reduction.reduce_all), _as_is)
any_ = _plain_reducer("any", reduction.reduce_any, _as_bool)
all_ = _plain_reducer("all", reduction.reduce_all, _as_bool)


def _without_out(out: object) -> None:
    if out is not None:
        raise ValueError("Setting out is not supported. Take what comes back: tensors stay.")


def amax(
    a: TensorLike, axis: Axis | None = None, out: object = None, keepdims: bool | None = None
) -> Any:
    """Returns the largest elements over axes (`tf.experimental.numpy.amax`).

    Args:
        a: the array, or what becomes one.
        axis: the axis or axes that go; all of them for None.
        out: None: tensors never change.
        keepdims: True keeps the axes that go, with size 1.

    Raises:
        ValueError: there is an `out`.
    """
    _without_out(out)
    return max_(a, axis, keepdims)


def amin(
    a: TensorLike, axis: Axis | None = None, out: object = None, keepdims: bool | None = None
) -> Any:
    """Returns the smallest elements over axes (`tf.experimental.numpy.amin`).

    Args:
        a: the array, or what becomes one.
        axis: the axis or axes that go; all of them for None.
        out: None: tensors never change.
        keepdims: True keeps the axes that go, with size 1.

    Raises:
        ValueError: there is an `out`.
    """
    _without_out(out)
    return min_(a, axis, keepdims)


def mean(
    a: TensorLike,
    axis: Axis | None = None,
    dtype: DTypeLike | None = None,
    out: object = None,
    keepdims: bool | None = None,
) -> Tensor:
    """Returns the mean over axes; float64 for integers (`tf.experimental.numpy.mean`).

    Args:
        a: the array, or what becomes one.
        axis: the axis or axes that go; all of them for None.
        dtype: the dtype to compute in; None chooses it as NumPy does.
        out: None: tensors never change.
        keepdims: True keeps the axes that go, with size 1.

    >>> float(mean([1, 2]))
    1.5
    """
    _without_out(out)
    value = as_array(a, dtype) if dtype is not None else _as_float(as_array(a))
    return reduction.reduce_mean(value, _axes(axis), bool(keepdims))


@deferrable
def var(
    a: TensorLike,
    axis: Axis | None = None,
    dtype: DTypeLike | None = None,
    out: object = None,
    ddof: int = 0,
    keepdims: bool | None = None,
) -> Tensor:
    """Returns the variance over axes (`tf.experimental.numpy.var`).

    Args:
        a: the array, or what becomes one.
        axis: the axis or axes that go; all of them for None.
        dtype: the dtype to compute in; None chooses it as NumPy does.
        out: None: tensors never change.
        ddof: what is taken off the number of elements before it divides.
        keepdims: True keeps the axes that go, with size 1.

    >>> float(var([1.0, 3.0]))
    1.0
    """
    _without_out(out)
    value = as_array(a, dtype) if dtype is not None else _as_float(as_array(a))
    centred = value - reduction.reduce_mean(value, _axes(axis), True)
    if value.dtype.is_complex:  # TF, NumPy: the squares of distances, which are real
        squares = real(elementwise.multiply(centred, elementwise.conj(centred)))
    else:
        squares = elementwise.square(centred)
    total = reduction.reduce_sum(squares, _axes(axis), bool(keepdims))
    count = _count(value, axis)
    variance = elementwise.truediv(total, as_array(count - ddof, total.dtype))
    return variance if dtype is None else cast(variance, value.dtype)


def _count(value: Tensor, axis: Axis | None) -> Any:
    """How many elements a reduction takes together."""
    axes = range(value.shape.rank) if axis is None else _axes(axis)
    return np.prod([value.shape[int(i)] for i in axes], dtype=np.int64)


def std(a: TensorLike, axis: Axis | None = None, keepdims: bool | None = None) -> Any:
    """Returns the standard deviation over axes (`tf.experimental.numpy.std`).

    Args:
        a: the array, or what becomes one.
        axis: the axis or axes that go; all of them for None.
        keepdims: True keeps the axes that go, with size 1.
    """
    return elementwise.sqrt(var(a, axis, keepdims=keepdims))


def argmax(a: TensorLike, axis: Axis | None = None) -> Any:
    """The place of the largest element (`tf.experimental.numpy.argmax`)."""
    return _place(reduction.argmax, a, axis)


def argmin(a: TensorLike, axis: Axis | None = None) -> Any:
    """The place of the smallest element (`tf.experimental.numpy.argmin`)."""
    return _place(reduction.argmin, a, axis)


def _place(find: Function, a: TensorLike, axis: Axis | None) -> Any:
    value = as_array(a)
    is_flat = axis is None or value.shape.rank == 0
    return find(reshape(value, [-1]), 0) if is_flat else find(value, axis)


def cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Tensor:
    """Sums of all elements so far (`tf.experimental.numpy.cumsum`).

    Args:
        a: the array.
        axis: the axis; None lays the array flat first.
        dtype: the dtype to compute in.
    """
    return _scanned(cumulative.cumsum, a, axis, dtype)  # type: ignore[no-any-return]


def cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Tensor:
    """Returns products of all elements so far (`tf.experimental.numpy.cumprod`).

    Args:
        a: the array.
        axis: the axis; None lays the array flat first.
        dtype: the dtype to compute in.
    """
    return _scanned(cumulative.cumprod, a, axis, dtype)  # type: ignore[no-any-return]


def _scanned(scan: Function, a: TensorLike, axis: Any, dtype: DTypeLike) -> Any:
    value = as_array(a, dtype) if dtype is not None else _wide_to_scan(as_array(a))
    return scan(reshape(value, [-1]), 0) if axis is None else scan(value, axis)


def clip(a: TensorLike, a_min: Any, a_max: Any) -> Any:
    """Returns elements kept between two bounds (`tf.experimental.numpy.clip`).

    Args:
        a: the array.
        a_min: the lower bound, or None.
        a_max: the upper bound, or None; one of the two must be given.

    >>> clip([1, 5, 9], 2, 6).numpy().tolist()
    [2, 5, 6]
    """
    if a_min is None and a_max is None:
        raise ValueError("Not more than one of `a_min` and `a_max` may be `None`.")
    value = a
    if a_max is not None:
        value = minimum(value, a_max)
    return value if a_min is None else maximum(value, a_min)


@deferrable
def matmul(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The matrix product; vectors are rows or columns (`tf.experimental.numpy.matmul`).

    Raises:
        ValueError: one of the two is a scalar.
    """
    a, b = promoted(x1, x2)
    if 0 in (a.shape.rank, b.shape.rank):  # TF: the first sentence
        raise ValueError(
            f"In[0] and In[1] has different ndims: {a.shape} vs. {b.shape}. matmul takes no "
            "scalars: multiply by them."
        )
    left, right = a.shape.rank == 1, b.shape.rank == 1
    a = reshape(a, [1, -1]) if left else a
    b = reshape(b, [-1, 1]) if right else b
    made = products.matmul(a, b)
    dims = made.shape.as_list()
    if right:
        dims.pop()
    if left:
        dims.pop(-1 if right else -2)
    return reshape(made, dims) if left or right else made


@deferrable
def dot(a: TensorLike, b: TensorLike) -> Tensor:
    """The sum product over a's last axis and b's last but one (`tf.experimental.numpy.dot`)."""
    x, y = promoted(a, b)
    if not x.shape.rank or not y.shape.rank:
        return elementwise.multiply(x, y)
    if x.shape.rank <= 2 and y.shape.rank <= 2:
        return matmul(x, y)
    if y.shape.rank == 1:
        return reduction.reduce_sum(elementwise.multiply(x, y), -1)
    lead, order = x.shape.as_list()[:-1], list(range(y.shape.rank))
    moved = transpose(y, [order[-2], *order[:-2], order[-1]])
    rest = moved.shape.as_list()
    made = matmul(reshape(x, [-1, rest[0]]), reshape(moved, [rest[0], -1]))
    return reshape(made, [*lead, *rest[1:]])


@deferrable
def inner(a: Any, b: Any) -> Any:
    """The sum product over both last axes (`tf.experimental.numpy.inner`)."""
    x, y = promoted(a, b)
    if not x.shape.rank or not y.shape.rank:
        return elementwise.multiply(x, y)
    order = list(range(y.shape.rank))
    return dot(x, transpose(y, [*order[:-2], order[-1], order[-2]]) if len(order) > 1 else y)


def vdot(a: TensorLike, b: TensorLike) -> Tensor:
    """The sum product of all elements, the first conjugated (`tf.experimental.numpy.vdot`)."""
    x, y = promoted(a, b)
    return dot(reshape(elementwise.conj(x), [-1]), reshape(y, [-1]))


def outer(a: TensorLike, b: TensorLike) -> Tensor:
    """All products of two vectors' elements (`tf.experimental.numpy.outer`)."""
    x, y = promoted(a, b)
    return elementwise.multiply(reshape(x, [-1, 1]), reshape(y, [1, -1]))


def isclose(
    a: TensorLike, b: TensorLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Returns where elements are nearly equal (`tf.experimental.numpy.isclose`).

    Args:
        a: an array.
        b: an array that broadcasts with it.
        rtol: the difference allowed, as a share of b.
        atol: the difference allowed beside that.
        equal_nan: True takes NaNs for equal.

    >>> isclose([1.0, 2.0], [1.0, 2.1]).numpy().tolist()
    [True, False]
    """
    x, y = promoted(a, b)
    same = elementwise.equal(x, y)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        return same
    bound = elementwise.add(
        elementwise.multiply(elementwise.abs(y), as_array(rtol, x.dtype.real_dtype)),
        as_array(atol, x.dtype.real_dtype),
    )
    near = elementwise.less_equal(elementwise.abs(elementwise.subtract(x, y)), bound)
    finite = elementwise.equal(elementwise.subtract(y, y), elementwise.subtract(y, y))
    result = elementwise.logical_or(same, elementwise.logical_and(near, finite))
    if equal_nan:
        both = elementwise.logical_and(elementwise.not_equal(x, x), elementwise.not_equal(y, y))
        result = elementwise.logical_or(result, both)
    return result


def allclose(
    a: TensorLike, b: TensorLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Returns whether all elements are nearly equal (`tf.experimental.numpy.allclose`).

    Args:
        a: an array.
        b: an array that broadcasts with it.
        rtol: the difference allowed, as a share of b.
        atol: the difference allowed beside that.
        equal_nan: True takes NaNs for equal.
    """
    return reduction.reduce_all(isclose(a, b, rtol, atol, equal_nan))


@deferrable
def array_equal(a1: Any, a2: Any) -> Any:
    """Whether shapes and elements are equal (`tf.experimental.numpy.array_equal`)."""
    x, y = promoted(a1, a2)
    if x.shape.as_list() != y.shape.as_list():
        return as_array(False)
    return reduction.reduce_all(elementwise.equal(x, y))


def count_nonzero(a: TensorLike, axis: Axis | None = None) -> Any:
    """How many elements are not zero (`tf.experimental.numpy.count_nonzero`)."""
    value = as_array(a)
    if value.dtype.is_complex:  # a cast to bool would look at the real part alone
        held = elementwise.not_equal(value, as_array(0, value.dtype))
    else:
        held = _as_bool(value)
    return sum_(cast(held, dtypes.int64), axis)


def _check_weights(sizes: list[int], given: list[int], axis: int | None) -> None:
    """TF refuses weights that only broadcasting would lay over the array."""
    if given != sizes and (axis is None or given != [sizes[axis]]):
        raise invalid_argument(
            f"Weights of the shape {given} do not fit an array of the shape {sizes}. Give one per "
            "element, or one per place along an integer `axis`."
        )


def _to_average(*values: TensorLike) -> list[Any]:
    """Values of a common type with a float: with weak types with float32, if that is allowed."""
    tensors = promoted(*values)
    if BEHAVIOR.promotes and (dtype := tensors[0].dtype) not in _INEXACT:
        return [cast(each, result_type(dtype, dtypes.float32)) for each in tensors]
    return inexact(*tensors)


@deferrable
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """Returns the mean with weights (`tf.experimental.numpy.average`).

    Args:
        a: the array.
        axis: the axis or axes that go; all of them for None.
        weights: one per element, or one per place along `axis`; None for equal ones.
        returned: True returns the sums of the weights, too.

    Raises:
        InvalidArgumentError: the weights are of another shape.
        ValueError: with weights, `axis` is no integer.
    """
    if weights is None:
        result = mean(_to_average(a)[0], axis)
        if not returned:
            return result
        count = as_array(_count(as_array(a), axis), result.dtype)
        return result, shaping.broadcast_to(count, shaping.sizes_of(result))
    x, w = _to_average(a, weights)
    if axis is not None and not isinstance(axis, (int, np.integer)) and not is_tensor_like(axis):
        raise ValueError(
            f"Argument `axis` must be an integer. Received axis={axis} (of type {type(axis)})"
        )
    place = None if axis is None else int(axis)
    _check_weights(x.shape.as_list(), w.shape.as_list(), place)
    if place is not None and w.shape.rank != x.shape.rank:
        dims = [1] * x.shape.rank
        dims[place] = -1
        w = reshape(w, dims)
    total = reduction.reduce_sum(elementwise.multiply(w, elementwise.add(x * 0, 1)), _axes(axis))
    result = elementwise.truediv(
        reduction.reduce_sum(elementwise.multiply(x, w), _axes(axis)), total
    )
    return (result, total) if returned else result
