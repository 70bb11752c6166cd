"""Sizes, axes and orders that a function gets as tensors, and tensors of unknown rank.

The sums and static shapes are TensorFlow 2.21's; `resize_with_pad` of known sizes is not here: it
answers otherwise there in graphs than eagerly.
"""

import numpy as np
import pytest

import emplace.tensorflow as tf

_RANDOM = np.random.RandomState(0)
IMAGE = _RANDOM.rand(5, 7, 3).astype("float32")
X = _RANDOM.rand(2, 3, 4).astype("float32")
MATRIX = _RANDOM.rand(3, 3).astype("float32")
NUMBER, PAIR = tf.TensorSpec((), tf.int32), tf.TensorSpec((2,), tf.int32)
IMAGES, ANY = tf.TensorSpec((None, None, 3)), tf.TensorSpec(None)
MATRICES = tf.TensorSpec((None, None))


def _sized(method, **options):
    return lambda image, size: tf.image.resize(image, size, method=method, **options)


CASES = {
    "resize bilinear": (_sized("bilinear"), [IMAGES, PAIR], [IMAGE, [3, 9]], 38.198, "??3"),
    "resize smoothly": (_sized("bilinear", antialias=True), [IMAGES, PAIR], [IMAGE, [3, 9]],
                        38.947, "??3"),
    "resize nearest": (_sized("nearest"), [IMAGES, PAIR], [IMAGE, [3, 9]], 37.411, "??3"),
    "resize in proportion": (_sized("bicubic", preserve_aspect_ratio=True), [IMAGES, PAIR],
                             [IMAGE, [3, 9]], 17.221, "??3"),
    "pad to a box": (lambda i, a, b: tf.image.pad_to_bounding_box(i, a, b, 9, 9),
                     [IMAGES, NUMBER, NUMBER], [IMAGE, 1, 2], 50.173, "993"),
    "crop to a box": (lambda i, a, b: tf.image.crop_to_bounding_box(i, a, b, 2, 3),
                      [IMAGES, NUMBER, NUMBER], [IMAGE, 1, 2], 8.383, "233"),
    "crop or pad": (lambda i, a, b: tf.image.resize_with_crop_or_pad(i, a, b),
                    [IMAGES, NUMBER, NUMBER], [IMAGE, 3, 9], 27.968, "??3"),
    "resize with pad": (lambda i, a, b: tf.image.resize_with_pad(i, a, b),
                        [IMAGES, NUMBER, NUMBER], [IMAGE, 3, 9], 16.942, "??3"),
    "central crop": (lambda i: tf.image.central_crop(i, 0.5), [IMAGES], [IMAGE], 0, "??3"),
    "transpose": (lambda x, p: tf.transpose(x, p) * tf.ones([3, 1, 1]),
                  [tf.TensorSpec((2, 3, 4)), tf.TensorSpec((3,), tf.int32)], [X, [1, 0, 2]],
                  14.292, "3??"),
    "reverse the axes": (tf.transpose, [ANY], [X], 14.292, "unknown"),
    "some axes": (lambda x: tf.transpose(x, [1, 2, 0]), [ANY], [X], 14.292, "???"),
    "matrix transpose": (tf.linalg.matrix_transpose, [ANY], [X], 14.292, "unknown"),
    "mask": (lambda x, m: tf.boolean_mask(x, m, axis=1), [ANY, tf.TensorSpec((None,), tf.bool)],
             [X, [True, False, True]], 0, "unknown"),
    "linspace": (lambda a, n: tf.linspace(a, 3.0, n), [tf.TensorSpec(()), NUMBER], [1.0, 5],
                 10.0, "?"),
    "one of linspace": (lambda a, n: tf.linspace(a, 3.0, n), [tf.TensorSpec(()), NUMBER],
                        [1.0, 1], 1.0, "?"),
    "linspace of vectors": (lambda a, n: tf.linspace(a, a + 3.0, n, axis=1),
                            [tf.TensorSpec((2,)), NUMBER], [[1.0, 2.0], 5], 30.0, "2?"),
    "a band": (lambda x, k: tf.linalg.diag_part(x, k=k), [MATRICES, PAIR], [MATRIX, [-1, 1]],
               0, "unknown"),
    "eye": (lambda x: tf.eye(tf.shape(x)[0], tf.shape(x)[1]) * tf.reduce_sum(x), [MATRICES],
            [MATRIX], 0, "??"),
    "eyes": (lambda x: tf.eye(2, batch_shape=tf.shape(x)) * tf.reduce_sum(x), [MATRICES],
             [MATRIX], 0, "??22"),
    "broadcast": (lambda x, s: tf.broadcast_to(x, s),
                  [tf.TensorSpec((3,)), tf.TensorSpec((None,), tf.int32)], [MATRIX[0], [2, 3]],
                  0, "unknown"),
}  # fmt: skip


