"""Static shapes of results whose sizes depend on values, as TensorFlow tells them in graphs."""

from __future__ import annotations

import contextlib
import re
from typing import Any

import pytest

import emplace.tensorflow as tf

TEXTS = tf.TensorSpec([None], tf.string)
TEXT = tf.TensorSpec([], tf.string)
MATRIX = tf.TensorSpec([None, 3], tf.int32)
NUMBER = tf.TensorSpec([], tf.int32)
NUMBERS = tf.TensorSpec([None], tf.int32)
NULLS = [[0]] * 5
BOXES = [tf.TensorSpec([None, 4], tf.float32), tf.TensorSpec([None], tf.float32)]

# A function, what it takes, and the shape of its result.
CASES: dict[str, tuple[Any, list[Any], Any]] = {
    "split": (tf.strings.split, [TEXTS], [None, None]),
    "split a matrix": (
        tf.strings.split, [tf.TensorSpec([None, 3], tf.string)], [None, 3, None]
    ),
    "split a text": (tf.strings.split, [TEXT], [None]),
    "split to a tensor": (lambda x: tf.strings.split(x).to_tensor(), [TEXTS], [None, None]),
    "bytes_split": (tf.strings.bytes_split, [TEXTS], [None, None]),
    "unicode_decode": (lambda x: tf.strings.unicode_decode(x, "UTF-8"), [TEXTS], [None, None]),
    "ngrams": (lambda x: tf.strings.ngrams(tf.strings.split(x), 2), [TEXTS], [None, None]),
    "bincount": (tf.math.bincount, [NUMBERS], [None]),
    "bincount of rows": (lambda x: tf.math.bincount(x, axis=-1), [MATRIX], [None, None]),
    "decode_jpeg": (lambda x: tf.io.decode_jpeg(x, channels=3), [TEXT], [None, None, 3]),
    "decode_png": (tf.io.decode_png, [TEXT], [None, None, None]),
    "decode_gif": (tf.io.decode_gif, [TEXT], [None, None, None, 3]),
    "decode_bmp": (tf.io.decode_bmp, [TEXT], [None, None, None]),
    "decode_raw": (lambda x: tf.io.decode_raw(x, tf.uint8), [TEXTS], [None, None]),
    "non_max_suppression": (lambda b, s: tf.image.non_max_suppression(b, s, 3), BOXES, [None]),
    "where": (lambda x: tf.where(x[:, :1] > 0, tf.zeros([5, 3]), 1.0), [MATRIX], [5, 3]),
    "where of a vector": (lambda x: tf.where(x > 0, tf.zeros([5, 3]), 1.0), [MATRIX], [5, 3]),
    "clip_by_value": (lambda x: tf.clip_by_value(x, -1, NULLS), [MATRIX], [5, 3]),
    "dynamic_stitch": (
        lambda i, x: tf.dynamic_stitch([i, i], [x, x]), [NUMBERS, MATRIX], [None, 3]
    ),
    "UniqueV2": (lambda x: tf.raw_ops.UniqueV2(x=x, axis=[0])[0], [MATRIX], [None, None]),
    "ragged.range": (tf.ragged.range, [NUMBERS], [None, None]),
    "reverse": (lambda x, axis: tf.reverse(x, [axis]), [MATRIX, NUMBER], [None, 3]),
    "roll": (lambda x, shift: tf.roll(x, shift, 0), [MATRIX, NUMBER], [None, 3]),
    "ctc_greedy_decoder": (
        lambda x: tf.nn.ctc_greedy_decoder(x, [3, 3])[1], [tf.TensorSpec([5, 2, 3])], [2, 1]
    ),
    "ctc_beam_search_decoder": (
        lambda x: tf.nn.ctc_beam_search_decoder(x, [3, 3], top_paths=2)[0][1],
        [tf.TensorSpec([None, 2, 3])], [None, None],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_graph_knows_the_rank_of(name):
    function, specs, dims = CASES[name]
    made = tf.function(function, input_signature=specs).get_concrete_function()
    assert made.structured_outputs.shape.as_list() == dims


def test_texts_of_unknown_number_are_split_in_a_graph():
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.string)])
    def words(x):
        return tf.strings.split(x)

    assert words([["a b", "c"], ["", "d"]]).to_list() == [[[b"a", b"b"], [b"c"]], [[], [b"d"]]]


def test_rows_of_a_graph_are_made_of_row_numbers():
    @tf.function(input_signature=[NUMBERS, NUMBERS])
    def rows(values, ids):
        told = tf.RaggedTensor.from_value_rowids(values, ids, nrows=4)
        return tf.RaggedTensor.from_value_rowids(values, ids), told

    found, told = rows([1, 2, 3], [0, 0, 2])
    assert found.to_list() == [[1, 2], [], [3]]
    assert told.to_list() == [[1, 2], [], [3], []]


