"""What graphs check of ragged tensors when they run, split along axes inside of rows, and feed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

ROWS = tf.ragged.constant([[1, 2], [3]])
OTHER = tf.ragged.constant([[1], [2, 3]])
SPEC = tf.RaggedTensorSpec([None, None], tf.int32)


def added(x: Any, y: Any) -> Any:
    return tf.ragged.map_flat_values(tf.add, x, y)


def test_flat_values_of_other_rows_are_not_mixed_in_graphs_either() -> None:
    function = tf.function(added, input_signature=[SPEC, SPEC])
    assert function(ROWS, ROWS).to_list() == [[2, 4], [6]]
    for call in (function, added):
        with pytest.raises(tf.errors.InvalidArgumentError, match="partitions have incompatible"):
            call(ROWS, OTHER)
    with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError, match="partitions"):
        added(tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[1], [2, 3]]))
    with pytest.raises(ValueError, match="same outer-dimension size"):
        added(ROWS, tf.ragged.constant([[1, 2], [3, 4]]))


def test_ragged_tensors_in_lists_are_mapped_and_rows_of_one_length_stay_so() -> None:
    even = tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2)
    made = tf.ragged.map_flat_values(tf.add_n, [even, even])
    assert made.to_list() == [[2, 4], [6, 8]]
    plain = tf.ragged.constant([[1, 2], [3, 4]])
    assert added(plain, even).shape == added(even, plain).shape == [2, 2]


@pytest.mark.parametrize(("axis", "at"), [(2, 2), (-1, 2), (1, 1)])
def test_rows_are_split_along_axes_of_one_size(axis: int, at: int) -> None:
    values = np.arange(16).reshape(2, 2, 4) if at == 1 else np.arange(12).reshape(3, 4)
    rows = (
        tf.RaggedTensor.from_tensor(values, ragged_rank=2)
        if at == 1
        else tf.RaggedTensor.from_row_lengths(values, [1, 2])
    )
    sizes = [1, 1] if at == 1 else [1, 3]
    parts = tf.split(rows, sizes, axis=axis)
    assert tf.concat(parts, axis).to_list() == rows.to_list()
    assert [part.shape[at] for part in parts] == sizes
    assert [part.shape[at] for part in tf.split(rows, 2, axis=axis)] == [sum(sizes) // 2] * 2


def test_rows_are_not_split_where_they_differ() -> None:
    with pytest.raises(ValueError, match="Cannot split a ragged dimension"):
        tf.split(ROWS, 2, axis=1)
    with pytest.raises(ValueError, match="must be >=1"):
        tf.split(ROWS, 0)


def test_lengths_of_inner_rows_are_known_when_the_graph_runs() -> None:
    rows = tf.RaggedTensor.from_row_lengths(tf.ones([3, 2]), [1, 2])
    spec = tf.RaggedTensorSpec([None, None, 2], tf.float32, ragged_rank=1)
    function = tf.function(lambda x: x.row_lengths(axis=2), input_signature=[spec])
    assert function(rows).to_list() == rows.row_lengths(axis=2).to_list() == [[2], [2, 2]]


def test_ranges_over_half_of_all_int32_do_not_wrap_around() -> None:
    made = tf.ragged.range([1136033460], [-2110457150], [-1849827689])
    assert made.to_list() == [[1136033460, -713794229]]
    made = tf.ragged.range([-2_000_000_000], [2_000_000_000], [1_500_000_000])
    assert made.to_list() == [[-2_000_000_000, -500_000_000, 1_000_000_000]]


def test_axes_are_ints() -> None:
    for name, arguments in (("outer_axis", ({}, 1)), ("inner_axis", (0, 1.5))):
        with pytest.raises(TypeError, match=f"{name} must be an int"):
            ROWS.merge_dims(*arguments)
    mask = tf.TensorSpec(None, tf.bool)
    function = tf.function(lambda m: tf.ragged.boolean_mask([1, 2], m), input_signature=[mask])
    with pytest.raises(ValueError, match="must be known statically"):
        function([True, False])


def test_images_of_several_sizes_are_resized_one_by_one() -> None:
    images = [np.random.default_rng(i).random((3 + i, 5 - i, 2), np.float32) for i in range(3)]
    batch = tf.ragged.stack([tf.RaggedTensor.from_tensor(image) for image in images])
    spec = tf.RaggedTensorSpec([None, None, None, 2], tf.float32, ragged_rank=2)
    for method in ("bilinear", "nearest", "area"):

        def resized(x: Any, method: str = method) -> Any:
            return tf.image.resize(x, [4, 4], method=method)

        wanted = [resized(image) for image in images]
        np.testing.assert_allclose(resized(batch), wanted)
        np.testing.assert_allclose(tf.function(resized, input_signature=[spec])(batch), wanted)
    assert tf.image.resize(batch[:0], [4, 4]).shape == [0, 4, 4, 2]
    assert tf.compat.v1.image.resize(batch, [4, 4]).shape == [3, 4, 4, 2]
    with pytest.raises(ValueError, match="rank must be 4 if images is ragged"):
        tf.image.resize(batch[0], [4, 4])


def test_ragged_placeholders_are_fed() -> None:
    ragged = tf.compat.v1.ragged
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        rows = ragged.placeholder(tf.int32, 1, [], name="rows")
        assert [each.name for each in tf.nest.flatten(rows, expand_composites=True)] == [
            "rows/flat_values:0", "rows/row_splits_0:0",
        ]  # fmt: skip
        value = ragged.constant_value([[1, 2], [], [3]])
        assert session.run(rows * 2, {rows: value}).to_list() == [[2, 4], [], [6]]
        assert session.run(rows.to_tensor(), {rows: value}).tolist() == [[1, 2], [0, 0], [3, 0]]
        assert ragged.placeholder(tf.string, 2, [3]).shape.as_list() == [None, None, None, 3]
        assert ragged.placeholder(tf.int32, 0, [3]).shape.as_list() == [3]
    with pytest.raises(RuntimeError, match="not compatible with eager"):
        ragged.placeholder(tf.int32, 1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(ROWS)


def test_values_of_tf_1_have_the_dtype_that_is_asked_for() -> None:
    constant_value = tf.compat.v1.ragged.constant_value
    for dtype in (tf.int16, np.int16, "int16"):
        assert constant_value([[1, 2], []], dtype=dtype).dtype == np.int16
    assert constant_value([[1, 2], []]).dtype == np.int64
    assert list(constant_value([], ragged_rank=2).shape) == [0, None, None]


def test_a_vector_chooses_among_rows_of_other_lengths_in_tf_1() -> None:
    where = tf.compat.v1.where
    x, y = tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[7, 7, 7], [8, 8, 8, 8]])
    assert where([True, False], x, y).to_list() == [[1, 2], [8, 8, 8, 8]]
    assert where([False, True], x, [[5, 6], [7, 8]]).to_list() == [[5, 6], [3]]
    values = tf.ragged.constant([[True, False], [False]])
    assert where(values, x, x * 10).to_list() == [[1, 20], [30]]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        condition = tf.compat.v1.placeholder_with_default([False, True], None)
        rows = tf.ragged.constant([[[1], [2]], [[3]]])
        chosen = where(condition, rows, tf.ragged.constant([[[4, 4, 4]], []]))
        assert session.run(chosen).to_list() == [[[4, 4, 4]], [[3]]]
    with pytest.raises(ValueError, match="must have rank 1"):
        where(True, x, y)
    with pytest.raises(ValueError, match="Input shapes do not match"):
        where(values, x, tf.ones([2, 2], tf.int32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="there must be as many"):
        where([True], x, y)
