"""`tf.experimental.numpy`: diagonals, products of whole arrays, polynomials and ranges."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import dtypes
from ...base.dtypes import DType
from ...base.typing import DTypeLike, TensorLike
from ...core.tensor import Tensor
from ..array import making, shaping
from ..array.joining import concat, stack
from ..deferred import deferrable
from ..linalg import diagonal as diagonals, einsum as einsums
from ..math import elementwise, reduction
from ..math.elementwise import cast
from .arrays import atleast_1d, linspace, moveaxis, ravel, where
from .math import less, logical_and, power
from .types import BEHAVIOR, as_array, as_type, promoted, result_type


@deferrable
def diag(v: TensorLike, k: int = 0) -> Any:
    """Returns a matrix with a vector on its diagonal, or a matrix's diagonal (`...numpy.diag`).

    Args:
        v: a vector or a matrix.
        k: which diagonal: 0 is the main one, those above it are positive.
    """
    value = as_array(v)
    if value.shape.rank and value.shape.rank > 2:
        raise ValueError(f"Shape {value.shape} must have rank at most 2")
    if value.shape.rank == 1:
        return diagonals.diag(value, k=k)
    return diagonal(value, k)


def diagflat(v: TensorLike, k: int = 0) -> Any:
    """A matrix with all elements on its diagonal (`tf.experimental.numpy.diagflat`)."""
    return diag(ravel(v), k)


def diag_indices(n: int, ndim: int = 2) -> Any:
    """The places of the main diagonal: a range per axis (`...numpy.diag_indices`)."""
    return (as_array(np.arange(n, dtype=np.int32)),) * ndim


@deferrable
def diagonal(a: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Returns the diagonals of matrices, as the last axis (`tf.experimental.numpy.diagonal`).

    Args:
        a: the array, of rank 2 at least.
        offset: which diagonal: 0 is the main one, those above it are positive.
        axis1: the axis of the rows.
        axis2: the axis of the columns.
    """
    value = moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = value.shape.as_list()[-2:]
    if not -rows < offset < columns:
        return making.zeros([*value.shape.as_list()[:-2], 0], value.dtype)
    return diagonals.diag_part(value, k=offset)


def trace(
    a: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None
) -> Any:
    """Returns the sums of diagonals (`tf.experimental.numpy.trace`).

    Args:
        a: the array, of rank 2 at least.
        offset: which diagonal: 0 is the main one, those above it are positive.
        axis1: the axis of the rows.
        axis2: the axis of the columns.
        dtype: the dtype to compute in.
    """
    value = as_array(a, dtype)
    return reduction.reduce_sum(diagonal(value, offset, axis1, axis2), -1)


def tri(N: Any, M: Any = None, k: int = 0, dtype: DTypeLike | None = None) -> Any:  # noqa: N803
    """Returns ones on and below a diagonal (`tf.experimental.numpy.tri`).

    Args:
        N: how many rows.
        M: how many columns; as many as rows for None.
        k: which diagonal: 0 is the main one, those above it are positive.
        dtype: the dtype; float64 for None.
    """
    return as_array(np.tri(int(N), None if M is None else int(M), k), dtype or float)


@deferrable
def vander(x: TensorLike, N: Any = None, increasing: bool = False) -> Any:  # noqa: N803
    """Returns the powers of numbers, a row each (`tf.experimental.numpy.vander`).

    Args:
        x: a vector.
        N: how many powers, as many as numbers for None.
        increasing: True begins with the power 0, else it is the last.
    """
    value = as_array(x)
    if value.shape.rank != 1:
        raise ValueError("x must be a one-dimensional array")
    count = value.shape[0] if N is None else int(N)
    powers = np.arange(count) if increasing else np.arange(count)[::-1]
    exponents = as_array(powers.copy(), value.dtype)
    return elementwise.pow(value[:, None], exponents[None, :])


@deferrable
def kron(a: TensorLike, b: TensorLike) -> Any:
    """All products of elements, blocks of b side by side (`tf.experimental.numpy.kron`)."""
    x, y = promoted(a, b)
    rank = max(x.shape.rank, y.shape.rank)
    left = [1] * (rank - x.shape.rank) + x.shape.as_list()
    right = [1] * (rank - y.shape.rank) + y.shape.as_list()
    wide = shaping.reshape(x, [d for size in left for d in (size, 1)])
    narrow = shaping.reshape(y, [d for size in right for d in (1, size)])
    times = elementwise.logical_and if x.dtype.is_bool else elementwise.multiply
    made = times(wide, narrow)
    return shaping.reshape(made, [p * q for p, q in zip(left, right, strict=True)])


def polyval(p: TensorLike, x: TensorLike) -> Any:
    """Returns a polynomial's values, highest power first (`tf.experimental.numpy.polyval`).

    Args:
        p: the coefficients.
        x: where it is computed.
    """
    coefficients, at = promoted(p, x)
    return _horner(atleast_1d(coefficients), at)


@deferrable
def _horner(coefficients: Tensor, at: Tensor) -> Any:
    made = elementwise.subtract(at, at)
    for i in range(coefficients.shape[0] or 0):
        made = elementwise.add(elementwise.multiply(made, at), coefficients[i])
    return made