def test_an_axis_and_a_shift_that_a_graph_computes_move_elements():
    @tf.function(input_signature=[MATRIX, NUMBER])
    def moved(x, number):
        return tf.reverse(x, [number]), tf.roll(x, number, 1)

    back, rolled = moved([[1, 2, 3]], 1)
    assert back.numpy().tolist() == [[3, 2, 1]]
    assert rolled.numpy().tolist() == [[3, 1, 2]]


@pytest.mark.parametrize("dims", [[None, 3, 3], [2, 3, 3]])
def test_a_sparse_tensor_of_both_branches_has_the_shape_they_share(dims):
    shapes = []

    @tf.function(input_signature=[tf.SparseTensorSpec(dims), tf.TensorSpec([], tf.bool)])
    def chosen(x, flag):
        y = tf.cond(flag, lambda: tf.sparse.map_values(tf.abs, x), lambda: tf.identity(x))
        shapes.append(y.shape.as_list())
        return tf.sparse.to_dense(y)

    x = tf.SparseTensor([[0, 1, 2]], [-1.0], [2, 3, 3])
    assert float(tf.reduce_sum(chosen(x, True))) == 1.0
    assert shapes == [dims]


def test_floats_of_a_graph_in_a_list_of_sizes_are_cast():
    @tf.function
    def square(x, size):
        return tf.reshape(x, (size, size, 1))

    assert square(tf.range(4), tf.constant(2.0)).shape == [2, 2, 1]


@pytest.mark.parametrize("run", [lambda f: f, tf.function])
def test_paddings_that_blocks_need_are_told(run):
    function = run(tf.required_space_to_batch_paddings)
    paddings, crops = function(tf.constant([4, 5]), [3, 2], [[1, 0], [0, 0]])
    assert paddings.numpy().tolist() == [[1, 1], [0, 1]]
    assert crops.numpy().tolist() == [[0, 1], [0, 1]]


def test_paddings_of_blocks_of_another_rank_are_refused():
    with pytest.raises(ValueError, match="are incompatible"):
        tf.required_space_to_batch_paddings([4, 5], [2])


def test_a_size_that_is_not_known_may_be_squeezed_away():
    v = tf.Variable(0.0)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def function(x):
        y = tf.squeeze(x[0:1])
        assert y.shape.rank is None  # as in TensorFlow
        assert tf.squeeze(x[None, :], [0]).shape.as_list() == [None]
        v.assign(y)
        return tf.ensure_shape(y, []) * 2.0

    assert float(function(tf.constant([3.0, 4.0]))) == 6.0
    assert float(v) == 3.0


@pytest.mark.parametrize(
    ("window", "missing"),
    [
        (lambda x: tf.nn.max_pool(x, [1, 1, 2, 1], 1, "VALID"), (2, 1)),
        (lambda x: tf.nn.avg_pool(x, 2, 2, "VALID"), (2, 1)),
        (lambda x: tf.nn.max_pool_with_argmax(x, 2, 1, "VALID"), (2, 1)),
        (lambda x: tf.nn.max_pool(x, 4, 1, [[0, 0], [1, 1], [0, 0], [0, 0]]), (4, 3)),
        (lambda x: tf.nn.conv2d(x, tf.ones([2, 2, 1, 1]), 1, "VALID"), (2, 1)),
        (lambda x: tf.nn.conv2d(x, tf.ones([2, 2, 1, 1]), 1, "VALID", dilations=2), (3, 1)),
        (lambda x: tf.nn.conv2d(x, tf.ones([4, 4, 1, 1]), 1, [[0, 0], [1, 1], [1, 1], [0, 0]]),
         (4, 3)),
        (lambda x: tf.nn.depthwise_conv2d(x, tf.ones([2, 2, 1, 1]), [1] * 4, "VALID"), (2, 1)),
        (lambda x: tf.nn.max_pool3d(x[:, None], 2, 1, "VALID"), (2, 1)),
    ],
)  # fmt: skip
def test_a_window_wider_than_its_input_is_refused_where_a_graph_is_built(
    window: Any, missing: tuple[int, int]
) -> None:
    text = "Negative dimension size caused by subtracting {} from {} for '{{{{node ".format(
        *missing
    )
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 1, 1, 1])
        with pytest.raises(ValueError, match=re.escape(text)):
            window(x)
    traced = tf.function(window, input_signature=[tf.TensorSpec([None, 1, 1, 1])])
    with pytest.raises(ValueError, match="Negative dimension size"):
        traced(tf.ones([2, 1, 1, 1]))


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (lambda x: tf.concat([x, tf.ones([2, 3])], 0), (None, 3)),
        (lambda x: tf.concat([x, tf.ones([2, 3])], 1), (2, None)),
        (lambda x: tf.tile(x + tf.ones([2, 3]), [2, 2]), (4, 6)),
        (lambda x: tf.pad(tf.ensure_shape(x, [None, 3]), [[1, 1], [0, 0]]), (None, 3)),
        (lambda x: tf.matmul(tf.concat([x, tf.ones([2, 3])], 0), tf.ones([3, 5])), (None, 5)),
    ],
)
def test_a_size_that_fits_by_chance_is_not_known(function, shape):
    spec = tf.TensorSpec([None, None], tf.float32)
    found = tf.function(function, [spec], autograph=False).get_concrete_function()
    assert tuple(found.outputs[0].shape) == shape
    given = tf.ones([4, 3] if shape[0] is None else [2, 3])
    with contextlib.suppress(tf.errors.InvalidArgumentError):
        assert found.outputs[0].shape.is_compatible_with(found(given).shape)


