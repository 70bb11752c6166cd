"""Values that TensorFlow's own tests showed to be wrong, refused or missing."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1
NAN = float("nan")


def test_large_segments_in_a_list_are_not_cut_to_32_bits() -> None:
    with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError)):
        tf.sparse.segment_sum(tf.zeros([10, 4]), [0], [2**40])
    with pytest.raises(tf.errors.InvalidArgumentError, match="4611686018427387903 out of range"):
        tf.sparse.segment_mean(tf.zeros([10, 4]), [2**62 - 1], [0])


def test_a_range_may_end_next_to_the_largest_number() -> None:
    assert tf.range(0, 202, 2**63 - 201, dtype=tf.int64).numpy().tolist() == [0]
    many = tf.function(lambda n: tf.range(2**62, n, 2**61, dtype=tf.int64))
    assert many(tf.constant(2**63 - 1)).numpy().tolist() == [2**62, 2**62 + 2**61]


@pytest.mark.gpus(0)
def test_the_first_of_several_nans_gets_the_gradient_of_a_pool() -> None:
    x = tf.constant([1.0, NAN, NAN, 2.0, NAN, 0.0], shape=[1, 2, 3, 1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool(x, [1, 2, 3, 1], 1, "VALID")
    assert tape.gradient(y, x).numpy().ravel().tolist() == [0, 1, 0, 0, 0, 0]
    again = tf.raw_ops.MaxPoolGrad(
        orig_input=x, orig_output=y, grad=y * 0 + 1, ksize=[1, 2, 3, 1], strides=[1] * 4,
        padding="VALID",
    )  # fmt: skip
    assert np.isnan(again.numpy().ravel()).tolist() == [False, True, *[False] * 4]
    assert tf.nn.max_pool_with_argmax(x, [1, 2, 3, 1], 1, "VALID")[1].numpy().ravel() == [1]
    volume = tf.reshape(x, [1, 1, 2, 3, 1])
    with tf.GradientTape() as tape:
        tape.watch(volume)
        y = tf.nn.max_pool3d(volume, [1, 1, 2, 3, 1], 1, "VALID")
    assert tape.gradient(y, volume).numpy().ravel().tolist() == [0, 1, 0, 0, 0, 0]


def test_a_step_over_channels_is_ignored_by_pools() -> None:
    x = tf.reshape(tf.range(12.0), [1, 1, 3, 4])
    assert np.array_equal(tf.nn.avg_pool2d(x, 1, [1, 1, 1, 2], "SAME"), x)
    largest = tf.nn.max_pool2d(x, [1, 1, 2, 1], [1, 1, 1, 3], "VALID")
    assert np.array_equal(largest, x[:, :, 1:])
    back = tf.raw_ops.AvgPoolGrad(
        orig_input_shape=[1, 1, 3, 4], grad=x[:, :, :2], ksize=[1, 1, 2, 1], strides=[1, 1, 1, 3],
        padding="VALID",
    )  # fmt: skip
    assert back.numpy().ravel().tolist() == [0, 0.5, 1, 1.5, 2, 3, 4, 5, 2, 2.5, 3, 3.5]


def test_plain_values_of_sparse_and_ragged_tensors_are_arguments() -> None:
    sparse = v1.SparseTensorValue([[0, 1], [1, 0]], [42, 24], [2, 3])
    assert tf.shape(sparse).numpy().tolist() == [2, 3]
    assert (int(tf.size(sparse)), int(tf.rank(sparse))) == (6, 2)
    texts = v1.ragged.constant_value([[b"abc", b"de"], [b"f"]])
    assert tf.strings.bytes_split(texts).to_list() == [[[b"a", b"b", b"c"], [b"d", b"e"]], [[b"f"]]]
    assert tf.strings.length(texts).to_list() == [[3, 2], [1]]
    numbers = v1.ragged.constant_value([[1, 2], [3]])
    assert tf.reduce_sum(numbers, 1).numpy().tolist() == [3, 3]
    assert tf.concat([numbers, numbers], 0).to_list() == [[1, 2], [3], [1, 2], [3]]
    assert tf.ragged.map_flat_values(tf.add, numbers, 1).to_list() == [[2, 3], [4]]
    assert tf.RaggedTensor.from_row_splits(numbers, [0, 1, 2]).to_list() == [[[1, 2]], [[3]]]
    with pytest.raises(ValueError, match="cannot be a tensor"):
        tf.convert_to_tensor(numbers)


def test_dimensions_are_indices() -> None:
    x = tf.constant([1, 2, 3])
    unknown, one, three = (v1.Dimension(size) for size in (None, 1, 3))
    assert x[unknown:unknown:unknown].numpy().tolist() == [1, 2, 3]
    assert int(x[one]) == 2
    assert x[one:three].numpy().tolist() == [2, 3]


def test_a_sparse_shape_may_be_known_when_the_graph_runs() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        wanted = v1.placeholder(tf.int32)
        sparse = tf.SparseTensor([[0, 0, 0], [1, 2, 3]], [1, 2], [2, 5, 6])
        made = tf.sparse.reset_shape(sparse, wanted)
        assert made.shape.rank == 3
        assert session.run(made, {wanted: [3, 7, 8]}).dense_shape.tolist() == [3, 7, 8]
        with pytest.raises(tf.errors.InvalidArgumentError, match="x <= y did not hold"):
            session.run(made, {wanted: [3, 7, 5]})
        with pytest.raises(tf.errors.InvalidArgumentError, match="x == y did not hold"):
            session.run(made, {wanted: [3, 7]})
    with pytest.raises(ValueError, match="should have dimension sizes >="):
        tf.sparse.reset_shape(sparse_of([2, 5, 6]), [3, 7, 5])


def sparse_of(shape: list[int]) -> Any:
    return tf.SparseTensor([[0] * len(shape)], [1], shape)


def test_images_change_their_quality_in_datasets() -> None:
    image = tf.cast(tf.reshape(tf.range(192) % 255, [8, 8, 3]), tf.uint8)
    rows = tf.data.Dataset.from_tensors(image)
    for change in (
        lambda x: tf.image.random_jpeg_quality(x, 40, 41),
        lambda x: tf.image.stateless_random_jpeg_quality(x, 40, 41, (1, 2)),
        lambda x: tf.image.adjust_jpeg_quality(x, tf.constant(40)),
    ):
        changed = next(iter(rows.map(change)))
        assert np.array_equal(changed, tf.image.adjust_jpeg_quality(image, 40))
    with tf.Graph().as_default():
        open_image = v1.placeholder(tf.uint8, [None, None, None])
        assert tf.image.adjust_jpeg_quality(open_image, 50).shape.rank == 3


def test_images_of_unknown_shape() -> None:
    flips = (tf.image.flip_left_right, tf.image.flip_up_down, tf.image.rot90)
    shapes = ([2, 3, 1], [2, 2, 3, 1])
    images = [np.arange(np.prod(sizes), dtype=np.uint8).reshape(sizes) for sizes in shapes]
    for turn in (*flips, tf.image.transpose):
        wanted = [turn(image).numpy() for image in images]
        with tf.Graph().as_default(), v1.Session() as session:
            unknown = v1.placeholder(tf.uint8)
            made = turn(unknown)
            assert made.shape.rank is None
            for image, turned in zip(images, wanted, strict=True):
                assert np.array_equal(session.run(made, {unknown: image}), turned)
    with tf.Graph().as_default():
        grays = tf.image.grayscale_to_rgb(v1.placeholder(tf.uint8, [None, None, None]))
        assert grays.shape == [None, None, 3]
        with pytest.raises(ValueError, match="must be > 0"):
            tf.image.flip_left_right(v1.placeholder(tf.uint8, [64, 0, 3]))
        with pytest.raises(ValueError, match="must be at least three-dimensional"):
            tf.image.transpose(v1.placeholder(tf.uint8, [None, None]))


def test_sizes_of_resizing() -> None:
    image = tf.ones([1, 6, 4, 1])
    for resize in (tf.image.resize, v1.image.resize_images):
        for size in ([6, 4.0], [None, 4], tf.constant([6.0, 4])):
            with pytest.raises(ValueError, match="'size' must be a 1-D int32 Tensor"):
                resize(image, size)
        for size in (tf.constant(4), [4], [1, 2, 3]):
            with pytest.raises(ValueError, match="'size' must be a 1-D Tensor of 2 elements"):
                resize(image, size)
    with tf.Graph().as_default(), v1.Session() as session:
        size = v1.placeholder(tf.int32)
        made = v1.image.resize_images(tf.ones([1, 6, 4, 1]), size)
        assert session.run(made, {size: [3, 2]}).shape == (1, 3, 2, 1)


def test_lists_in_options_are_joined() -> None:
    first, second = tf.data.Options(), tf.data.Options()
    first.framework_type, second.framework_type = ["seqio"], ["tfgrain"]
    rows = tf.data.Dataset.range(5).with_options(first).map(lambda x: x + 1).with_options(second)
    assert rows.options().framework_type == ["seqio", "tfgrain"]
    assert first.merge(second).framework_type == ["seqio", "tfgrain"]
    assert first.framework_type == ["seqio"]


class Right:
    """Knows what to do with anything on its left."""

    def __radd__(self, left: Any) -> str:
        return f"{type(left).__name__} and me"

    def __rmatmul__(self, left: Any) -> str:
        return "product"

    def __rand__(self, left: Any) -> str:
        raise TypeError("not with me")

    def __rsub__(self, left: Any) -> Any:
        return NotImplemented


def test_a_class_of_the_program_answers_for_a_tensor_on_its_left() -> None:
    ones = tf.ones([1], tf.int32)
    assert ones + Right() == "EagerTensor and me"
    assert tf.Variable([1.0]) @ Right() == "product"
    with tf.Graph().as_default():
        assert tf.ones([1]) @ Right() == "product"
    for call in (lambda: ones & Right(), lambda: ones - Right(), lambda: ones * Right()):
        with pytest.raises(ValueError, match="with an unsupported type"):
            call()
    with pytest.raises(tf.errors.InvalidArgumentError):
        ones + 1.5


@pytest.mark.parametrize("name", ["Square", "Neg", "Tanh", "Asin", "Erf"])
def test_raw_ops_that_keep_zeros_take_sparse_tensors(name: str) -> None:
    x = tf.SparseTensor([[0, 1]], [0.5], [2, 2])
    made = getattr(tf.raw_ops, name)(x=x)
    assert isinstance(made, tf.SparseTensor)
    expected = getattr(tf.raw_ops, name)(x=x.values)
    assert made.values.numpy().tolist() == expected.numpy().tolist()


@pytest.mark.parametrize("name", ["SigmoidGrad", "TanhGrad"])
@pytest.mark.parametrize("dtype", [tf.complex64, tf.complex128, tf.float16])
def test_gradients_of_gradients_take_every_type(name: str, dtype: Any) -> None:
    number = 0.25 + 0.5j if dtype.is_complex else 0.25
    y, dy = tf.constant([number], dtype), tf.constant([2 * number], dtype)
    run = getattr(tf.raw_ops, name)
    with tf.GradientTape() as tape:
        tape.watch([y, dy])
        z = run(y=y, dy=dy)
    by_y, by_dy = tape.gradient(z, [y, dy])
    slope = 1 - 2 * number if name == "SigmoidGrad" else -2 * number
    assert np.allclose(by_y, np.conj(2 * number * slope), 1e-3)
    share = number * (1 - number) if name == "SigmoidGrad" else 1 - number**2
    assert np.allclose(by_dy, np.conj(share), 1e-3)


def test_graphs_know_how_many_axes_a_frame_has() -> None:
    with tf.Graph().as_default():
        x, y = v1.placeholder(tf.float32, [2, 3]), v1.placeholder(tf.float32)
        told = v1.placeholder(tf.int32)
        for mode in ("CONSTANT", "REFLECT"):
            assert tf.pad(x, told, mode).shape.as_list() == [None, None]
            assert tf.pad(y, v1.placeholder(tf.int32, [4, 2]), mode).shape.rank == 4
            assert tf.pad(y, told, mode).shape.rank is None


def test_graphs_know_what_any_part_tells_of_stitched_ones() -> None:
    with tf.Graph().as_default():
        parts = [v1.placeholder(tf.float32), v1.placeholder(tf.float32, [1, 3])]
        made = tf.dynamic_stitch([v1.placeholder(tf.int32), [5]], parts)
        assert made.shape.as_list() == [None, 3]


def test_blocks_of_quantized_pixels_become_channels() -> None:
    x = tf.constant([[[[1], [2]], [[3], [4]]]], tf.qint8)
    assert tf.nn.space_to_depth(x, 2).numpy().tolist() == [[[[1, 2, 3, 4]]]]


@pytest.mark.parametrize("name", ["int4", "uint4", "float8_e4m3fnuz"])
def test_arrays_of_types_that_no_tensor_has_are_refused(name: str) -> None:
    array = np.array([1, 2]).astype(getattr(ml_dtypes, name))
    with pytest.raises(TypeError, match=f"to EagerTensor of dtype {name}"):
        tf.constant(array)