def tensordot(a: TensorLike, b: TensorLike, axes: TensorLike = 2) -> Any:
    """Returns the sum product over several axes (`tf.experimental.numpy.tensordot`).

    Args:
        a: an array.
        b: an array.
        axes: how many last axes of a meet first axes of b, or the axes of both.
    """
    x, y = promoted(a, b)
    return einsums.tensordot(x, y, axes)


def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Any:
    """Returns a sum product by the names of axes (`tf.experimental.numpy.einsum`).

    Args:
        subscripts: the axes of the operands and of the result, as `ij,jk->ik`.
        *operands: the arrays.
        **kwargs: `casting`, which has to be "safe", and `optimize`.
    """
    casting = kwargs.pop("casting", "safe")
    optimize = kwargs.pop("optimize", False)
    if casting != "safe":
        raise NotImplementedError(f"casting '{casting}' is not supported; take 'safe'.")
    values = promoted(*operands)
    how = {False: None, True: "greedy"}.get(optimize, optimize)
    return einsums.einsum(subscripts, *values, **({"optimize": how} if how else {}), **kwargs)


@deferrable
def cross(
    a: TensorLike,
    b: TensorLike,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Any:
    """Returns vectors that stand upright on two others (`tf.experimental.numpy.cross`).

    Args:
        a: vectors of two or three elements.
        b: vectors of two or three elements.
        axisa: the axis of the elements in a.
        axisb: the axis of the elements in b.
        axisc: where it comes in the result.
        axis: one axis for all three.
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = promoted(a, b)
    x, y = moveaxis(x, axisa, -1), moveaxis(y, axisb, -1)
    if x.shape[-1] == 2 == y.shape[-1]:
        return elementwise.subtract(x[..., 0] * y[..., 1], x[..., 1] * y[..., 0])
    x, y = _in_space(x), _in_space(y)
    parts = [
        elementwise.subtract(
            elementwise.multiply(x[..., i], y[..., j]), elementwise.multiply(x[..., j], y[..., i])
        )
        for i, j in ((1, 2), (2, 0), (0, 1))
    ]
    return moveaxis(stack(parts, -1), -1, axisc)


def _in_space(value: Tensor) -> Tensor:
    if value.shape[-1] not in (2, 3):
        raise ValueError(f"Cross products need vectors of 2 or 3 elements, not {value.shape[-1]}.")
    if value.shape[-1] == 3:
        return value
    last = value[..., :1]
    return concat([value, elementwise.subtract(last, last)], -1)


def logspace(
    start: TensorLike, stop: TensorLike, num: int = 50, endpoint: bool = True, base: float = 10.0,
    dtype: DTypeLike | None = None, axis: int = 0,
) -> Any:  # fmt: skip
    """Returns powers of a base at equal distances of the exponents (`...numpy.logspace`).

    Args:
        start: the first exponent.
        stop: the last exponent.
        num: how many numbers.
        endpoint: False leaves out the end.
        base: what is raised to the powers.
        dtype: the dtype of the result; None takes that of the exponents.
        axis: where the new axis is.
    """
    exponents = linspace(start, stop, num, endpoint, dtype=dtype or float, axis=axis)
    made = power(as_array(base, exponents.dtype), exponents)
    return made if dtype is None else as_array(made, as_type(dtype))


@deferrable
def geomspace(
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Any:
    """Returns numbers whose neighbours have one ratio (`tf.experimental.numpy.geomspace`).

    Args:
        start: the first number.
        stop: the last number; real ones need the sign of the first.
        num: how many numbers.
        endpoint: False leaves out the end.
        dtype: the dtype of the result; float64 or complex128 for None.
        axis: where the new axis is.
    """
    first, last = as_array(start), as_array(stop)
    target = None if dtype is None else as_type(dtype)
    is_complex = first.dtype.is_complex or last.dtype.is_complex
    kind = _type_to_compute_in(target, is_complex)
    low, high = cast(first, kind), cast(last, kind)
    if is_complex:
        return cast(_spaced(low, high, num, endpoint, axis), target or kind)
    # TF: only two negative numbers are turned over.
    sign = cast(where(logical_and(less(low, 0), less(high, 0)), -1, 1), kind)
    numbers = _spaced(low * sign, high * sign, num, endpoint, 0)
    return cast(moveaxis(numbers * sign, 0, axis), target or kind)


def _type_to_compute_in(target: DType | None, is_complex: bool) -> DType:
    if target is not None and (target.is_floating or target.is_complex):
        return target if is_complex else target.real_dtype
    if BEHAVIOR.promotes:
        return dtypes.complex128 if is_complex else dtypes.float64
    return result_type(1j if is_complex else 1.0)


def _spaced(low: Tensor, high: Tensor, num: int, endpoint: bool, axis: int) -> Any:
    ends = elementwise.log(low), elementwise.log(high)
    return elementwise.exp(linspace(*ends, num, endpoint, dtype=low.dtype, axis=axis))
