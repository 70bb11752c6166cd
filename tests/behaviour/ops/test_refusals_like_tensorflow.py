"""Arguments that TensorFlow refuses, with the classes of its errors; each gave a value, or another
class, before.
"""

import pytest

import emplace.tensorflow as tf

NAN = float("nan")
Invalid, Unimplemented = tf.errors.InvalidArgumentError, tf.errors.UnimplementedError
v1 = tf.compat.v1


# -- a matrix that begins with NaN counts as singular ---------------------------------------------

SINGULAR = [[[NAN, 1.0], [1.0, 1.0]], [[NAN, 0.0], [0.0, 1.0]], [[NAN]]]
OTHERS = [[[1.0, 2.0], [3.0, NAN]], [[0.0, NAN], [1.0, 1.0]], [[1.0, 1.0], [NAN, 1.0]]]


def solved(matrix):
    return tf.linalg.solve(matrix, tf.ones([matrix.shape[-1], 1], matrix.dtype))


@pytest.mark.parametrize("function", [tf.linalg.inv, solved, tf.linalg.lu])
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.complex64])
def test_a_matrix_that_begins_with_nan_is_not_invertible(function, dtype):
    for rows in SINGULAR:
        matrix = tf.cast(tf.constant(rows), dtype)
        for call in (function, tf.function(function)):
            with pytest.raises(Invalid, match="not invertible"):
                call(matrix)
    for rows in OTHERS:  # TF: other NaNs go through
        function(tf.cast(tf.constant(rows), dtype))


def test_one_of_many_matrices_that_begins_with_nan():
    many = tf.stack([tf.eye(2), tf.constant(SINGULAR[0])])
    with pytest.raises(Invalid, match="not invertible"):
        tf.linalg.inv(many)
    assert tf.linalg.inv(tf.zeros([0, 2, 2])).shape == [0, 2, 2]
    assert tf.linalg.inv(tf.zeros([0, 0])).shape == [0, 0]


# -- steps over batch and depth -------------------------------------------------------------------


@pytest.mark.parametrize("strides", [[2, 1, 1, 1], [1, 1, 1, 2]])
def test_gradients_of_convolutions_refuse_steps_as_invalid(strides):
    x, w, ops = tf.ones([1, 3, 3, 1]), tf.ones([1, 1, 1, 1]), tf.raw_ops
    how = {"strides": strides, "padding": "SAME"}
    to_input = {"input_sizes": [1, 3, 3, 1], "filter": w, "out_backprop": x, **how}
    to_filter = {"input": x, "filter_sizes": [1, 1, 1, 1], "out_backprop": x, **how}
    for call in (
        lambda: ops.Conv2DBackpropInput(**to_input),
        lambda: ops.Conv2DBackpropFilter(**to_filter),
        lambda: ops.DepthwiseConv2dNativeBackpropInput(**to_input),
        lambda: ops.DepthwiseConv2dNativeBackpropFilter(**to_filter),
    ):
        with pytest.raises(Invalid, match="strides in the batch and depth"):
            call()


@pytest.mark.parametrize("strides", [[2, 1, 1, 1, 1], [1, 1, 1, 1, 2]])
def test_gradients_in_three_dimensions_too(strides):
    x, ops = tf.ones([1, 2, 2, 2, 1]), tf.raw_ops
    with pytest.raises(Invalid):
        ops.Conv3DBackpropInputV2(
            input_sizes=[1, 2, 2, 2, 1], filter=tf.ones([1, 1, 1, 1, 1]), out_backprop=x,
            strides=strides, padding="SAME",
        )  # fmt: skip
    with pytest.raises(Invalid):
        ops.Conv3DBackpropFilterV2(
            input=x, filter_sizes=[1, 1, 1, 1, 1], out_backprop=x, strides=strides, padding="SAME"
        )


