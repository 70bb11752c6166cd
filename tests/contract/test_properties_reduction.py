"""Reductions, running totals, order, segments and counts against NumPy, on generated values.

The examples are the same in every run. Shapes include scalars and sizes of 0; values are small
integers, also as floats, so that they tie often and sums are exact.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from property_examples import share_of

import emplace.tensorflow as tf

FLOATS = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]
SIGNED = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]
REALS = [*FLOATS, *SIGNED, *UNSIGNED]
NUMBERS = [*REALS, np.complex64, np.complex128]


def examples(count: int) -> Any:
    return settings(
        max_examples=share_of(count),
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


shapes = st.lists(st.integers(0, 4), max_size=4).map(tuple)
some_axis = st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple)


def arrays(draw: Any, dtypes: list[Any], shape: tuple[int, ...]) -> Any:
    """An array of small numbers, of which many are equal."""
    dtype = draw(st.sampled_from(dtypes))
    low = 0 if np.dtype(dtype).kind == "u" else -3
    size = int(np.prod(shape))
    numbers = draw(st.lists(st.integers(low, 3), min_size=size, max_size=size))
    return np.array(numbers).reshape(shape).astype(dtype)


@st.composite
def reductions(draw: Any, dtypes: list[Any]) -> tuple[Any, Any, bool]:
    """(an array, axes or None, keepdims)."""
    shape = draw(shapes)
    x = arrays(draw, dtypes, shape)
    places = draw(st.lists(st.integers(0, max(0, len(shape) - 1)), unique=True, max_size=3))
    axes = [a - draw(st.sampled_from([0, len(shape)])) for a in places] if shape else []
    return x, draw(st.sampled_from([None, axes])), draw(st.booleans())


def expected(numpy_function: Any, x: Any, axes: Any, keepdims: bool, **more: Any) -> Any:
    """What NumPy says, in wide numbers; it takes a tuple of axes."""
    axis = None if axes is None else tuple(axes)
    return numpy_function(x, axis=axis, keepdims=keepdims, **more)


def assert_equal(found: Any, wanted: Any, dtype: Any = None, rtol: float = 0.0) -> None:
    answer = found.numpy()
    assert answer.shape == np.shape(wanted)
    if dtype is not None:
        assert answer.dtype == dtype
    wide = np.complex128 if answer.dtype.kind == "c" else np.float64
    np.testing.assert_allclose(
        answer.astype(wide), np.asarray(wanted).astype(wide), rtol=rtol, atol=rtol
    )


def wide(x: Any) -> Any:
    """NumPy's own narrow types are reduced in wide ones."""
    if x.dtype.kind in "iu":
        return x.astype(np.int64)
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


@given(reductions(NUMBERS))
@examples(300)
def test_a_sum_is_numpys(case: Any) -> None:
    x, axes, keepdims = case
    found = tf.reduce_sum(x, axes, keepdims)
    assert_equal(found, expected(np.sum, wide(x), axes, keepdims), x.dtype)


@given(reductions([np.float32, np.float64, np.int32, np.int64, np.complex128]))
@examples(300)
def test_a_product_is_numpys(case: Any) -> None:
    x, axes, keepdims = case
    found = tf.reduce_prod(x, axes, keepdims)
    with np.errstate(over="ignore"):
        wanted = expected(np.prod, x, axes, keepdims, dtype=x.dtype)
    assert_equal(found, wanted, x.dtype, rtol=1e-5)


@given(reductions([np.float32, np.float64, np.complex128]))
@examples(200)
def test_a_mean_is_numpys(case: Any) -> None:
    x, axes, keepdims = case
    if x.size == 0:
        return
    wanted = expected(np.mean, x, axes, keepdims)
    assert_equal(tf.reduce_mean(x, axes, keepdims), wanted, x.dtype, rtol=1e-5)


@given(reductions([*SIGNED, *UNSIGNED]))
@examples(200)
def test_a_mean_of_integers_loses_its_rest(case: Any) -> None:
    x, axes, keepdims = case
    if x.size == 0:
        return
    total = expected(np.sum, wide(x), axes, keepdims)
    count = x.size // max(1, total.size)
    wanted = np.trunc(total / count)
    assert_equal(tf.reduce_mean(x, axes, keepdims), wanted, x.dtype)


