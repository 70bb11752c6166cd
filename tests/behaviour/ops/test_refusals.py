"""What TensorFlow's own tests ask of refusals: the class and the words, and whether a graph says so
when it is built or when it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1
errors = tf.errors
Call = Callable[[], Any]


def refused(call: Call, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        call()


def refused_when_run(call: Call, kind: type[Exception], text: str) -> None:
    """Eagerly, and by a session of a graph that was built without complaint."""
    refused(call, kind, text)
    with tf.Graph().as_default():
        made = call()
        with v1.Session() as session, pytest.raises(kind, match=text):
            session.run(made)


def refused_when_built(call: Call, text: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        call()


def images(*sizes: int) -> Any:
    return tf.ones(sizes)


BATCH = "Pooling is not yet supported on the batch dimension"
SLIDES = "Current implementation does not yet support {} in the batch and depth dimensions"


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: tf.nn.max_pool(images(3, 4, 4, 5), [1, -1, -1, 1], 2, "SAME"),
         errors.InvalidArgumentError, "Sliding window ksize must be positive. .* is: 1,-1,-1,1"),
        (lambda: tf.nn.avg_pool(images(3, 4, 4, 5), 0, 2, "SAME"), errors.InvalidArgumentError,
         "Sliding window ksize must be positive. .* is: 1,0,0,1"),
        (lambda: tf.nn.avg_pool(images(2, 4, 4, 1), 1, [2, 1, 1, 1], "SAME"),
         errors.UnimplementedError, BATCH),
        (lambda: tf.nn.max_pool3d(images(2, 4, 4, 4, 1), [2, 1, 1, 1, 1], 1, "SAME"),
         errors.UnimplementedError, BATCH),
        (lambda: tf.nn.max_pool3d(images(2, 4, 4, 4, 2), 1, [1, 1, 1, 1, 2], "SAME"),
         errors.UnimplementedError, "not yet supported on the depth dimension"),
        (lambda: tf.nn.max_pool(images(1, 3, 3, 1), 2, 2, [[0, 0], [0, 1], [0, 2], [0, 0]]),
         errors.InvalidArgumentError,
         "Right padding 2 needs to be smaller than the window size 2"),
        (lambda: tf.nn.max_pool(images(1, 3, 3, 1), 2, 2, [[0, 0], [3, 2], [2, 0], [0, 0]]),
         errors.InvalidArgumentError, "Top padding 3 needs to be smaller than the window size 2"),
        (lambda: tf.nn.conv2d(images(1, 4, 4, 2), images(2, 2, 2, 3), [2, 1, 1, 1], "SAME"),
         errors.UnimplementedError, SLIDES.format("strides")),
        (lambda: tf.nn.conv3d(images(1, 4, 4, 4, 2), images(1, 2, 2, 2, 3), [1, 1, 1, 1, 2],
                              "SAME"),
         errors.UnimplementedError, SLIDES.format("strides")),
        (lambda: tf.nn.conv2d(images(1, 4, 4, 2), images(2, 2, 2, 3), 1, "SAME",
                              dilations=[1, 1, 1, 2]),
         errors.InvalidArgumentError, SLIDES.format("dilations")),
        (lambda: tf.random.categorical(tf.zeros([5, 0]), 7), errors.InvalidArgumentError,
         "num_classes should be positive"),
        (lambda: (tf.SparseTensor([[0, 0, 1, 0]], [10.0], [1, 1, 4, 2]) * images(3, 4, 1)).values,
         errors.InvalidArgumentError, "broadcasts dense to sparse only; got incompatible shapes"),
        (lambda: tf.sparse.reduce_sum(tf.SparseTensor([[0, 1]], [1], [2, 2]), -3),
         errors.InvalidArgumentError,
         "Invalid reduction dimension -3, for input with 2 dimensions"),
        (lambda: tf.sparse.reduce_max(tf.SparseTensor([[0, 1]], [1], [2, 2]), [0, 2]),
         errors.InvalidArgumentError, "Invalid reduction dimension 2, for input with 2"),
        (lambda: tf.sparse.maximum(tf.SparseTensor([[0]], [0], [1]),
                                   tf.SparseTensor([[0]], [1], [2])).values,
         errors.InvalidArgumentError, "Operands' shapes do not match: got 1 and 2 for dimension 0"),
    ],
)  # fmt: skip
def test_kernels_refuse_and_graphs_say_so_when_they_run(
    call: Call, kind: type[Exception], text: str
) -> None:
    refused_when_run(call, kind, text)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tf.nn.max_pool(images(1, 4, 4, 1), 1, 0, "SAME"), "Stride must be > 0, but got 0"),
        (lambda: tf.nn.conv2d(images(1, 4, 4, 2), images(2, 2, 2, 3), 1, "SAME",
                              dilations=[1, 0, 1, 1]), "Dilation rate must be >= 1, but got 0"),
        (lambda: tf.raw_ops.MaxPoolWithArgmax(input=images(1, 2, 2, 1), ksize=[1, -4, 4, 1],
                                              strides=[1, 1, 1, 1], padding="SAME"),
         "ksize must be a positive int32 value, got:-4"),
        (lambda: tf.nn.max_pool(images(1, 3, 3, 1, 1), 2, 2,
                                [[0, 0], [0, 1], [0, 1], [0, 1], [0, 0]]),
         "Explicit padding is not supported with an input tensor of rank 5"),
        (lambda: tf.nn.max_pool(images(1, 3, 3, 1), 2, 2, [[0, 0], [0, 1], [0, 1], [0, 0]],
                                data_format="NCHW_VECT_C"),
         "NCHW_VECT_C.*is not supported with explicit padding"),
        (lambda: tf.tensor_scatter_nd_add(tf.zeros([2, 2, 2]), np.zeros([3, 2, 2], np.int32),
                                          images(2, 2, 2)),
         r"Dimensions \[0,2\) of indices\[shape=\[3,2,2\]\] = \[3,2\] must match dimensions "
         r"\[0,2\) of updates\[shape=\[2,2,2\]\] = \[2,2\]: Dimension 0 in both shapes must be "
         "equal, but are 3 and 2"),
        (lambda: tf.scatter_nd(np.zeros([3, 1], np.int32), images(3, 5), [4, 6]),
         r"Dimensions \[1,2\) of input\[shape=\[4,6\]\] = \[6\] must match dimensions \[1,2\) of "
         r"updates\[shape=\[3,5\]\] = \[5\]"),
    ],
)  # fmt: skip
def test_graphs_refuse_while_they_are_built(call: Call, text: str) -> None:
    refused_when_built(call, text)


def test_a_scatter_into_a_variable_names_the_size_that_differs() -> None:
    rows = tf.Variable(tf.zeros([2, 2, 2]))
    for places, updates, text in [
        ([3, 2, 2], [2, 2, 2],
         r"Dimensions \[0,1\) of indices\[shape=\[3,2,2\]\] = 3 must match dimensions \[0,1\) of "
         r"updates\[shape=\[2,2,2\]\] = 2"),
        ([2, 2, 1], [2, 2],
         r"Dimensions \[1,3\) of input\[shape=\[2,2,2\]\] must match dimensions \[1,2\) of "
         r"updates\[shape=\[2,2\]\]"),
    ]:  # fmt: skip
        with pytest.raises(errors.InvalidArgumentError, match=text):
            rows.scatter_nd_update(np.zeros(places, np.int32), tf.zeros(updates))
        with pytest.raises(errors.InvalidArgumentError, match=text):
            tf.raw_ops.ScatterNdNonAliasingAdd(
                input=tf.zeros([2, 2, 2]), indices=np.zeros(places, np.int32),
                updates=tf.zeros(updates),
            )  # fmt: skip
    with pytest.raises(errors.InvalidArgumentError, match="Output must be at least 1-D, got shape"):
        tf.Variable(0.0).scatter_nd_update([[0]], [0.22])


def test_more_elements_than_can_be_counted_are_refused_before_anything_is_made() -> None:
    crops = {"image": tf.ones([1, 1, 1, 1]), "boxes": tf.ones([11, 4]), "box_indices": [0] * 11}
    with pytest.raises(errors.InvalidArgumentError, match="Encountered overflow when multiplying"):
        tf.image.crop_and_resize(**crops, crop_size=[2065374891, 1145309325])
    with pytest.raises(errors.InvalidArgumentError, match="Encountered overflow when multiplying"):
        tf.image.resize(tf.ones([2, 8, 8, 3]), [1879048192, 1879048192])
    with pytest.raises(errors.InvalidArgumentError, match="Encountered overflow when multiplying"):
        tf.math.unsorted_segment_sum(np.ones(3), [0, 1, 2], 8327099846119777499)


def test_a_tensor_has_less_than_254_axes() -> None:
    assert int(tf.rank(tf.reshape([[1]], [1] * 253))) == 253
    refused_when_run(
        lambda: tf.reshape([[1]], [1] * 254), errors.InvalidArgumentError,
        "too many dimensions: must be < 254, but received 254",
    )  # fmt: skip


def test_the_second_gradient_of_a_pool_checks_its_gradient() -> None:
    one = tf.ones([1, 1, 1, 1])
    with pytest.raises(
        errors.InvalidArgumentError,
        match=r"Expected grad shape to be \[1,1,1,1\], but got \[1,1,1,2\]",
    ):
        tf.raw_ops.MaxPoolGradGrad(
            orig_input=one, orig_output=one, grad=tf.ones([1, 1, 1, 2]), ksize=[1] * 4,
            strides=[1] * 4, padding="VALID",
        )  # fmt: skip


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: tf.nn.conv2d(x, x, 1, [[0, 0], [0, -1], [1, 2], [0, 0]]),
         "All elements of explicit_paddings must be nonnegative"),
        (lambda x: tf.nn.max_pool2d(x, 2, 1, [[1, 0], [0, 0], [0, 0], [0, 0]]),
         "Nonzero explicit padding in the batch or depth dimensions is not supported"),
        (lambda x: tf.nn.conv2d(x, x, [1, 0, 1, 1], "SAME"), "Stride must be > 0, but got 0"),
        (lambda x: tf.nn.conv2d(x, x, 1, "SAME", dilations=0), "Dilation rate must be >= 1"),
        (lambda x: tf.nn.avg_pool3d(x, 2, 0, "SAME"), "Stride must be > 0, but got 0"),
        (lambda x: tf.nn.conv2d(x, tf.ones([1, 3]), 1, "SAME"),
         "Shape must be rank 4 but is rank 2"),
    ],
)  # fmt: skip
def test_attributes_are_checked_where_a_shape_is_not_known(
    call: Callable[[Any], Any], text: str
) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        call(v1.placeholder(tf.float32))


def test_tensors_of_graphs_do_not_say_what_they_contain() -> None:
    with tf.Graph().as_default():
        for value in (tf.constant([1.0, 2.0]), v1.Variable([1.0, 2.0])):
            with pytest.raises(TypeError):
                1.0 in value  # noqa: B015
    assert 1.0 in tf.constant([1.0, 2.0])


def test_ids_of_ragged_lookups() -> None:
    with pytest.raises(ValueError, match="params should not be empty"):
        tf.nn.embedding_lookup([], tf.ragged.constant([[1]]))
    with pytest.raises(ValueError, match="The values contained by the inputs have type"):
        tf.nn.embedding_lookup(tf.zeros([3, 3]), tf.ragged.constant([[1.0]]))


def test_names_of_files_in_datasets() -> None:
    numbers = tf.data.Dataset.range(3)
    with pytest.raises(TypeError, match=r"Got a dataset of `tf\.int64` elements"):
        tf.data.TextLineDataset(numbers)
    rows = tf.data.Dataset.from_tensors(tf.constant(["a", "b"]))
    with pytest.raises(TypeError, match=r"`tf.string` elements of shape \[\] \(i.e. scalars\)"):
        tf.data.TFRecordDataset(rows)


def test_a_feature_without_a_shape() -> None:
    with pytest.raises(ValueError, match="Missing shape for feature a"):
        tf.io.parse_example([b""], {"a": tf.io.FixedLenFeature(None, tf.float32)})


def test_values_of_ragged_rows_are_no_scalar() -> None:
    with pytest.raises(ValueError, match=r"Shapes \(\) and \(1,\) are incompatible"):
        tf.RaggedTensor.from_value_rowids(10, [0])
