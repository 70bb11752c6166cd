"""map, scan, folds, choices and groups: values and errors recorded from TensorFlow, in eager mode
and in functions; gradients against plain code.
"""

from __future__ import annotations

import collections

import numpy as np
import pytest

import emplace.tensorflow as tf

c = tf.constant
ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
RAGGED = [[1.0, 2.0], [], [3.0]]
Pair = collections.namedtuple("Pair", "a b")


def plain(value):
    if isinstance(value, tf.RaggedTensor):
        return value.to_list()
    return value.numpy().tolist()


def x():
    return c(ROWS)


VALUES = {
    "map": (lambda: tf.map_fn(lambda r: r * 2.0, x()), [[2.0, 4.0], [6.0, 8.0], [10.0, 12.0]]),
    "map to another dtype": (
        lambda: tf.map_fn(lambda r: tf.reduce_sum(tf.cast(r, tf.int32)), x(),
                          fn_output_signature=tf.int32), [3, 7, 11]),
    "map of structures": (
        lambda: tf.map_fn(lambda d: (d["a"] + d["b"], d["b"]), {"a": x(), "b": x()},
                          fn_output_signature=(tf.float32, tf.float32)),
        ([[2.0, 4.0], [6.0, 8.0], [10.0, 12.0]], ROWS)),
    "map of nothing": (lambda: tf.map_fn(lambda r: r * 2.0, x()[:0]), []),
    "map over ragged rows": (
        lambda: tf.map_fn(tf.reduce_sum, tf.ragged.constant(RAGGED),
                          fn_output_signature=tf.float32), [3.0, 0.0, 3.0]),
    "map to ragged rows": (
        lambda: tf.map_fn(lambda n: tf.range(n), c([1, 0, 3]),
                          fn_output_signature=tf.RaggedTensorSpec([None], tf.int32)),
        [[0], [], [0, 1, 2]]),
    "map from ragged to ragged": (
        lambda: tf.map_fn(lambda r: r * 2.0, tf.ragged.constant(RAGGED),
                          fn_output_signature=tf.RaggedTensorSpec([None], tf.float32)),
        [[2.0, 4.0], [], [6.0]]),
    "foldl": (lambda: tf.foldl(lambda a, r: a - r, x()), [-7.0, -8.0]),
    "foldl with a beginning": (
        lambda: tf.foldl(lambda a, r: a - r, x(), initializer=c([0.0, 0.0])), [-9.0, -12.0]),
    "foldr": (lambda: tf.foldr(lambda a, r: a - r, x()), [1.0, 0.0]),
    "foldr with a beginning": (
        lambda: tf.foldr(lambda a, r: a + r * a, x(), initializer=c([1.0, 1.0])), [48.0, 105.0]),
    "scan": (lambda: tf.scan(lambda a, r: a + r, x()), [[1.0, 2.0], [4.0, 6.0], [9.0, 12.0]]),
    "scan backwards": (lambda: tf.scan(lambda a, r: a + r, x(), reverse=True),
                       [[9.0, 12.0], [8.0, 10.0], [5.0, 6.0]]),
    "scan with a beginning": (
        lambda: tf.scan(lambda a, r: a * 2 + r, x(), initializer=c([1.0, 1.0])),
        [[3.0, 4.0], [9.0, 12.0], [23.0, 30.0]]),
    "scan of two states": (
        lambda: tf.scan(lambda a, _: (a[1], a[0] + a[1]), tf.zeros([6]),
                        initializer=(c(0.0), c(1.0))),
        ([1.0, 1.0, 2.0, 3.0, 5.0, 8.0], [1.0, 2.0, 3.0, 5.0, 8.0, 13.0])),
    "case": (lambda: tf.case([(c(2) < 1, lambda: c(1)), (c(2) < 3, lambda: c(2))],
                             default=lambda: c(3)), 2),
    "case without a default": (
        lambda: tf.case([(c(2) < 1, lambda: c(1)), (c(2) < 3, lambda: c(2))]), 2),
    "switch": (lambda: tf.switch_case(c(1), [lambda: c(10), lambda: c(20), lambda: c(30)]), 20),
    "switch of any other index": (
        lambda: tf.switch_case(c(-1), [lambda: c(10), lambda: c(20), lambda: c(30)]), 30),
    "switch by pairs": (
        lambda: tf.switch_case(c(1), [(1, lambda: c(10)), (0, lambda: c(20))]), 10),
    "vectorized map": (lambda: tf.vectorized_map(lambda r: tf.reduce_sum(r * r), x()),
                       [5.0, 25.0, 61.0]),
    "vectorized map with a shared argument": (
        lambda: tf.vectorized_map(lambda d: d[0] + d[1], (x(), tf.ones([1, 2]))),
        [[2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]),
    "loop of structures": (
        lambda: tf.while_loop(lambda p: p.a < 3, lambda p: [Pair(p.a + 1, {"k": p.b["k"] * 2.0})],
                              [Pair(c(0), {"k": c(1.0)})]), [Pair(3, {"k": 8.0})]),
    "loop with a limit": (
        lambda: tf.while_loop(lambda i: True, lambda i: (i + 1,), [c(0)], maximum_iterations=4),
        [4]),
    "loop with a shape that grows": (
        lambda: tf.while_loop(
            lambda i, y: i < 2, lambda i, y: (i + 1, tf.concat([y, y], 0)), [c(0), c([1.0])],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])[1],
        [1.0, 1.0, 1.0, 1.0]),
    "v1 loop of one variable": (
        lambda: tf.compat.v1.while_loop(lambda i: i < 3, lambda i: i + 1, [c(0)]), 3),
    "v1 loop that keeps its structure": (
        lambda: tf.compat.v1.while_loop(lambda i: i < 3, lambda i: i + 1, [c(0)],
                                        return_same_structure=True), [3]),
    "v1 cond of one value": (
        lambda: tf.compat.v1.cond(c(1) > 0, lambda: [c(1)], lambda: [c(2)]), 1),
    "v1 cond that is strict": (
        lambda: tf.compat.v1.cond(c(1) > 0, lambda: [c(1)], lambda: [c(2)], strict=True), [1]),
}  # fmt: skip