@given(reductions(REALS), st.sampled_from(["max", "min"]))
@examples(300)
def test_an_extreme_is_numpys_and_the_end_of_the_range_over_nothing(case: Any, end: str) -> None:
    x, axes, keepdims = case
    found = getattr(tf, f"reduce_{end}")(x, axes, keepdims)
    if x.dtype in FLOATS:
        start = -np.inf if end == "max" else np.inf
        values = x.astype(np.float64)
    else:
        info = np.iinfo(x.dtype)
        start = info.min if end == "max" else info.max
        values = x
    wanted = expected(getattr(np, end), values, axes, keepdims, initial=start)
    assert found.numpy().astype(values.dtype).tolist() == np.asarray(wanted).tolist()
    assert found.numpy().dtype == x.dtype


@given(reductions([np.bool_]), st.sampled_from(["all", "any"]))
@examples(150)
def test_all_and_any_are_numpys(case: Any, name: str) -> None:
    x, axes, keepdims = case
    found = getattr(tf, f"reduce_{name}")(x, axes, keepdims)
    assert found.numpy().tolist() == expected(getattr(np, name), x, axes, keepdims).tolist()


@given(reductions([np.float64, np.complex128]))
@examples(150)
def test_variance_and_standard_deviation_are_numpys(case: Any) -> None:
    x, axes, keepdims = case
    if x.size == 0:
        return
    for name in ("std", "variance"):
        found = getattr(tf.math, f"reduce_{name}")(x, axes, keepdims)
        numpy_function = np.std if name == "std" else np.var
        assert_equal(found, expected(numpy_function, x, axes, keepdims), rtol=1e-9)


@given(reductions([np.float64]))
@examples(150)
def test_log_sum_exp_is_the_logarithm_of_the_sum_of_exponentials(case: Any) -> None:
    x, axes, keepdims = case
    with np.errstate(divide="ignore"):
        wanted = np.log(expected(np.sum, np.exp(x), axes, keepdims))
    assert_equal(tf.math.reduce_logsumexp(x, axes, keepdims), wanted, x.dtype, rtol=1e-9)


@given(reductions([np.float64, np.complex128]))
@examples(150)
def test_a_euclidean_norm_is_the_root_of_the_sum_of_squares(case: Any) -> None:
    x, axes, keepdims = case
    wanted = np.sqrt(expected(np.sum, np.abs(x) ** 2, axes, keepdims))
    found = tf.math.reduce_euclidean_norm(x, axes, keepdims)
    assert_equal(found, wanted, x.dtype, rtol=1e-9)


@given(reductions([*NUMBERS, np.bool_]))
@examples(200)
def test_a_count_of_what_is_not_zero_is_numpys(case: Any) -> None:
    x, axes, keepdims = case
    wanted = expected(np.sum, (x != np.zeros((), x.dtype)).astype(np.int64), axes, keepdims)
    found = tf.math.count_nonzero(x, axes, keepdims)
    assert found.dtype is tf.int64
    assert found.numpy().tolist() == wanted.tolist()


@st.composite
def along_an_axis(draw: Any, dtypes: list[Any]) -> tuple[Any, int]:
    """(an array with no empty axis, one of its axes)."""
    shape = draw(some_axis)
    return arrays(draw, dtypes, shape), draw(st.integers(-len(shape), len(shape) - 1))


@given(along_an_axis(REALS))
@examples(200)
def test_the_place_of_an_extreme_is_that_of_the_first_one(case: Any) -> None:
    x, axis = case
    values = x.astype(np.float64)
    assert tf.argmax(x, axis).numpy().tolist() == np.argmax(values, axis).tolist()
    assert tf.argmin(x, axis).numpy().tolist() == np.argmin(values, axis).tolist()


@given(along_an_axis(NUMBERS), st.booleans(), st.booleans())
@examples(200)
def test_running_totals_are_numpys(case: Any, exclusive: bool, reverse: bool) -> None:
    x, axis = case
    values = np.flip(x, axis) if reverse else x
    for name, start in (("cumsum", 0), ("cumprod", 1)):
        totals = getattr(np, name)(values, axis, dtype=wide(values).dtype)
        if exclusive:
            first = np.full_like(np.take(totals, [0], axis), start)
            kept = np.take(totals, range(x.shape[axis] - 1), axis)
            totals = np.concatenate([first, kept], axis)
        wanted = np.flip(totals, axis) if reverse else totals
        found = getattr(tf.math, name)(x, axis, exclusive, reverse)
        assert_equal(found, wanted, x.dtype)


@given(along_an_axis(REALS))
@examples(200)
def test_sorting_is_stable_in_both_directions(case: Any) -> None:
    x, axis = case
    values = x.astype(np.float64)
    up = np.argsort(values, axis, kind="stable")
    down = np.argsort(-values, axis, kind="stable")
    for direction, places in (("ASCENDING", up), ("DESCENDING", down)):
        assert tf.argsort(x, axis, direction).numpy().tolist() == places.tolist()
        wanted = np.take_along_axis(values, places, axis)
        assert_equal(tf.sort(x, axis, direction), wanted, x.dtype)