def _shape(text):
    sizes = None if text == "unknown" else [None if size == "?" else int(size) for size in text]
    return tf.TensorShape(sizes)


@pytest.mark.parametrize("name", CASES)
def test_functions_take_tensors_where_numbers_were_expected(name):
    function, specs, arguments, total, shape = CASES[name]
    given = [tf.constant(each, spec.dtype) for each, spec in zip(arguments, specs, strict=True)]
    traced = tf.function(function, input_signature=specs)
    told = traced.get_concrete_function().outputs[0].shape
    made, eager = traced(*given), function(*given)
    np.testing.assert_allclose(made, eager, rtol=1e-5, atol=1e-6)
    if total:
        assert abs(float(tf.reduce_sum(made)) - total) < 2e-3
    assert told.is_compatible_with(made.shape)
    assert told.as_list() == _shape(shape).as_list() if told.rank is not None else True


@pytest.mark.parametrize("name", CASES)
def test_their_gradients_are_those_of_eager_mode(name):
    function, specs, arguments, _, _ = CASES[name]
    given = [tf.constant(each, spec.dtype) for each, spec in zip(arguments, specs, strict=True)]
    gradients = []
    for call in (function, tf.function(function, input_signature=specs)):
        with tf.GradientTape() as tape:
            tape.watch(given[0])
            loss = tf.reduce_sum(tf.square(call(*given)))
        gradients.append(tape.gradient(loss, given[0], unconnected_gradients="zero"))
    np.testing.assert_allclose(*map(tf.convert_to_tensor, gradients), rtol=1e-4, atol=1e-5)