def test_the_gradient_of_pooling_takes_no_steps_over_depth():
    x = tf.ones([2, 4, 4, 2])
    with pytest.raises(Unimplemented, match="depth dimension"):
        tf.raw_ops.MaxPoolGrad(
            orig_input=x, orig_output=x, grad=x, ksize=[1, 1, 1, 1], strides=[1, 1, 1, 2],
            padding="SAME",
        )  # fmt: skip


# -- ragged and sparse ----------------------------------------------------------------------------


def test_counts_of_a_cube_row_by_row_are_refused():
    with pytest.raises(Invalid, match="1 or 2-dimensional"):
        tf.sparse.bincount(tf.ones([2, 2, 2], tf.int32), axis=-1)


def test_ragged_tensors_are_split_into_rows():
    rows = tf.ragged.constant([[1, 2], [3], [4, 5, 6]])
    parts = [[[1, 2]], [[3], [4, 5, 6]]]
    assert [each.to_list() for each in tf.split(rows, [1, 2])] == parts
    assert [each.to_list() for each in tf.split(rows, [1, -1])] == parts
    assert len(tf.split(rows, 3)) == 3
    for sizes in (2, [1, 1], [-1, -1], [4, -1]):
        with pytest.raises(Invalid):
            tf.split(rows, sizes)
    with pytest.raises(ValueError, match="Cannot split a ragged dimension"):
        tf.split(rows, 2, axis=1)


# -- values that no tensor can be made of ---------------------------------------------------------


@pytest.mark.parametrize("value", [{}, object(), {1}, [None, 1], [object()], [1, "a"], len])
@pytest.mark.parametrize("function", [tf.convert_to_tensor, lambda x: tf.ones([1]) + x])
def test_values_that_are_no_tensors(value, function):
    with pytest.raises(ValueError, match=r"to a? ?Tensor"):
        function(value)
    with pytest.raises(TypeError, match="Failed to convert elements of"):
        tf.function(lambda: function(value))()
    with tf.Graph().as_default(), pytest.raises(TypeError, match="Failed to convert elements of"):
        function(value)


def test_none_is_a_value_error_everywhere():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="None"):
        tf.convert_to_tensor(None)


def test_first_values_of_a_sessions_variables():
    with tf.Graph().as_default(), pytest.raises(TypeError, match="Failed to convert"):
        v1.get_variable("v", initializer={})


def test_a_getter_must_be_a_function():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match=r"custom_getter .* not callable:"):
            v1.get_variable("v", [1], custom_getter=3)
        with v1.variable_scope("s", custom_getter="a"), pytest.raises(ValueError, match="callable"):
            v1.get_variable("v", [1])


# -- the largest number of boxes ------------------------------------------------------------------

BOXES, SCORES = [[0.0, 0.0, 1.0, 1.0]], [1.0]


@pytest.mark.parametrize("count", [1.5, 2**31])
def test_a_padded_count_is_an_int32(count):
    with pytest.raises(TypeError, match="int32"):
        tf.image.non_max_suppression_padded(BOXES, SCORES, count)


def test_other_counts_are_int32_too():
    with pytest.raises(TypeError, match="int32"):
        tf.image.non_max_suppression(BOXES, SCORES, 1.5)
    with pytest.raises(Invalid, match="int32"):
        tf.image.non_max_suppression(BOXES, SCORES, tf.constant(1, tf.int64))
    with pytest.raises(Invalid):
        tf.image.non_max_suppression(BOXES, SCORES, 2**31)


# -- what a session is told of axes, and the texts of arrays --------------------------------------


def test_an_axis_of_a_split_that_a_session_tells_is_one_number():
    with v1.Graph().as_default(), v1.Session() as session:
        axis = v1.placeholder(tf.int32)
        even, uneven = tf.split([1, 2], 2, axis), tf.split([1, 2], [1, 1], axis)
        assert [part.tolist() for part in session.run(even, {axis: 0})] == [[1], [2]]
        assert [part.tolist() for part in session.run(uneven, {axis: [0]})] == [[1], [2]]
        with pytest.raises(Invalid, match="split_dim must be a scalar"):
            session.run(even, {axis: [0, 1]})
        with pytest.raises(Invalid):
            session.run(uneven, {axis: [0, 1]})