@given(along_an_axis(REALS), st.data())
@examples(200)
def test_of_the_largest_the_first_come_first(case: Any, data: Any) -> None:
    x = case[0]
    k = data.draw(st.integers(0, x.shape[-1]))
    places = np.argsort(-x.astype(np.float64), -1, kind="stable")[..., :k]
    found = tf.math.top_k(x, k)
    assert found.indices.numpy().tolist() == places.tolist()
    assert_equal(found.values, np.take_along_axis(x.astype(np.float64), places, -1), x.dtype)


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("k", [1, 5, 100])
@pytest.mark.parametrize("high", [7, 100])
def test_of_the_largest_of_many_the_first_come_first(dtype: Any, k: int, high: int) -> None:
    x = np.random.default_rng(k).integers(0, high, (3, 3000)).astype(dtype)
    places = np.argsort(-x.astype(np.float64), -1, kind="stable")[:, :k]
    assert tf.math.top_k(x, k).indices.numpy().tolist() == places.tolist()


def test_the_largest_of_many_numbers_that_differ_are_numpys() -> None:
    x = np.random.default_rng(0).permutation(5000).astype(np.float32).reshape(2, 2500) - 2000
    places = np.argsort(-x, -1, kind="stable")[:, :20]
    assert tf.math.top_k(x, 20).indices.numpy().tolist() == places.tolist()


@given(along_an_axis([np.float32, np.float16]), st.data())
@examples(100)
def test_an_approximation_of_the_largest_and_smallest_is_exact(case: Any, data: Any) -> None:
    x, axis = case
    k = data.draw(st.integers(0, x.shape[axis]))
    for name, values in (("approx_max_k", -x), ("approx_min_k", x)):
        places = np.argsort(values.astype(np.float64), axis, kind="stable")
        places = np.take(places, range(k), axis)
        found = getattr(tf.nn, name)(x, k, axis)
        assert found.indices.numpy().tolist() == places.tolist()
        assert_equal(found.values, np.take_along_axis(x, places, axis), x.dtype)


@given(along_an_axis(REALS), st.data())
@examples(100)
def test_the_nth_element_is_that_of_the_sorted_row(case: Any, data: Any) -> None:
    x = case[0]
    n = data.draw(st.integers(0, x.shape[-1] - 1))
    rows = np.sort(x.astype(np.float64), -1)
    assert_equal(tf.raw_ops.NthElement(input=x, n=n), rows[..., n], x.dtype)
    found = tf.raw_ops.NthElement(input=x, n=n, reverse=True)
    assert_equal(found, rows[..., ::-1][..., n], x.dtype)


@given(along_an_axis(REALS), st.data(), st.sampled_from(["left", "right"]))
@examples(200)
def test_places_in_sorted_rows_are_numpys(case: Any, data: Any, side: Any) -> None:
    rows = np.sort(case[0].astype(np.float64), -1).astype(case[0].dtype)
    values = arrays(data.draw, [rows.dtype], (*rows.shape[:-1], data.draw(st.integers(0, 4))))
    found = tf.searchsorted(rows, values, side).numpy()
    assert found.shape == values.shape
    for index in np.ndindex(*rows.shape[:-1]):
        row, wanted = rows[index].astype(np.float64), values[index].astype(np.float64)
        assert found[index].tolist() == np.searchsorted(row, wanted, side).tolist()


@given(st.permutations(range(7)))
@examples(50)
def test_a_permutation_undoes_its_inverse(numbers: list[int]) -> None:
    inverse = tf.math.invert_permutation(numbers).numpy()
    assert inverse.tolist() == np.argsort(numbers).tolist()


SEGMENTS: dict[str, Any] = {
    "sum": lambda rows: rows.sum(0),
    "prod": lambda rows: rows.prod(0),
    "max": lambda rows: rows.max(0),
    "min": lambda rows: rows.min(0),
    "mean": lambda rows: rows.mean(0),
}


@st.composite
def segmented(draw: Any) -> tuple[Any, Any]:
    """(rows of numbers, the id of each)."""
    shape = draw(some_axis)
    ids = draw(st.lists(st.integers(0, 4), min_size=shape[0], max_size=shape[0]))
    return arrays(draw, [np.float32, np.float64], shape), np.array(ids, np.int32)