REFUSED = {
    "no room": (lambda i, a: tf.image.pad_to_bounding_box(i, a, 2, 6, 9), [IMAGES, NUMBER],
                [IMAGE, 2], "height must be <= target - offset"),
    "outside": (lambda i, a: tf.image.crop_to_bounding_box(i, a, 2, 2, 3), [IMAGES, NUMBER],
                [IMAGE, 4], "height must be >= target + offset"),
    "nothing": (lambda i, a: tf.image.resize_with_crop_or_pad(i, a, 2), [IMAGES, NUMBER],
                [IMAGE, 0], "target_height must be > 0"),
    "an axis twice": (lambda x, p: tf.transpose(x, p),
                      [tf.TensorSpec((2, 3, 4)), tf.TensorSpec((3,), tf.int32)], [X, [1, 1, 2]],
                      "0 is missing from {1,1,2}"),
    "too few axes": (lambda x, p: tf.transpose(x, p),
                     [tf.TensorSpec((2, 3, 4)), tf.TensorSpec((None,), tf.int32)], [X, [1, 0]],
                     "transpose expects a vector of size 3"),
    "a band upside down": (lambda x, k: tf.linalg.diag_part(x, k=k), [MATRICES, PAIR],
                           [MATRIX, [1, -1]], "lower_diag_index must not be larger"),
    "fewer than none": (lambda a, n: tf.linspace(a, 3.0, n), [tf.TensorSpec(()), NUMBER],
                        [1.0, -1], "Requires start <= limit when delta > 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_when_the_function_runs(name):
    function, specs, arguments, text = REFUSED[name]
    given = [tf.constant(each, spec.dtype) for each, spec in zip(arguments, specs, strict=True)]
    with pytest.raises(tf.errors.InvalidArgumentError) as refused:
        tf.function(function, input_signature=specs)(*given)
    assert text in str(refused.value)


def test_an_image_of_a_file_that_is_no_animation_has_three_axes():
    @tf.function(input_signature=[tf.TensorSpec((), tf.string)])
    def read(file):
        image = tf.image.decode_image(file, channels=3, expand_animations=False)
        assert image.shape.as_list() == [None, None, 3]
        return tf.image.resize(image, [2, 2])

    file = tf.io.encode_png(np.arange(48, dtype=np.uint8).reshape(4, 4, 3))
    assert float(tf.reduce_sum(read(file))) == 282.0


def test_the_shape_of_noise_may_be_computed():
    @tf.function(input_signature=[ANY])
    def drop(x):
        return tf.nn.dropout(x, 0.5, noise_shape=tf.concat([tf.shape(x)[:1], [1, 4]], 0))

    made = drop(tf.ones([2, 3, 4])).numpy()
    assert (made == made[:, :1]).all()


def test_python_functions_are_decorators_of_what_they_are_given():
    @tf.py_function(Tout=[tf.float32, tf.int32])
    def product(x, y):
        "As written."
        return x * y, tf.constant(1)

    @tf.numpy_function(Tout=tf.float32)
    def total(x, y):
        return x + y

    @tf.function
    def both(x):
        return product(x, x)[0] + total(x, x)

    assert float(both(tf.constant(3.0))) == 15.0
    assert (product.__name__, product.__doc__) == ("product", "As written.")
    with pytest.raises(TypeError, match="unexpected keyword argument 'y'"):
        product(tf.constant(2.0), y=tf.constant(3.0))
    with pytest.raises(TypeError, match="as a decorator"):
        tf.py_function(inp=[1.0], Tout=tf.float32)


def test_rows_of_a_variable_are_looked_up_by_ragged_numbers():
    table = tf.Variable([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    numbers = tf.ragged.constant([[0], [1, 2]])
    expected = [[[0.0, 1.0]], [[2.0, 3.0], [4.0, 5.0]]]
    assert tf.nn.embedding_lookup(table, numbers).to_list() == expected
    assert tf.function(lambda: tf.gather(table, numbers))().to_list() == expected


@pytest.mark.parametrize("wide_first", [True, False])
def test_branches_may_return_slices_whose_indices_have_two_widths(wide_first):
    def slices(dtype):
        return lambda: tf.IndexedSlices(
            tf.ones([1, 2]), tf.constant([1], dtype), tf.constant([3, 2])
        )

    kinds = (tf.int64, tf.int32) if wide_first else (tf.int32, tf.int64)

    @tf.function
    def choose(first):
        return tf.cond(first, slices(kinds[0]), slices(kinds[1]))

    for first in (True, False):
        made = choose(tf.constant(first))
        assert made.indices.dtype is tf.int64
        assert tf.convert_to_tensor(made).numpy().tolist() == [[0, 0], [1, 1], [0, 0]]


class Column:
    """As pandas gives texts away: objects in an array."""

    def __init__(self, *values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=object)


def test_a_column_of_texts_is_a_tensor_of_strings():
    assert tf.constant(Column("x", "yes")).numpy().tolist() == [b"x", b"yes"]
    rows = tf.data.Dataset.from_tensor_slices({"a": Column("x", "y"), "b": [1, 2]})
    assert [row["a"].numpy() for row in rows] == [b"x", b"y"]
    with pytest.raises(ValueError, match="unsupported type"):
        tf.constant(Column("x", float("nan")))


@pytest.mark.parametrize("rank", [None, ()])
def test_the_axis_of_a_mask_may_be_a_tensor(rank: tuple[int, ...] | None) -> None:
    @tf.function(input_signature=[tf.TensorSpec(rank, tf.int32)])
    def masked(axis: tf.Tensor) -> tf.Tensor:
        return tf.boolean_mask([[1, 2, 3], [4, 5, 6], [7, 8, 9]], [True, False, True], axis=axis)

    assert masked(tf.constant(0)).numpy().tolist() == [[1, 2, 3], [7, 8, 9]]
    assert masked(tf.constant(1)).numpy().tolist() == [[1, 3], [4, 6], [7, 9]]