def test_a_known_size_of_a_partly_known_shape_decides_a_smart_condition():
    def last(y):
        is_wide = tf.shape(y)[-1] > 1
        return tf.__internal__.smart_cond.smart_cond(
            is_wide, lambda: tf.reduce_sum(y, -1), lambda: tf.squeeze(y, -1)
        )

    f = tf.function(last, [tf.TensorSpec([None, 4], tf.float32)], autograph=False)
    assert f(tf.ones([2, 4])).numpy().tolist() == [4.0, 4.0]


def test_parts_whose_number_is_given_may_have_sizes_that_only_the_run_tells():
    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None], tf.int32)])
    def parts(x, sizes):
        found = tf.split(x, sizes, num=3)
        assert [part.shape.as_list() for part in found] == [[None, 2]] * 3
        return found

    found = parts(tf.ones([6, 2]), tf.constant([1, 0, 5]))
    assert [part.shape[0] for part in found] == [1, 0, 5]


def test_sizes_of_parts_may_be_a_list_of_tensors():
    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)])
    def parts(x, size):
        return tf.split(x, [size, 2, -1])

    found = parts(tf.range(6.0), tf.constant(1))
    assert [part.numpy().tolist() for part in found] == [[0.0], [1.0, 2.0], [3.0, 4.0, 5.0]]


def _loop_of_shapes(make: Any) -> list[Any]:
    """The static shapes that a loop and a branch in it see of what a constant shape makes."""
    shape, seen = tf.constant([3, 4]), []

    def body(i, x):
        longer = tf.concat([[5], shape], 0)
        seen.append(make(x, longer).shape)
        inner = lambda: seen.append(make(tf.zeros([6, 10]), longer).shape)  # noqa: E731
        tf.cond(tf.equal(i, 0), lambda: inner() or 0, lambda: inner() or 0)
        return i + 1, x

    tf.while_loop(lambda i, _: i < 3, body, [0, tf.zeros([5, 3, 4])])
    return seen


MAKERS: dict[str, Any] = {
    "zeros": lambda x, shape: tf.zeros(shape),
    "ones": lambda x, shape: tf.ones(shape),
    "fill": lambda x, shape: tf.fill(shape, 1.0),
    "reshape": lambda x, shape: tf.reshape(x, shape),
    "normal": lambda x, shape: tf.random.normal(shape),
    "gamma": lambda x, shape: tf.random.gamma(shape, 1.0),
}


@pytest.mark.parametrize("where", ["function", "session"])
@pytest.mark.parametrize("name", MAKERS)
def test_a_shape_that_is_constant_around_a_loop_is_known_in_it(name, where):
    if where == "function":
        seen = []
        tf.function(lambda: seen.extend(_loop_of_shapes(MAKERS[name])))()
    else:
        with tf.Graph().as_default():
            seen = _loop_of_shapes(MAKERS[name])
    assert seen == [[5, 3, 4]] * 3


def test_a_constant_shape_that_a_loop_was_made_with_cannot_be_fed():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        n = tf.constant([2])
        y = tf.while_loop(lambda i, x: i < 1, lambda i, x: (i + 1, x + tf.ones(n)), (0, tf.ones(2)))
        assert session.run(y[1]).tolist() == [2.0, 2.0]
        with pytest.raises(ValueError, match=r"Tensor Const:0 may not be fed\. Its value was"):
            session.run(y[1], {n: [1]})


@pytest.mark.parametrize("indices", [NUMBERS, tf.TensorSpec(None, tf.int32)])
def test_one_hot_takes_a_depth_that_only_the_run_tells(indices):
    f = tf.function(lambda i, depth: tf.one_hot(i, depth), [indices, NUMBER], autograph=False)
    assert f(tf.constant([0, 2]), tf.constant(3)).numpy().tolist() == [[1, 0, 0], [0, 0, 1]]
    assert f(tf.constant([1]), tf.constant(2)).numpy().tolist() == [[0, 1]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="depth must be non-negative, got: -1"):
        f(tf.constant([1]), tf.constant(-1))