@given(segmented(), st.sampled_from(sorted(SEGMENTS)))
@examples(300)
def test_segments_are_numpys(case: Any, name: str) -> None:
    x, ids = case[0], np.sort(case[1])
    empty = 1 if name == "prod" else 0
    wanted = np.full((int(ids[-1]) + 1, *x.shape[1:]), empty, x.dtype)
    for each in set(ids.tolist()):
        wanted[each] = SEGMENTS[name](x[ids == each])
    assert_equal(getattr(tf.math, f"segment_{name}")(x, ids), wanted, x.dtype, rtol=1e-5)


@given(segmented(), st.sampled_from([*sorted(SEGMENTS), "sqrt_n"]), st.booleans())
@examples(300)
def test_unsorted_segments_are_numpys(case: Any, name: str, drops: bool) -> None:
    x, ids = case[0], case[1] - (1 if drops else 0)
    info = np.finfo(x.dtype)
    empty = {"prod": 1, "max": info.min, "min": info.max}.get(name, 0)
    wanted = np.full((6, *x.shape[1:]), empty, x.dtype)
    for each in {i for i in ids.tolist() if i >= 0}:
        rows = x[ids == each]
        root = rows.sum(0) / np.sqrt(len(rows))
        wanted[each] = root if name == "sqrt_n" else SEGMENTS[name](rows)
    found = getattr(tf.math, f"unsorted_segment_{name}")(x, ids, 6)
    assert_equal(found, wanted, x.dtype, rtol=1e-5)


@pytest.mark.parametrize("name", sorted(SEGMENTS))
def test_many_segments_are_numpys(name: str) -> None:
    random = np.random.default_rng(3)
    ids = np.sort(np.concatenate([np.arange(90), random.integers(0, 90, 910)])).astype(np.int32)
    x = random.uniform(0.5, 1.5, (1000, 3))
    wanted = np.stack([SEGMENTS[name](x[ids == each]) for each in range(90)])
    assert_equal(getattr(tf.math, f"segment_{name}")(x, ids), wanted, rtol=1e-9)
    shuffled = random.permutation(1000)
    found = getattr(tf.math, f"unsorted_segment_{name}")(x[shuffled], ids[shuffled], 90)
    assert_equal(found, wanted, rtol=1e-9)


def in_order_of_coming(x: Any) -> tuple[list[Any], list[int], list[int]]:
    known: dict[Any, int] = {}
    places = [known.setdefault(value, len(known)) for value in x.tolist()]
    return list(known), places, [places.count(i) for i in range(len(known))]


@pytest.mark.parametrize("size", [0, 1, 7, 600])
@pytest.mark.parametrize("high", [3, 60_000])
@pytest.mark.parametrize("dtype", [*REALS, np.bool_])
def test_unique_elements_come_in_the_order_they_are_met(dtype: Any, high: int, size: int) -> None:
    x = np.random.default_rng(1).integers(0, high, size).astype(dtype)
    y, idx, count = tf.unique_with_counts(x)
    values, places, counts = in_order_of_coming(x)
    assert y.numpy().tolist() == values
    assert (idx.numpy().tolist(), count.numpy().tolist()) == (places, counts)
    assert tf.unique(x).y.numpy().tolist() == values


@pytest.mark.parametrize("rows", [5, 700])
def test_unique_rows_come_in_the_order_they_are_met(rows: int) -> None:
    x = np.random.default_rng(2).integers(0, 3, (rows, 3)).astype(np.float32)
    y, idx = tf.raw_ops.UniqueV2(x=x, axis=[0])
    known: dict[Any, int] = {}
    places = [known.setdefault(tuple(row), len(known)) for row in x.tolist()]
    assert y.numpy().tolist() == [list(row) for row in known]
    assert idx.numpy().tolist() == places


@given(
    st.lists(st.integers(0, 9), max_size=20),
    st.none() | st.integers(0, 12),
    st.none() | st.integers(0, 12),
)
@examples(200)
def test_counts_are_numpys(numbers: list[int], least: int | None, most: int | None) -> None:
    x = np.array(numbers, np.int32)
    wanted = np.bincount(x, minlength=least or 0)
    found = tf.math.bincount(x, minlength=least, maxlength=most)
    assert found.numpy().tolist() == (wanted if most is None else wanted[:most]).tolist()
    weights = x.astype(np.float64) / 2
    found = tf.math.bincount(x, weights, minlength=least, maxlength=most)
    wanted = np.bincount(x, weights, minlength=least or 0)
    assert found.numpy().tolist() == (wanted if most is None else wanted[:most]).tolist()
