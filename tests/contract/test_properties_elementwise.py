"""Elementwise ops agree with NumPy on random dtypes, values and shapes that broadcast."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from property_examples import share_of

import emplace.tensorflow as tf

SIGNED = (np.int8, np.int16, np.int32, np.int64)
UNSIGNED = (np.uint8, np.uint16, np.uint32, np.uint64)
FLOATS = (ml_dtypes.bfloat16, np.float16, np.float32, np.float64)
COMPLEX = (np.complex64, np.complex128)
REALS = (*SIGNED, *UNSIGNED, *FLOATS)
NUMBERS = (*REALS, *COMPLEX)
INEXACT = (*FLOATS, *COMPLEX)

TOLERANCE = {
    ml_dtypes.bfloat16: 2e-2, np.float16: 3e-3, np.float32: 1e-5, np.float64: 1e-12,
    np.complex64: 1e-5, np.complex128: 1e-12,
}  # fmt: skip

# Name of the function: NumPy's, and the dtypes it takes.
BINARY: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "add": (np.add, NUMBERS),
    "subtract": (np.subtract, NUMBERS),
    "multiply": (np.multiply, NUMBERS),
    "maximum": (np.maximum, REALS),
    "minimum": (np.minimum, REALS),
    "equal": (np.equal, NUMBERS),
    "not_equal": (np.not_equal, NUMBERS),
    "less": (np.less, REALS),
    "less_equal": (np.less_equal, REALS),
    "greater": (np.greater, REALS),
    "greater_equal": (np.greater_equal, REALS),
    "math.squared_difference": (
        lambda x, y: (x - y) * np.conj(x - y) if x.dtype.kind == "c" else (x - y) * (x - y),
        (np.int32, np.int64, *INEXACT),
    ),
    "atan2": (np.arctan2, FLOATS),
    "bitwise.bitwise_and": (np.bitwise_and, (*SIGNED, *UNSIGNED)),
    "bitwise.bitwise_or": (np.bitwise_or, (*SIGNED, *UNSIGNED)),
    "bitwise.bitwise_xor": (np.bitwise_xor, (*SIGNED, *UNSIGNED)),
}

# The same where the second one must not be 0.
DIVIDING: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "math.floordiv": (np.floor_divide, (*SIGNED, *UNSIGNED)),
    "math.floormod": (np.remainder, (*SIGNED, *UNSIGNED)),
    "truncatediv": (lambda x, y: _truncated(x, y), (*SIGNED, *UNSIGNED)),
    "truncatemod": (np.fmod, (np.int32, np.int64)),
    "math.divide_no_nan": (np.true_divide, INEXACT),
    "math.xdivy": (np.true_divide, INEXACT),
}

UNARY: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "negative": (np.negative, (*SIGNED, *INEXACT)),
    "abs": (np.abs, (*SIGNED, *INEXACT)),
    "square": (np.square, NUMBERS),
    "sign": (np.sign, (*SIGNED, *FLOATS)),
    "round": (np.round, (*SIGNED, *FLOATS)),
    "floor": (np.floor, FLOATS),
    "math.ceil": (np.ceil, FLOATS),
    "math.is_nan": (np.isnan, FLOATS),
    "math.is_inf": (np.isinf, FLOATS),
    "math.is_finite": (np.isfinite, FLOATS),
    "sin": (np.sin, INEXACT),
    "cos": (np.cos, INEXACT),
    "atan": (np.arctan, INEXACT),
    "asinh": (np.arcsinh, INEXACT),
    "tanh": (np.tanh, INEXACT),
    "exp": (np.exp, INEXACT),
    "math.expm1": (np.expm1, INEXACT),
    "math.conj": (np.conj, NUMBERS),
    "math.real": (np.real, NUMBERS),
    "math.imag": (np.imag, NUMBERS),
    "bitwise.invert": (np.invert, (*SIGNED, *UNSIGNED)),
}


def _truncated(x: Any, y: Any) -> Any:
    """Integers divided towards zero; NumPy divides towards minus infinity."""
    quotient = np.floor_divide(x, y)
    turned = (np.remainder(x, y) != 0) & ((x < 0) != (y < 0))
    return quotient + turned.astype(quotient.dtype)


def values(dtype: Any, shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
    """Arrays of a dtype: integers of the whole range, small floats with infinities and NaN."""
    kind = np.dtype(dtype)
    if dtype in SIGNED or dtype in UNSIGNED:
        return hnp.arrays(kind, shape)
    reals = st.floats(-8, 8, width=16).map(lambda x: 0.0 if abs(x) < 1e-3 else x)
    odd = st.sampled_from([float("inf"), float("-inf"), float("nan")])
    if dtype in COMPLEX:
        return hnp.arrays(kind, shape, elements=st.builds(complex, reals, reals))
    wide = hnp.arrays(np.float64, shape, elements=st.one_of(reals, reals, reals, odd))
    return wide.map(lambda array: np.asarray(array).astype(dtype))


@st.composite
def pairs(draw: Any, dtypes: tuple[Any, ...]) -> tuple[Any, Any]:
    """Two arrays of one dtype, of up to 4 axes of up to 4, that broadcast."""
    shapes = draw(
        hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, min_side=0, max_side=4)
    )
    dtype = draw(st.sampled_from(dtypes))
    left, right = (draw(values(dtype, shape)) for shape in shapes.input_shapes)
    return left, right


@st.composite
def singles(draw: Any, dtypes: tuple[Any, ...]) -> Any:
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
    return draw(values(draw(st.sampled_from(dtypes)), shape))


def function(name: str) -> Any:
    found: Any = tf
    for part in name.split("."):
        found = getattr(found, part)
    return found


def in_numpy(f: Any, *arrays: Any) -> Any:
    """NumPy's answer; bfloat16 through float32, of which it is half."""
    narrow = arrays[0].dtype == ml_dtypes.bfloat16
    given = [x.astype(np.float32) for x in arrays] if narrow else list(arrays)
    with np.errstate(all="ignore"):
        result = np.asarray(f(*given))
    return result.astype(ml_dtypes.bfloat16) if narrow and result.dtype.kind == "f" else result


