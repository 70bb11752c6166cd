"""Slicing, gathering and scattering agree with NumPy, whatever the shapes and indices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from property_examples import share_of

import emplace.tensorflow as tf

derandomized = settings(derandomize=True, max_examples=share_of(150), deadline=None, database=None)

SHAPES = st.lists(st.integers(0, 4), min_size=1, max_size=4).map(tuple)
FULL_SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple)
BOUND = st.one_of(st.none(), st.integers(-6, 6))
STEP = st.one_of(st.none(), st.integers(-3, 3).filter(bool))


def numbered(shape: tuple[int, ...]) -> Any:
    """An array in which every element is another number."""
    return np.arange(math.prod(shape), dtype=np.float32).reshape(shape)


@st.composite
def keys(draw: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """A key for a tensor of this shape: numbers, slices, new axes and at most one `...`."""
    key: list[Any] = []
    for size in shape[: draw(st.integers(0, len(shape)))]:
        if size and draw(st.booleans()):
            key.append(draw(st.integers(-size, size - 1)))
        else:
            key.append(slice(draw(BOUND), draw(BOUND), draw(STEP)))
        if draw(st.integers(0, 4)) == 0:
            key.append(None)
    if draw(st.booleans()):
        key.insert(draw(st.integers(0, len(key))), Ellipsis)
    return tuple(key)


@derandomized
@given(st.data(), SHAPES)
def test_indexing_is_numpys(data: Any, shape: tuple[int, ...]) -> None:
    array = numbered(shape)
    key = data.draw(keys(shape))
    try:
        expected = array[key]
    except IndexError:  # `...` moved a number to an axis that is shorter
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.constant(array)[key]
        return
    found = tf.constant(array)[key]
    assert found.shape == expected.shape
    assert np.array_equal(found.numpy(), expected)


@derandomized
@given(st.data(), FULL_SHAPES)
def test_assigning_to_a_part_of_a_variable_is_numpys(data: Any, shape: tuple[int, ...]) -> None:
    array = numbered(shape)
    key = data.draw(keys(shape))
    try:
        wanted = array[key]
    except IndexError:
        return
    variable = tf.Variable(array)
    before = variable.value()
    values = -1 - numbered(wanted.shape)
    variable[key].assign(values)
    expected = array.copy()
    expected[key] = values
    assert np.array_equal(variable.numpy(), expected)
    assert np.array_equal(before.numpy(), array)


@derandomized
@given(st.data(), SHAPES)
def test_the_gradient_of_a_slice_counts_what_was_taken(data: Any, shape: tuple[int, ...]) -> None:
    array = numbered(shape)
    key = data.draw(keys(shape))
    expected = np.zeros_like(array)
    try:
        expected[key] += 1
    except IndexError:
        return
    x = tf.constant(array)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x[key]
    assert np.array_equal(tape.gradient(y, x).numpy(), expected)


@derandomized
@given(st.data(), SHAPES)
def test_strided_slices_with_masks_are_numpys(data: Any, shape: tuple[int, ...]) -> None:
    array = numbered(shape)
    rank = data.draw(st.integers(1, len(shape)))
    number = st.integers(-6, 6)
    begin, end = (data.draw(st.lists(number, min_size=rank, max_size=rank)) for _ in range(2))
    step = st.integers(-3, 3).filter(bool)
    strides = data.draw(st.lists(step, min_size=rank, max_size=rank))
    masks = [data.draw(st.integers(0, 2**rank - 1)) for _ in range(2)]
    key = tuple(
        slice(
            None if masks[0] >> i & 1 else begin[i],
            None if masks[1] >> i & 1 else end[i],
            strides[i],
        )
        for i in range(rank)
    )
    found = tf.strided_slice(array, begin, end, strides, masks[0], masks[1])
    assert np.array_equal(found.numpy(), array[key])


@derandomized
@given(st.data(), SHAPES)
def test_slice_takes_a_block(data: Any, shape: tuple[int, ...]) -> None:
    array = numbered(shape)
    begin = [data.draw(st.integers(0, size)) for size in shape]
    size = [data.draw(st.integers(-1, n - b)) for n, b in zip(shape, begin, strict=True)]
    ends = [n if s == -1 else b + s for n, b, s in zip(shape, begin, size, strict=True)]
    expected = array[tuple(slice(b, e) for b, e in zip(begin, ends, strict=True))]
    assert np.array_equal(tf.slice(array, begin, size).numpy(), expected)


@derandomized
@given(st.data(), FULL_SHAPES, st.lists(st.integers(0, 3), max_size=2))
def test_gather_is_take(data: Any, shape: tuple[int, ...], wanted: list[int]) -> None:
    array = numbered(shape)
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    count = math.prod(wanted)
    index = st.integers(0, shape[axis] - 1)
    flat = data.draw(st.lists(index, min_size=count, max_size=count))
    indices = np.array(flat, np.int32).reshape(wanted)
    found = tf.gather(array, indices, axis=axis)
    assert np.array_equal(found.numpy(), np.take(array, indices, axis))


@derandomized
@given(st.data(), FULL_SHAPES.filter(lambda shape: len(shape) > 1))
def test_gather_in_batches_gathers_in_each(data: Any, shape: tuple[int, ...]) -> None:
    array = numbered(shape)
    batch = data.draw(st.integers(1, len(shape) - 1))
    axis = data.draw(st.integers(batch, len(shape) - 1))
    dims = (*shape[:batch], data.draw(st.integers(0, 3)))
    count = math.prod(dims)
    index = st.integers(0, shape[axis] - 1)
    indices = np.array(data.draw(st.lists(index, min_size=count, max_size=count)), np.int64)
    indices = indices.reshape(dims)
    expected = [np.take(array[at], indices[at], axis - batch) for at in np.ndindex(dims[:batch])]
    found = tf.gather(array, indices, axis=axis, batch_dims=batch).numpy()
    assert found.shape == (*shape[:axis], dims[-1], *shape[axis + 1 :])
    for at, each in zip(np.ndindex(dims[:batch]), expected, strict=True):
        assert np.array_equal(found[at], each)


def rows_for(data: Any, shape: tuple[int, ...], *, distinct: bool) -> Any:
    """Rows of indices for the first axes of a tensor."""
    depth = data.draw(st.integers(1, len(shape)))
    row = st.tuples(*[st.integers(0, size - 1) for size in shape[:depth]])
    rows = data.draw(st.lists(row, max_size=5, unique=distinct))
    return np.array(rows, np.int32).reshape(len(rows), depth)


@derandomized
@given(st.data(), FULL_SHAPES)
def test_gather_nd_takes_what_each_row_names(data: Any, shape: tuple[int, ...]) -> None:
    array = numbered(shape)
    rows = rows_for(data, shape, distinct=False)
    found = tf.gather_nd(array, rows).numpy()
    assert found.shape == (len(rows), *shape[rows.shape[1] :])
    for row, value in zip(rows, found, strict=True):
        assert np.array_equal(value, array[tuple(row)])


@derandomized
@given(st.data(), FULL_SHAPES)
def test_scatter_nd_adds_up_what_goes_to_one_place(data: Any, shape: tuple[int, ...]) -> None:
    rows = rows_for(data, shape, distinct=False)
    updates = 1 + numbered((len(rows), *shape[rows.shape[1] :]))
    expected = np.zeros(shape, np.float32)
    for row, value in zip(rows, updates, strict=True):
        expected[tuple(row)] += value
    assert np.array_equal(tf.scatter_nd(rows, updates, shape).numpy(), expected)


@derandomized
@given(st.data(), FULL_SHAPES)
def test_updates_replace_what_each_row_names(data: Any, shape: tuple[int, ...]) -> None:
    array = numbered(shape)
    rows = rows_for(data, shape, distinct=True)
    updates = -1 - numbered((len(rows), *shape[rows.shape[1] :]))
    expected = array.copy()
    for row, value in zip(rows, updates, strict=True):
        expected[tuple(row)] = value
    assert np.array_equal(tf.tensor_scatter_nd_update(array, rows, updates).numpy(), expected)


@derandomized
@given(st.data(), FULL_SHAPES)
def test_the_gradient_of_a_gather_adds_up_what_was_taken(data: Any, shape: tuple[int, ...]) -> None:
    index = st.integers(0, shape[0] - 1)
    indices = np.array(data.draw(st.lists(index, max_size=5)), np.int32)
    x = tf.constant(numbered(shape))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x, indices)
    slices = tape.gradient(y, x)
    assert isinstance(slices, tf.IndexedSlices)
    expected = np.zeros(shape, np.float32)
    np.add.at(expected, indices, 1)
    assert np.array_equal(tf.convert_to_tensor(slices).numpy(), expected)


@derandomized
@given(st.data(), FULL_SHAPES)
def test_an_index_out_of_range_is_refused_and_nothing_is_read(
    data: Any, shape: tuple[int, ...]
) -> None:
    bad = data.draw(st.sampled_from([-1, shape[0], shape[0] + 1000]))
    array = numbered(shape)
    for pick in (
        lambda: tf.gather(array, [0, bad]),
        lambda: tf.gather_nd(array, [[0], [bad]]),
        lambda: tf.tensor_scatter_nd_add(array, [[bad]], array[:1]),
        lambda: tf.scatter_nd([[bad]], array[:1], shape),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"is not in|does not index"):
            pick()


@derandomized
@given(st.data(), FULL_SHAPES)
def test_a_bad_index_leaves_a_variable_as_it_was(data: Any, shape: tuple[int, ...]) -> None:
    bad = data.draw(st.sampled_from([-1, shape[0]]))
    array = numbered(shape)
    variable = tf.Variable(array)
    delta = tf.IndexedSlices(np.ones((2, *shape[1:]), np.float32), [0, bad])
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
        variable.scatter_add(delta)
    assert np.array_equal(variable.numpy(), array)