@pytest.mark.parametrize("is_graph", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize(("make", "expected"), VALUES.values(), ids=VALUES)
def test_values_are_those_of_tensorflow(make, expected, is_graph):
    result = (tf.function(make) if is_graph else make)()
    assert tf.nest.map_structure(plain, result) == expected


@pytest.mark.gpus(2)
@pytest.mark.parametrize(("make", "expected"), VALUES.values(), ids=VALUES)
def test_values_are_the_same_on_devices(make, expected):
    assert tf.nest.map_structure(plain, tf.function(make)()) == expected


ERRORS = {
    "a scalar": (lambda: tf.map_fn(lambda r: r, c(1.0)), ValueError,
        "Elements in elems must be 1+ dimensional Tensors, not scalars"),
    "nothing": (lambda: tf.map_fn(lambda r: r, []), ValueError,
        "elems must be a Tensor or (possibly nested) sequence of Tensors. Got [], which does not "
        "contain any Tensors."),
    "two lengths": (lambda: tf.map_fn(lambda r: r[0], (x(), x()[:2])), ValueError,
        "Dimensions 3 and 2 are not compatible"),
    "no pairs": (lambda: tf.case(3), TypeError,
        "'pred_fn_pairs' must be a list, tuple, or dict. Received: <class 'int'>"),
    "no pair": (lambda: tf.case([3]), TypeError,
        "Each entry in 'pred_fn_pairs' must be a 2-tuple. Received 3."),
    "a plain predicate": (lambda: tf.case([(True, lambda: c(1))]), TypeError,
        "pred must be a Tensor, got: True"),
    "no branches": (lambda: tf.switch_case(c(0), []), ValueError,
        "Must provide at least one item in 'branch_fns'"),
    "branches with a gap": (lambda: tf.switch_case(c(0), {0: c, 2: c}), ValueError,
        "branch indices (keys) must form contiguous range of [0 to 2) but found {0,2}"),
    "a number as an index": (lambda: tf.switch_case(1, [lambda: c(1)] * 2), TypeError,
        "'branch_index' must be a Tensor, got <class 'int'>"),
    "a variable as an index": (
        lambda: tf.switch_case(tf.Variable(1), [lambda: c(1)] * 2),
        TypeError, "'branch_index' must be a Tensor, got "),
    "a float index": (lambda: tf.switch_case(c(0.0), [lambda: c(1)]), TypeError,
        "'branch_index' must be an integer Tensor"),
    "a vector as a limit": (
        lambda: tf.while_loop(lambda i: True, lambda i: i, [c(0)], maximum_iterations=c([1])),
        ValueError, "'maximum_iterations' must be a scalar. Received shape: (1,)"),
}  # fmt: skip


@pytest.mark.parametrize("is_graph", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize(("make", "kind", "text"), ERRORS.values(), ids=ERRORS)
def test_errors_are_those_of_tensorflow(make, kind, text, is_graph):
    with pytest.raises(kind) as error:
        (tf.function(make) if is_graph else make)()
    assert text in str(error.value)


def test_a_case_without_a_predicate_that_holds_fails():
    @tf.function
    def chosen(y):
        return tf.case([(y < 1, lambda: c(1)), (y < 3, lambda: c(2))])

    assert int(chosen(c(2))) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="None of conditions evaluated"):
        chosen(c(5))


def test_two_predicates_that_hold_are_refused_where_one_may():
    @tf.function
    def chosen(y):
        pairs = [(y < 3, lambda: c(1)), (y < 4, lambda: c(2))]
        return tf.case(pairs, default=lambda: c(3), exclusive=True)

    assert int(chosen(c(3))) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="more than 1 conditions"):
        chosen(c(2))


