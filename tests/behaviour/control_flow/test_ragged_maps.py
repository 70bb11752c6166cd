"""`tf.map_fn` over ragged tensors and to them: values, shapes and errors are TensorFlow's."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf

ROWS = [[[1.0, 2.0], [3.0]], [], [[], [4.0, 5.0, 6.0]]]
MORE = [[[3.0, 4.0], [5.0]], [], [[], [6.0, 7.0, 8.0]]]
DEEP = [[[[1.0, 2.0], [3.0]], [[]]], [], [[[], [4.0, 5.0, 6.0]]]]
COUNTS = [2, 0, 3]
RANGES = [[[0, 1]], [[]], [[0, 1, 2]]]


def spec(*shape, dtype="float32", rank=None):
    return tf.RaggedTensorSpec(shape, tf.as_dtype(dtype), ragged_rank=rank)


def of_counts(make, signature):
    return tf.map_fn(make, tf.constant(COUNTS), fn_output_signature=signature)


def row_of_range(n):
    return tf.RaggedTensor.from_row_lengths(tf.range(n), [n])


def rows():
    return tf.ragged.constant(ROWS)


def twos(x):
    return x + 2.0


# What is mapped; the values, the shape and the dtype of the splits of the result.
CASES = {
    "rows": (
        lambda: tf.map_fn(twos, rows(), fn_output_signature=spec(None, None)),
        MORE, [3, None, None], "int64",
    ),
    "no signature": (lambda: tf.map_fn(twos, rows()), MORE, [3, None, None], "int64"),
    "narrow splits": (
        lambda: tf.map_fn(twos, rows().with_row_splits_dtype("int32")),
        MORE, [3, None, None], "int32",
    ),
    "three dimensions": (
        lambda: tf.map_fn(lambda x: x, tf.ragged.constant(DEEP)),
        DEEP, [3, None, None, None], "int64",
    ),
    "rows that are tensors": (
        lambda: tf.map_fn(
            lambda x: tf.reduce_sum(x, -1), rows(), fn_output_signature=spec(None, rank=0)
        ),
        [[3.0, 3.0], [], [0.0, 15.0]], [3, None], "int64",
    ),
    "less": (
        lambda: tf.map_fn(
            lambda x: tf.reduce_sum(x, -1), tf.ragged.constant(DEEP),
            fn_output_signature=spec(None, None),
        ),
        [[[3.0, 3.0], [0.0]], [], [[0.0, 15.0]]], [3, None, None], "int64",
    ),
    "more": (
        lambda: of_counts(row_of_range, spec(None, None, dtype="int32")),
        RANGES, [3, None, None], "int64",
    ),
    "rows of one length": (
        lambda: of_counts(row_of_range, spec(1, None, dtype="int32")),
        RANGES, [3, 1, None], "int64",
    ),
    "tensors of one length": (
        lambda: of_counts(
            lambda n: tf.ones([2]) * tf.cast(n, tf.float32), spec(2, rank=0)
        ),
        [[2.0, 2.0], [0.0, 0.0], [3.0, 3.0]], [3, 2], "int64",
    ),
    "inner dimension": (
        lambda: of_counts(
            lambda n: tf.RaggedTensor.from_row_lengths(tf.ones([n, 2]), [n]),
            spec(None, None, 2, rank=1),
        ),
        [[[[1.0, 1.0]] * 2], [[]], [[[1.0, 1.0]] * 3]], [3, None, None, 2], "int64",
    ),
    "nothing": (
        lambda: tf.map_fn(twos, rows()[:0], fn_output_signature=spec(None, None)),
        [], [0, None, None], "int64",
    ),
}  # fmt: skip


@pytest.mark.parametrize("way", ["eager", "function"])
@pytest.mark.parametrize("name", CASES)
def test_results_are_rows(name, way):
    make, values, shape, splits = CASES[name]
    made = make() if way == "eager" else tf.function(make, autograph=False)()
    assert made.to_list() == values
    assert made.shape.as_list() == shape
    assert made.row_splits.dtype.name == splits


def test_a_session_maps_rows_whose_number_it_learns():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        flat = tf.compat.v1.placeholder("float32", [None])
        outer, inner = (tf.compat.v1.placeholder("int64", [None]) for _ in range(2))
        given = tf.RaggedTensor.from_nested_row_splits(flat, [outer, inner])
        made = tf.map_fn(twos, given, fn_output_signature=spec(None, None))
        fed = {flat: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], outer: [0, 2, 2, 4], inner: [0, 2, 3, 3, 6]}
        assert session.run(made, fed).to_list() == MORE


def test_rows_between_ends_that_a_graph_computes():
    @tf.function(autograph=False)
    def between(start, stop):
        return rows()[start:stop]

    assert between(tf.constant(1), tf.constant(3)).to_list() == ROWS[1:3]
    assert between(tf.constant(-1), tf.constant(9)).to_list() == ROWS[-1:]


def test_gradients_flow_through_rows():
    @tf.function(autograph=False)
    def slope(values):
        squares = tf.map_fn(lambda x: x * x, rows().with_flat_values(values))
        return tf.gradients(tf.reduce_sum(squares.flat_values), values)[0]

    values = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert tf.convert_to_tensor(slope(values)).numpy().tolist() == [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]


# What a function returns that its signature does not tell, and how the error names it.
WRONG = {
    "tensor": (
        lambda: of_counts(lambda n: tf.ones([2, 3]), spec(None, None)),
        r"TensorSpec\(shape=\(2, 3\), dtype=tf.float32, name=None\)",
    ),
    "dtype": (
        lambda: tf.map_fn(lambda x: x, rows(), fn_output_signature=spec(None, None, dtype="int32")),
        r"RaggedTensorSpec\(TensorShape\(\[.*, None\]\), tf.float32, 1, tf.int64\)",
    ),
    "rank": (
        lambda: tf.map_fn(lambda x: x, rows(), fn_output_signature=spec(None, None, rank=0)),
        r"RaggedTensorSpec\(TensorShape\(\[.*, None\]\), tf.float32, 1, tf.int64\)",
    ),
}


@pytest.mark.parametrize("way", ["eager", "function"])
@pytest.mark.parametrize("name", WRONG)
def test_another_result_than_the_signature_says_is_refused(name, way):
    make, told = WRONG[name]
    text = (
        r"Error in map_fn:\n  Expected `fn` to return a:\n    Ragged.*\n  But it returned a:\n    "
    )
    with pytest.raises(ValueError, match=text + told):
        make() if way == "eager" else tf.function(make, autograph=False)()
