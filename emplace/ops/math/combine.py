"""Sums, products and polynomials of several tensors, and evenly spaced numbers."""

from __future__ import annotations

from typing import Any

from ...base.dtypes import DType, as_dtype
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape, broadcast
from ...base.typing import ShapeLike, TensorLike
from ...core.composite import CompositeTensor
from ...core.symbolic_value import SymbolicValue
from ...core.tensor import Tensor
from ..arguments import known_int
from ..array.joining import concat
from ..array.making import range_, zeros_like
from ..array.select import where
from ..array.shaping import broadcast_to, ensure_shape, expand_dims, identity, reshape
from ..convert import to_tensor
from ..deferred import deferrable
from ..op import apply
from .elementwise import (
    add,
    as_divided,
    cast,
    divide,
    equal,
    greater,
    logical_and,
    maximum,
    multiply,
    subtract,
    with_values,
)
from .reduction import ADD_N


def accumulate_n(
    inputs: TensorLike,
    shape: ShapeLike | None = None,
    tensor_dtype: DType | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the sum of tensors of one shape and dtype (`tf.math.accumulate_n`).

    Args:
        inputs: a list of tensors.
        shape: their shape, if they are to be checked against one.
        tensor_dtype: their dtype, if they are to be checked against one.
        name: a name in graphs.

    Raises:
        ValueError: there is none, or they differ in shape or dtype.
    """
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise _not_alike()
    parts = [to_tensor(value) for value in inputs]
    if any(part.dtype is not parts[0].dtype for part in parts):
        raise _not_alike()
    sum_shape = parts[0].shape if shape is None else TensorShape(shape)
    for part in parts:
        if not sum_shape.is_compatible_with(part.shape):
            raise ValueError(f"Shapes {sum_shape} and {part.shape} are not compatible")
    if tensor_dtype is not None and as_dtype(tensor_dtype) is not parts[0].dtype:
        raise TypeError(
            f"The `tensor_dtype` argument is {as_dtype(tensor_dtype)!r}, but `input` is of type "
            f"{parts[0].dtype!r}. These must be equal. Try casting the input to the desired type."
        )
    return identity(parts[0]) if len(parts) == 1 else apply(ADD_N, tuple(parts))


def _not_alike() -> ValueError:
    return ValueError("inputs must be a list of at least one Tensor with the same dtype and shape.")


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """A scalar times a tensor (`tf.math.scalar_mul`).

    Raises:
        ValueError: the scalar has a rank of more than 0.
    """
    scalar = to_tensor(scalar, as_dtype(x.dtype))
    if scalar.shape.rank != 0:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    if isinstance(x, CompositeTensor) and hasattr(x, "indices"):  # sparse tensors, IndexedSlices
        return with_values(x, lambda values: multiply(scalar, values))
    return multiply(scalar, x)


def polyval(coeffs: Any, x: TensorLike, name: str | None = None) -> Tensor:
    """The value of a polynomial at x (`tf.math.polyval`).

    Args:
        coeffs: a list of coefficients, the highest power first; each may be a tensor.
        x: where, a tensor of the same dtype.
        name: a name in graphs.

    Raises:
        ValueError: the coefficients are no list.

    >>> polyval([2, 0, 1], 3).numpy()
    np.int32(19)
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    x = to_tensor(x)
    if not coeffs:
        return zeros_like(x)
    value = to_tensor(coeffs[0])
    for each in coeffs[1:]:
        value = add(to_tensor(each), multiply(value, x))
    return value


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: Any = 0) -> Any:
    """Returns evenly spaced numbers from start to stop, both included (`tf.linspace`).

    Args:
        start: the first number, a tensor of any shape; integers are taken as floats.
        stop: the last number, of start's dtype; shapes broadcast.
        num: how many, an integer.
        name: a name in graphs.
        axis: the new axis along which they stand.

    Returns:
        A tensor with one axis more; floats of 32 bits for integers of up to 16 bits, of 64 for
        wider ones.

    Raises:
        TypeError: `num` is no integer.
        InvalidArgumentError: `num` is negative, or there is no such axis.

    >>> linspace(0.0, 1.0, 3).numpy().tolist()
    [0.0, 0.5, 1.0]
    """
    start = to_tensor(start)
    stop = to_tensor(stop, start.dtype)
    count = to_tensor(num)
    if not count.dtype.is_integer:
        raise TypeError(
            "Argument `tensor` (name: num) must be of type integer. Received `tensor` = "
            f"{num} of dtype: {count.dtype!r}"
        )
    if count.shape.rank is None:
        count = num = ensure_shape(count, [])
    steps = num if isinstance(num, int) else known_int(num)
    if start.dtype.is_integer:
        start, stop = as_divided(start), as_divided(stop)
    if not isinstance(steps, SymbolicValue) and steps < 0:
        raise invalid_argument(f"Requires start <= limit when delta > 0: 1/{steps}")
    is_open = not (start.shape.is_fully_defined() and stop.shape.is_fully_defined())
    return (_of_any_shape if is_open else _spread)(start, stop, steps, count, axis)


def _spread(start: Tensor, stop: Tensor, steps: Any, count: Tensor, axis: Any) -> Any:
    both = broadcast(tuple(start.shape), tuple(stop.shape))
    if both is None:
        raise invalid_argument(f"Incompatible shapes: {start.shape} vs. {stop.shape}")
    start = expand_dims(broadcast_to(start, both), axis)
    stop = expand_dims(broadcast_to(stop, both), axis)
    if isinstance(steps, SymbolicValue):
        return _between_as_told(start, stop, count, axis)
    return _between(start, stop, steps, axis)


_of_any_shape = deferrable(_spread)


def _between_as_told(start: Tensor, stop: Tensor, count: Tensor, axis: int) -> Tensor:
    """The same where only running the graph tells how many."""
    places = [1] * len(start.shape)
    places[axis] = -1
    steps = reshape(range_(count), places)
    number = cast(steps, start.dtype)
    delta = divide(subtract(stop, start), cast(maximum(count - 1, 1), start.dtype))
    is_last = logical_and(equal(steps, count - 1), greater(steps, 0))
    return where(is_last, stop, add(start, multiply(delta, number)))


def _between(start: Tensor, stop: Tensor, count: int, axis: int) -> Tensor:
    """Both ends exactly, and what lies between them by equal steps."""
    rank = len(start.shape)
    if count < 2:
        return start if count else start[(slice(None),) * (axis % rank) + (slice(0, 0),)]
    places = [1] * rank
    places[axis] = count - 2
    delta = divide(subtract(stop, start), to_tensor(float(count - 1), hint=start.dtype))
    steps = reshape(cast(range_(1, count - 1), start.dtype), places)
    return concat([start, add(start, multiply(delta, steps)), stop], axis)
