"""Products of random shapes and dtypes are NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings, strategies as st
from property_examples import share_of

import emplace.tensorflow as tf

SIZES = st.integers(0, 4)
DTYPES = st.sampled_from(["float32", "float64", "int32", "int64", "complex64", "complex128"])
SEEDS = st.integers(0, 2**16)
CHECKED = settings(max_examples=share_of(80), deadline=None, derandomize=True, database=None)


def numbers(seed: int, dtype: str, *shape: int) -> Any:
    """Small numbers, so that integers stay exact."""
    rng = np.random.default_rng([seed, len(shape), sum(shape)])
    parts = rng.integers(-4, 5, shape)
    if dtype.startswith("complex"):
        return (parts + 1j * rng.integers(-4, 5, shape)).astype(dtype)
    return parts.astype(dtype)


def assert_same(found: Any, expected: Any) -> None:
    assert found.dtype.name == expected.dtype.name
    assert found.shape.as_list() == list(expected.shape)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-5)


def turned(x: Any, transpose: bool, adjoint: bool) -> Any:
    x = np.swapaxes(x, -1, -2) if transpose or adjoint else x
    return np.conj(x) if adjoint else x


@CHECKED
@given(
    sizes=st.tuples(SIZES, SIZES, SIZES),
    batch=st.lists(st.integers(1, 3), max_size=2),
    stretched=st.tuples(st.booleans(), st.booleans()),
    flags=st.tuples(*[st.sampled_from(["", "transpose", "adjoint"])] * 2),
    dtype=DTYPES,
    seed=SEEDS,
)
def test_a_matrix_product_is_that_of_numpy(
    sizes: Any, batch: Any, stretched: Any, flags: Any, dtype: str, seed: int
) -> None:
    m, k, n = sizes
    left = [1 if stretched[0] else size for size in batch]
    right = [1 if stretched[1] else size for size in batch]
    a = numbers(seed, dtype, *left, *((k, m) if flags[0] else (m, k)))
    b = numbers(seed + 1, dtype, *right, *((n, k) if flags[1] else (k, n)))
    arguments = {f"{flag}_{name}": True for flag, name in zip(flags, "ab", strict=True) if flag}
    expected = np.matmul(
        turned(a, flags[0] == "transpose", flags[0] == "adjoint"),
        turned(b, flags[1] == "transpose", flags[1] == "adjoint"),
    )
    assert_same(tf.matmul(a, b, **arguments), expected)


@CHECKED
@given(
    kept=st.tuples(st.lists(SIZES, max_size=2), st.lists(SIZES, max_size=2)),
    summed=st.lists(SIZES, max_size=2),
    dtype=DTYPES,
    seed=SEEDS,
)
def test_a_tensordot_is_that_of_numpy(kept: Any, summed: Any, dtype: str, seed: int) -> None:
    a = numbers(seed, dtype, *kept[0], *summed)
    b = numbers(seed + 1, dtype, *summed, *kept[1])
    count = len(summed)
    assert_same(tf.tensordot(a, b, count), np.asarray(np.tensordot(a, b, count), dtype))
    axes = [list(range(len(kept[0]), a.ndim)), list(range(count))]
    assert_same(tf.tensordot(a, b, axes), np.asarray(np.tensordot(a, b, axes), dtype))


@CHECKED
@given(
    labels=st.tuples(*[st.lists(st.sampled_from("abcd"), max_size=3, unique=True)] * 2),
    picks=st.lists(st.booleans(), min_size=4, max_size=4),
    lengths=st.lists(st.integers(1, 3), min_size=4, max_size=4),
    dtype=DTYPES,
    seed=SEEDS,
)
def test_an_einsum_is_that_of_numpy(
    labels: Any, picks: Any, lengths: Any, dtype: str, seed: int
) -> None:
    size = dict(zip("abcd", lengths, strict=True))
    kept = [
        x for x, pick in zip("abcd", picks, strict=True) if pick and x in {*labels[0], *labels[1]}
    ]
    equation = f"{''.join(labels[0])},{''.join(labels[1])}->{''.join(kept)}"
    a = tf.constant(numbers(seed, dtype, *[size[x] for x in labels[0]]))
    b = tf.constant(numbers(seed + 1, dtype, *[size[x] for x in labels[1]]))
    expected = np.asarray(np.einsum(equation, a.numpy(), b.numpy()), dtype)
    assert_same(tf.einsum(equation, a, b), expected)