def test_axes_of_a_tensordot_that_are_a_tensor_are_looked_at():
    a = [[1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(Invalid, match=r"indices\[0\] = 7 is not in \[0, 2\)"):
        tf.tensordot(a, a, tf.constant([[0], [7]]))
    with pytest.raises(Invalid, match=r"indices\[0\] = -1 is not in \[0, 2\)"):
        tf.tensordot(a, a, tf.constant([[-3], [0]]))
    with pytest.raises(Invalid, match="slice index 1 of dimension 0 out of bounds"):
        tf.tensordot(a, a, tf.constant([1]))
    with pytest.raises(IndexError):
        tf.tensordot(a, a, [[0], [7]])
    with v1.Graph().as_default(), v1.Session() as session:
        axes = v1.placeholder(tf.int32)
        with pytest.raises(Invalid, match=r"indices\[0\] = 7 is not in \[0, 2\)"):
            session.run(tf.tensordot(a, a, axes), {axes: [[0], [7]]})


def test_texts_of_arrays_are_those_of_the_kernels():
    with pytest.raises(Invalid, match=r"Incompatible shapes: \[3,2\] vs\. \[3,3\]"):
        tf.broadcast_to(tf.ones([3, 2]), [3, 3])
    with pytest.raises(Invalid, match=r"perm must be rank 1, got shape \[2,2\]"):
        tf.transpose(tf.ones([2, 3, 5]), [[0, 1], [2, 3]])
    with pytest.raises(Invalid, match="Block size should be > 1 and <= 46340 but was: 100000"):
        tf.nn.depth_to_space(tf.ones([1, 1, 1, 4]), 100000)
    with pytest.raises(Invalid, match="diagonal must be at least 1-dim"):
        tf.linalg.set_diag([[1.0]], 1.0)
    with pytest.raises(Invalid, match=r"Split size at index 1 must be >= 0\. Got: -2"):
        tf.split([1, 2, 3], [5, -2])


def test_texts_of_arrays_are_the_same_when_a_session_tells_the_sizes():
    with v1.Graph().as_default(), v1.Session() as session:
        x, sizes = v1.placeholder(tf.float32), v1.placeholder(tf.int32)
        with pytest.raises(Invalid, match=r"Incompatible shapes: \[3,2\] vs\. \[3,3\]"):
            session.run(tf.broadcast_to(x, sizes), {x: [[1, 1]] * 3, sizes: [3, 3]})
        with pytest.raises(Invalid, match=r"shift must be a scalar or a 1-D vector\. Found: \[1,1"):
            session.run(tf.roll([1, 2], sizes, [0]), {sizes: [[1]]})


def test_the_dtype_of_an_axis_is_looked_at_before_its_shape_in_a_graph():
    with v1.Graph().as_default(), pytest.raises(TypeError, match="float32"):
        tf.concat([[1.0], [2.0]], v1.placeholder(tf.float32, [1]))
    with v1.Graph().as_default(), pytest.raises(ValueError, match="with length 0 shorter than"):
        tf.concat([], 0)


def test_what_is_no_dtype_is_refused_by_py_function_itself():
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`"):
        tf.py_function(lambda x: x, [1], [{}])


def test_a_graph_refuses_more_bands_than_the_matrix_has_rows():
    for bands, text in (
        (6, "Number of bands 6 cannot exceed the size of the matrix 4"),
        (0, "is 0"),
    ):
        with v1.Graph().as_default(), pytest.raises(ValueError, match=text):
            tf.raw_ops.BandedTriangularSolve(matrix=tf.ones([bands, 4]), rhs=tf.ones([4, 2]))
