"""Arguments that TensorFlow refuses and that would otherwise have an answer nobody meant."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf

tf1 = tf.compat.v1
INVALID = tf.errors.InvalidArgumentError
GAMMA = "Gamma should be a non-negative real number"
EMPTY = r"inner 3 dims of 'image.shape' must be > 0"


def test_a_negative_gamma_is_refused_as_a_number_and_as_a_tensor():
    image = tf.ones([2, 2, 3])
    with pytest.raises(ValueError, match=GAMMA):
        tf.image.adjust_gamma(image, -1.0)
    with pytest.raises(INVALID, match=GAMMA):
        tf.image.adjust_gamma(image, tf.constant(-1.0))
    traced = tf.function(lambda gamma: tf.image.adjust_gamma(image, gamma))
    with pytest.raises(INVALID, match=GAMMA):
        traced(tf.constant(-1.0))
    assert traced(tf.constant(2.0)).numpy().tolist() == image.numpy().tolist()


def test_a_session_refuses_a_fed_negative_gamma():
    with tf.Graph().as_default(), tf1.Session() as session:
        gamma = tf1.placeholder(tf.float32, [])
        image = tf.image.adjust_gamma(tf.constant([[0.5]]), gamma)
        assert session.run(image, {gamma: 2.0}).tolist() == [[0.25]]
        with pytest.raises(INVALID, match=GAMMA):
            session.run(image, {gamma: -2.0})


def test_gamma_as_a_tensor_has_a_gradient():
    gamma = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(tf.image.adjust_gamma(tf.constant([[0.5]]), gamma))
    np.testing.assert_allclose(tape.gradient(total, gamma), 0.25 * np.log(0.5), rtol=1e-5)


@pytest.mark.parametrize("delta", [1.5, -1.01])
def test_a_hue_turns_by_a_circle_at_most(delta):
    with pytest.raises(ValueError, match=r"delta must be in the interval \[-1, 1\]"):
        tf.image.adjust_hue(tf.ones([2, 2, 3]), delta)
    with pytest.raises(ValueError, match=r"delta must be in the interval \[-1, 1\]"):
        tf.image.adjust_hue(tf.ones([2, 2, 3]), tf.constant(delta))


@pytest.mark.parametrize("shape", [[0, 2, 2], [2, 0, 2], [2, 2, 0]])
def test_empty_images_have_no_boxes(shape):
    image = tf.ones(shape)
    for make in (
        lambda: tf.image.pad_to_bounding_box(image, 0, 0, 3, 3),
        lambda: tf.image.crop_to_bounding_box(image, 0, 0, 1, 1),
        lambda: tf.image.resize_with_crop_or_pad(image, 1, 1),
        lambda: tf.image.central_crop(image, 0.5),
    ):
        with pytest.raises(ValueError, match=EMPTY):
            make()


def test_no_more_boxes_are_kept_than_an_int32_counts():
    boxes, scores = tf.constant([[4.0, 6.0, 3.0, 6.0]]), tf.constant([5.0])
    with pytest.raises(INVALID, match="output size must be non-negative"):
        tf.image.non_max_suppression(boxes, scores, 2**31)
    with pytest.raises(TypeError, match="type int64 that does not match type int32"):
        tf.image.non_max_suppression_padded(boxes, scores, 2**31)


def test_one_number_in_a_vector_is_no_number():
    boxes, scores = tf.constant([[0.0, 0.0, 1.0, 1.0]]), tf.constant([0.5])
    for choose in (tf.image.non_max_suppression, tf.image.non_max_suppression_padded):
        with pytest.raises(INVALID, match=r"max_output_size must be 0-D, got shape \[1\]"):
            choose(boxes, scores, tf.constant([3]))
    rows = tf.RaggedTensor
    with pytest.raises(ValueError, match=r"^Shape \(1,\) must have rank 0$"):
        rows.from_value_rowids([1, 2], [0, 1], nrows=tf.constant([5], tf.int64))
    with pytest.raises(ValueError, match=r"^Shape \(1,\) must have rank 0$"):
        rows.from_uniform_row_length([1, 2], tf.constant([2]))
    with pytest.raises(ValueError, match=r"^Shape \(1,\) must have rank 0$"):
        tf.signal.hann_window(tf.constant([4]))
    with pytest.raises(TypeError, match="0-dimensional"):
        tf.image.central_crop(tf.ones([4, 4, 3]), tf.constant([0.5]))


def test_padded_places_of_boxes_have_a_known_number():
    with tf.Graph().as_default():
        boxes, scores = tf.zeros([6, 4]), tf.zeros([6])
        limit = tf.constant(5)
        places, _ = tf.image.non_max_suppression_padded(
            boxes, scores, limit, pad_to_max_output_size=True
        )
        assert places.shape.as_list() == [5]
        assert tf.image.non_max_suppression_padded(boxes, scores, limit)[0].shape.as_list() == [
            None
        ]


def test_a_graph_looks_at_the_ranks_of_segments():
    with tf.Graph().as_default():
        rows = tf.ones([4, 4])
        with pytest.raises(ValueError, match="Shape must be rank 1 but is rank 2"):
            tf.math.segment_sum(rows, tf.constant([[0, 1], [2, 2]]))
        with pytest.raises(ValueError, match="Shape must be at least rank 1 but is rank 0"):
            tf.math.segment_mean(tf.constant(1.0), tf.constant([0]))
        for total in (tf.sparse.segment_sum, tf.sparse.segment_mean, tf.sparse.segment_sqrt_n):
            with pytest.raises(ValueError, match="Shape must be at least rank 1"):
                total(tf.constant(1.0), [0], [3])
            with pytest.raises(ValueError, match="Shape must be rank 1 but is rank 2"):
                total(rows, [[0]], [0])
            with pytest.raises(ValueError, match="Cannot specify a negative value for num_segm"):
                total(rows, [0], [0], num_segments=-2)


def test_a_graph_wants_one_separator():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must be rank 0 but is rank 1"):
        tf1.string_split(["a|b"], delimiter=["|", ""])


def test_a_graph_checks_the_rows_that_it_knows():
    with tf.Graph().as_default():
        values, ids = tf.constant([1, 2, 3]), tf.constant([0, 0, 2], tf.int64)
        unknown = tf1.placeholder_with_default(ids, None)
        with pytest.raises(ValueError, match="Expected nrows >= 0; got -2"):
            tf.RaggedTensor.from_value_rowids(values, unknown, nrows=-2)
        with pytest.raises(ValueError, match=r"Expected nrows >= value_rowids\[-1\] \+ 1; got nro"):
            tf.RaggedTensor.from_value_rowids(values, ids, nrows=2)


@pytest.mark.parametrize("graph", [False, True])
def test_the_rows_of_one_tensor_are_no_list_of_partitions(graph):
    def check():
        values = tf.constant([1, 2])
        parts = tf.constant([[0, 1, 2], [0, 1, 2]], tf.int64)
        for kind in ("row_splits", "row_lengths", "value_rowids"):
            with pytest.raises(TypeError, match=f"`nested_{kind}` must be a list of Tensors"):
                getattr(tf.RaggedTensor, f"from_nested_{kind}")(values, parts)
        with pytest.raises(TypeError, match="`nested_nrows` must be a list of Tensors"):
            tf.RaggedTensor.from_nested_value_rowids(values, [parts[0]], tf.constant([2]))

    if graph:
        with tf.Graph().as_default():
            check()
    else:
        check()


def test_a_fed_sparse_tensor_does_not_shrink():
    def fed(shape):
        value = tf1.SparseTensorValue(
            np.zeros((1, 3), np.int64), np.int32([1]), np.int64([2, 5, 6])
        )
        with tf.Graph().as_default(), tf1.Session() as session:
            x = tf1.sparse_placeholder(tf.int32)
            larger = tf.sparse.reset_shape(x, np.int64(shape))
            return session.run(larger, {x: value}).dense_shape.tolist()

    assert fed([2, 6, 6]) == [2, 6, 6]
    with pytest.raises(INVALID, match="x <= y did not hold element-wise"):
        fed([3, 7, 5])
    with pytest.raises(INVALID, match="New shape must have the rank"):
        fed([2, 5])


def test_tensors_in_a_key_are_of_one_type():
    x = tf.zeros([3, 2, 3])
    short, long = tf.constant(1, tf.int16), tf.constant(1, tf.int64)
    assert x[short:short].shape == (0, 2, 3)
    assert x[short:, short].shape == (2, 3)
    assert x[tf.constant(1) : long].shape == (0, 2, 3)
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"cannot compute Pack as input #2\(zero-based\) was expected to be a int16 tensor "
        r"but is a int64 tensor \[Op:Pack\]",
    ):
        x[short, :, long]
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"cannot compute StridedSlice as input #2\(zero-based\) was expected to be a int16 "
        "tensor but is a int32 tensor",
    ):
        x[short:2]


def segment_sum(data, ids, count):
    raw = tf.raw_ops.SparseSegmentSumWithNumSegments
    return raw(data=data, indices=[0, 1], segment_ids=ids, num_segments=count)


@pytest.mark.gpus(0)
def test_a_number_of_segments_is_one_number_that_is_not_negative():
    data = tf.ones([2])
    with pytest.raises(INVALID, match=r"num_segments should be a scalar, not shape \[2\]"):
        segment_sum(data, [0, 1], [5, 5])
    with pytest.raises(INVALID, match="segment ids must be >= 0"):
        segment_sum(data, [0, 1], -2)
    in_graph = tf.function(segment_sum)
    with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
        in_graph(data, tf.constant([0, 1]), [5, 5])
    with pytest.raises(ValueError, match="Cannot specify a negative value for num_segments"):
        in_graph(data, tf.constant([0, 1]), -2)


SCALARS = {
    "unsorted_segment_sum": (
        lambda n: tf.math.unsorted_segment_sum([1.0, 2.0], [0, 1], n),
        r"num_segments should be a scalar, not shape \[1\]",
    ),
    "top_k": (lambda n: tf.math.top_k([1.0, 2.0, 3.0], n)[0], r"k must be scalar, got shape \[1\]"),
    "cumsum": (lambda n: tf.cumsum([1.0, 2.0], n - 2), r"ScanOp: axis must be a scalar, not \[1\]"),
    "nrows": (
        lambda n: tf.RaggedTensor.from_value_rowids([1, 2], [0, 1], n).row_splits,
        r"Shape \[1\] must have rank 0",
    ),
    "row_length": (
        lambda n: tf.RaggedTensor.from_uniform_row_length([1, 2], n).row_splits,
        r"Shape \[1\] must have rank 0",
    ),
}


@pytest.mark.parametrize("name", SCALARS)
def test_a_vector_is_no_scalar_also_where_a_graph_does_not_know_its_rank(name):
    function, text = SCALARS[name]
    asked = tf.function(function, input_signature=[tf.TensorSpec(None, tf.int32)])
    asked(tf.constant(2))
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        asked(tf.constant([2]))


def test_axes_in_a_matrix_are_laid_flat_and_refused_while_tracing():
    assert int(tf.reduce_sum(tf.ones([2, 2]), [[1], [0]])) == 4
    with pytest.raises(ValueError, match="Shape must be at most rank 1 but is rank 2"):
        tf.function(lambda x: tf.reduce_sum(x, [[1], [0]]))(tf.ones([2, 2]))


def test_a_graph_refuses_delimiters_that_are_no_scalar():
    split = tf.raw_ops.StringSplit
    with tf.Graph().as_default():
        for delimiter in (["|", ""], ["a"]):
            with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
                split(input=["a|b"], delimiter=delimiter)
        assert split(input=["a|b"], delimiter="|").indices.shape.as_list() == [None, 2]


def test_axes_of_a_gather_are_counted_from_behind_where_a_graph_finds_the_rank_later():
    specs = [tf.TensorSpec(None), tf.TensorSpec(None, tf.int32)]
    rows, places = np.arange(6.0, dtype=np.float32).reshape(2, 3), np.array([[2, 1], [0, 2]])
    for more in ({"axis": -1}, {"batch_dims": -1}, {"axis": 1, "batch_dims": None}, {"axis": -2}):
        chosen = places % 2 if more == {"axis": -2} else places
        gather = lambda x, i, more=more: tf.gather(x, i, **more)  # noqa: E731
        found = tf.function(gather, input_signature=specs)(rows, chosen)
        np.testing.assert_array_equal(found, gather(rows, chosen))


def test_an_axis_of_a_gather_that_a_session_feeds():
    with tf.Graph().as_default(), tf1.Session() as session:
        axis = tf1.placeholder(tf.int32)
        y = tf.gather(tf.constant([[1, 2], [3, 4]]), [1], axis=axis)
        assert session.run(y, {axis: 0}).tolist() == [[3, 4]]
        assert session.run(y, {axis: -1}).tolist() == [[2], [4]]
        with pytest.raises(INVALID, match=r"axis must be scalar, got shape \[1\]"):
            session.run(y, {axis: [0]})
        with pytest.raises(INVALID, match="Shape must be at least rank 4 but is rank 2"):
            session.run(y, {axis: 3})


def test_counts_of_repeats_whose_rank_a_graph_does_not_know():
    specs = [tf.TensorSpec(None, tf.int32)] * 2
    flat = tf.function(lambda x, n: tf.repeat(x, n), input_signature=specs)
    assert flat(3, 2).numpy().tolist() == [3, 3]
    assert flat([[1, 2], [3, 4]], 2).numpy().tolist() == [1, 1, 2, 2, 3, 3, 4, 4]
    rows = tf.function(lambda x, n: tf.repeat(x, n, 0), input_signature=specs)
    assert rows([[1, 2], [3, 4]], 2).numpy().tolist() == [[1, 2], [1, 2], [3, 4], [3, 4]]
    assert rows([[1, 2], [3, 4]], [0, 2]).numpy().tolist() == [[3, 4], [3, 4]]


@pytest.mark.parametrize("array", [np.array([1.5], "f"), np.float16(1.5), np.array(1, np.int8)])
def test_a_sum_does_not_cast_an_array_before_it_to_the_dtype_of_a_tensor(array: object) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"^cannot compute AddV2 as input #1"):
        tf.add(array, tf.constant(1))
    np.testing.assert_array_equal(tf.add(tf.constant([1]), np.array([1], np.int8)), [2])