def assert_agree(found: Any, expected: Any, dtype: Any) -> None:
    actual = found.numpy()
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    tolerance = TOLERANCE.get(np.dtype(dtype).type)
    if tolerance is None or expected.dtype.kind not in "fcV":
        assert actual.tolist() == expected.tolist()
        return
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    np.testing.assert_allclose(
        actual.astype(wide), expected.astype(wide), rtol=tolerance, atol=tolerance, equal_nan=True
    )


many = settings(
    derandomize=True, max_examples=share_of(40), deadline=None, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)  # fmt: skip


@pytest.mark.parametrize("name", BINARY)
@many
@given(data=st.data())
def test_a_function_of_two_tensors_agrees_with_numpy(name: str, data: Any) -> None:
    f, dtypes = BINARY[name]
    x, y = data.draw(pairs(dtypes))
    assert_agree(function(name)(tf.constant(x), tf.constant(y)), in_numpy(f, x, y), x.dtype)


@pytest.mark.parametrize("name", DIVIDING)
@many
@given(data=st.data())
def test_a_division_agrees_with_numpy(name: str, data: Any) -> None:
    f, dtypes = DIVIDING[name]
    x, y = data.draw(pairs(dtypes))
    if x.dtype.kind in "iu":
        y = np.where(y == 0, np.ones_like(y), y)
        x = np.where(y == y.dtype.type(-1), np.zeros_like(x), x) if x.dtype.kind == "i" else x
        y = np.broadcast_to(y, x.shape) if x.dtype.kind == "i" else y
    else:
        with np.errstate(all="ignore"):
            y = np.where(np.abs(y.astype(np.complex128)) < 1e-2, np.ones_like(y), y)
            x = np.where(x == 0, np.ones_like(x), x)
    assert_agree(function(name)(tf.constant(x), tf.constant(y)), in_numpy(f, x, y), x.dtype)


@pytest.mark.parametrize("name", UNARY)
@many
@given(data=st.data())
def test_a_function_of_one_tensor_agrees_with_numpy(name: str, data: Any) -> None:
    f, dtypes = UNARY[name]
    x = data.draw(singles(dtypes))
    assert_agree(function(name)(tf.constant(x)), in_numpy(f, x), x.dtype)


@many
@given(data=st.data())
def test_where_agrees_with_numpy(data: Any) -> None:
    shapes = data.draw(
        hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=4, min_side=0, max_side=4)
    ).input_shapes
    dtype = data.draw(st.sampled_from((*NUMBERS,)))
    mask = data.draw(hnp.arrays(np.bool_, shapes[0]))
    x, y = (data.draw(values(dtype, shape)) for shape in shapes[1:])
    found = tf.where(tf.constant(mask), tf.constant(x), tf.constant(y))
    assert_agree(found, np.where(mask, x, y), dtype)


@many
@given(data=st.data())
def test_shapes_that_do_not_broadcast_are_refused(data: Any) -> None:
    x, y = (data.draw(hnp.arrays(np.float32, hnp.array_shapes(max_dims=4, max_side=4)))
            for _ in range(2))  # fmt: skip
    try:
        np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
            tf.add(x, y)
    else:
        assert tf.add(x, y).shape == np.broadcast_shapes(x.shape, y.shape)