GRADIENTS = {
    "map": (lambda x: tf.map_fn(lambda r: r * r, x), lambda x: x * x),
    "scan": (lambda x: tf.scan(lambda a, r: a + r, x), lambda x: tf.cumsum(x)),
    "foldl": (lambda x: tf.foldl(lambda a, r: a * r, x), lambda x: x[0] * x[1] * x[2]),
    "foldr": (lambda x: tf.foldr(lambda a, r: a * a + r, x),
              lambda x: (x[2] * x[2] + x[1]) ** 2 + x[0]),
    "vectorized map": (lambda x: tf.vectorized_map(lambda r: r * r, x), lambda x: x * x),
    "switch": (lambda x: tf.switch_case(tf.cast(x[0, 0], tf.int32),
                                        [lambda: x, lambda: x * x, lambda: -x]), lambda x: x * x),
}  # fmt: skip


@pytest.mark.parametrize(("make", "same"), GRADIENTS.values(), ids=GRADIENTS)
def test_gradients_are_those_of_plain_code(make, same):
    def gradient(f, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(f(x) ** 2)
        return tape.gradient(y, x)

    expected = gradient(same, x()).numpy()
    np.testing.assert_allclose(gradient(make, x()).numpy(), expected, rtol=1e-5)
    inside = tf.function(lambda x: gradient(make, x))
    np.testing.assert_allclose(inside(x()).numpy(), expected, rtol=1e-5)


def test_a_group_runs_all_that_it_is_given():
    v = tf.Variable(1.0)

    @tf.function
    def step():
        tf.group(v.assign_add(1.0), tf.no_op())
        return tf.tuple([v * 2.0, None])[0]

    assert float(step()) == 4.0
    assert tf.group(1) is None


def test_a_part_between_numbers_of_a_graph_has_an_unknown_size():
    @tf.function
    def part(v, begin, end):
        assert v[begin:end].shape.as_list() == [None]
        return tf.shape(v[begin:end])[0]

    assert int(part(c([1.0, 2.0, 3.0]), c(1), c(3))) == 2


def test_a_range_up_to_a_number_of_a_graph():
    assert tf.function(lambda n: tf.range(n))(c(3)).numpy().tolist() == [0, 1, 2]


@pytest.mark.parametrize("run", [lambda f: f, tf.function])
def test_rows_of_a_ragged_tensor_are_mapped_to_rows(run):
    rows = tf.ragged.constant([[3, 3, 1], [], [2]])
    different = run(lambda x: tf.map_fn(lambda row: tf.unique(row)[0], x))
    assert different(rows).to_list() == [[3, 1], [], [2]]


def test_a_map_over_no_rows_has_the_shape_that_rows_would_give() -> None:
    total, more = tf.vectorized_map(lambda x: (tf.reduce_sum(x), x + 1.0), tf.zeros([0, 3]))
    assert total.shape == [0]
    assert more.shape == [0, 3]
    assert tf.vectorized_map(lambda x: tf.cast(x, tf.int32), tf.zeros([0])).dtype is tf.int32


def test_a_function_that_is_mapped_is_converted_in_a_graph() -> None:
    def magnitude(value):
        if value > 1:
            result = value
        else:
            result = -value
        return result

    numbers = c([1, 2])
    assert tf.function(lambda: tf.map_fn(magnitude, numbers))().numpy().tolist() == [-1, 2]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        mapped = tf.compat.v1.map_fn(magnitude, c([1, 2]))
        assert session.run(mapped).tolist() == [-1, 2]


@pytest.mark.parametrize("run", [lambda f: f, tf.function])
def test_rows_of_a_sparse_tensor_are_mapped_to_rows(run):
    dots = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], c([5, 1, 2]), [3, 2])
    same = run(lambda: tf.map_fn(lambda row: row, dots))()
    assert tf.sparse.to_dense(same).numpy().tolist() == [[5, 1], [2, 0], [0, 0]]
    assert same.shape.as_list() == [3, 2]
    spec = tf.SparseTensorSpec([None], tf.int32)
    grown = run(
        lambda: tf.map_fn(
            lambda n: tf.sparse.from_dense(tf.range(n)), c([2, 3]), fn_output_signature=spec
        )
    )()
    assert tf.sparse.to_dense(grown).numpy().tolist() == [[0, 1, 0], [0, 1, 2]]


def test_a_mapped_result_that_is_not_sparse_as_promised_is_refused():
    spec = tf.SparseTensorSpec([2], tf.int32)
    with pytest.raises(ValueError, match="Expected `fn` to return a"):
        tf.map_fn(lambda n: tf.stack([n, n]), c([2, 3]), fn_output_signature=spec)
