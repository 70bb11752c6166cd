"""Any tensor of a session's graph may be fed, also one whose value is known before it runs."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


@pytest.fixture
def session():
    """A session of a fresh graph, which is the default one."""
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def test_a_fed_default_reaches_what_depends_on_it(session):
    p = v1.placeholder_with_default(1.0, [])
    y = p * 2.0
    assert [session.run(y, {p: 5.0}), session.run(y), session.run(y, {p: 7.0})] == [10, 2, 14]


def test_a_fed_flag_decides_a_branch(session):
    for flag in (v1.placeholder_with_default(False, []), tf.constant(False)):
        y = tf.cond(flag, lambda: tf.constant(1.0), lambda: tf.constant(2.0))
        assert [session.run(y, {flag: True}), session.run(y)] == [1, 2]


def test_a_branch_that_is_known_not_to_be_taken_costs_nothing(session):
    flag = v1.placeholder_with_default(False, [])
    x = v1.placeholder(tf.float32, [3])
    y = tf.cond(flag, lambda: tf.sin(x), lambda: tf.cos(x))
    assert "if False" in session.plan(y, {x: [1, 2, 3]}).text
    assert "if False" not in session.plan(y, {x: [1, 2, 3], flag: True}).text


def test_a_fed_constant_or_identity_reaches_what_depends_on_it(session):
    c = tf.constant(3.0)
    i = tf.identity(c)
    y = i * 2
    assert session.run(y, {c: 7.0}) == 14
    assert session.run([y, i, c], {i: 7.0}) == [14, 7, 3]
    assert session.run(y) == 6


def test_a_fed_shape_is_the_shape(session):
    x = tf.zeros([2, 3])
    shape, size, rank = tf.shape(x), tf.size(x), tf.rank(x)
    y = tf.reshape(tf.range(6), shape)
    assert y.shape == [2, 3]
    assert session.run(y, {shape: [3, 2]}).tolist() == [[0, 1], [2, 3], [4, 5]]
    assert session.run(y).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert session.run(tf.range(size), {size: 3}).tolist() == [0, 1, 2]
    assert session.run(rank + 1, {rank: 5}) == 6


def test_a_fed_number_changes_every_shape_that_follows_from_it(session):
    n = tf.constant(2)
    x = tf.fill([n, n * 2], 1.0)
    assert x.shape == [2, 4]
    assert session.run(x, {n: 3}).shape == (3, 6)
    rows = tf.cast(tf.raw_ops.Shape(input=x)[0], tf.float32)
    assert session.run(tf.reduce_sum(x) * rows, {n: 3}) == 54
    # TF: tf.shape of a known shape is a constant.
    rows = tf.cast(tf.shape(x)[0], tf.float32)
    assert session.run(tf.reduce_sum(x) * rows, {n: 3}) == 36
    assert session.run(tf.reduce_sum(x) * rows) == 16


def test_a_default_of_open_shape_takes_any_shape(session):
    p = v1.placeholder_with_default(np.zeros((2, 3), np.float32), [None, 3])
    assert p.shape.as_list() == [None, 3]
    y = tf.reduce_sum(p, 0)
    assert session.run(y, {p: np.ones((5, 3))}).tolist() == [5, 5, 5]
    assert session.run(tf.shape(p), {p: np.ones((5, 3))}).tolist() == [5, 3]
    assert session.run(y).tolist() == [0, 0, 0]


def test_what_a_fed_default_tells_as_a_shape_is_not_known_before(session):
    p = v1.placeholder_with_default([2, 3], [2])
    y = tf.zeros(p)
    assert y.shape.as_list() == [None, None]
    assert [session.run(y, {p: [1, 4]}).shape, session.run(y).shape] == [(1, 4), (2, 3)]


def test_a_fed_value_must_have_the_shape_that_is_known(session):
    c = tf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match=r"Cannot feed value of shape \(3,\) for Tensor Const:0"):
        session.run(c * 2, {c: [1.0, 2.0, 3.0]})


def test_fed_axes_positions_and_limits_are_used(session):
    axis, a, b, k, n = (
        tf.constant(0),
        tf.constant(1),
        tf.constant(4),
        tf.constant(2),
        tf.constant(3),
    )
    x = tf.reshape(tf.range(6), [2, 3])
    assert session.run(tf.reduce_sum(x, axis), {axis: 1}).tolist() == [3, 12]
    numbers = tf.range(a, b)
    found = session.run([numbers, numbers[a:]], {a: 2})
    assert [each.tolist() for each in found] == [[2, 3], []]
    assert session.run(tf.nn.top_k(tf.constant([1.0, 5.0, 3.0]), k)[0], {k: 1}).tolist() == [5]
    assert session.run(tf.one_hot([0, 1], k), {k: 3}).shape == (2, 3)
    loop = tf.while_loop(lambda i: i < n, lambda i: [i + 1], [tf.constant(0)])
    assert [session.run(loop, {n: 10}), session.run(loop)] == [[10], [3]]


def test_a_fed_start_of_a_counted_loop_is_used(session):
    start = tf.constant(0)
    loop = tf.while_loop(lambda i: i < 5, lambda i: [i + 1], [start])
    assert [session.run(loop, {start: 9}), session.run(loop)] == [[9], [5]]


def test_an_intermediate_of_fused_operations_can_be_fed(session):
    x = v1.placeholder(tf.float32, [2, 2])
    product = tf.matmul(x, tf.eye(2))
    moved = tf.nn.bias_add(product, [1.0, 1.0])
    y = tf.nn.relu(moved)
    rows = {x: [[1, 2], [3, 4]]}
    assert session.run(y, {**rows, product: [[9, 9], [9, -9]]}).tolist() == [[10, 10], [10, 0]]
    found = session.run([y, product], {**rows, moved: [[-9, 9], [9, 9]]})
    assert [each.tolist() for each in found] == [[[0, 9], [9, 9]], [[1, 2], [3, 4]]]


def test_one_of_several_outputs_and_one_of_two_equal_operations_can_be_fed(session):
    a, b = tf.unstack(tf.constant([1.0, 2.0]))
    assert [session.run(a + b, {a: 10.0}), session.run(a + b, {b: 10.0})] == [12, 11]
    assert session.run([a, b], {a: 10.0}) == [10, 2]
    c = tf.constant(2.0)
    x, y = c + 1, c + 1
    assert session.run([x, y], {x: 10.0}) == [10, 3]
    assert session.run(x * y, {y: 10.0}) == 30


def test_a_fed_learning_rate_is_the_one_of_the_step(session):
    for optimizer in (v1.train.GradientDescentOptimizer, v1.train.AdamOptimizer):
        with v1.variable_scope(optimizer.__name__):
            rate = v1.placeholder_with_default(0.5, [])
            v = v1.get_variable("v", initializer=1.0)
            step = optimizer(rate).minimize(v * v)
        session.run(v1.global_variables_initializer())
        session.run(step, {rate: 0.25})
        assert session.run(v) == pytest.approx(0.5 if optimizer.__name__[0] == "G" else 0.75)


def test_a_fed_tensor_is_the_one_that_gradients_are_at(session):
    c = tf.constant(2.0)
    (gradient,) = tf.gradients(c * c, c)
    assert [session.run(gradient, {c: 5.0}), session.run(gradient)] == [10, 4]


def test_an_operation_that_is_waited_for_runs_though_its_value_is_fed(session):
    v = v1.get_variable("v", initializer=1.0)
    session.run(v.initializer)
    assigned = v1.assign(v, 5.0)
    with tf.control_dependencies([assigned]):
        later = tf.constant(3.0) + 0
    assert session.run(assigned, {assigned: 7.0}) == 7
    assert session.run(v) == 1
    assert session.run(later, {assigned: 7.0}) == 3
    assert session.run(v) == 5


def test_partial_runs_take_feeds_of_known_tensors(session):
    a = tf.constant(1.0)
    y = a * 2
    z = y + 1
    handle = session.partial_run_setup([y, z], [a])
    assert session.partial_run(handle, y, {a: 5.0}) == 10
    assert session.partial_run(handle, z) == 11


def test_dropout_and_batch_normalization_are_fed_what_they_do(session):
    x = tf.ones([4, 4])
    keep = v1.placeholder_with_default(1.0, [])
    training = v1.placeholder_with_default(False, [])
    dropped = v1.nn.dropout(x, keep_prob=keep)
    normal = v1.layers.batch_normalization(x * 3, training=training)
    session.run(v1.global_variables_initializer())
    assert [session.run(dropped, {keep: 1e-6}).sum(), session.run(dropped).sum()] == [0, 16]
    assert session.run(normal, {training: True})[0, 0] == 0
    assert session.run(normal)[0, 0] == pytest.approx(2.9985, abs=1e-3)


def test_fed_indices_choose_among_functions(session):
    i = tf.constant(1)
    chosen = tf.switch_case(i, [lambda: tf.constant(10), lambda: tf.constant(11)])
    case = tf.case([(tf.equal(i, 1), lambda: tf.constant(10))], lambda: tf.constant(11))
    assert [session.run(chosen, {i: 0}), session.run(chosen)] == [10, 11]
    assert [session.run(case, {i: 0}), session.run(case)] == [11, 10]


def test_a_fed_condition_fails_an_assertion(session):
    holds = tf.constant(True)
    with tf.control_dependencies([tf.debugging.Assert(holds, ["it does not"])]):
        y = tf.constant(1.0) + 1
    assert session.run(y) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="it does not"):
        session.run(y, {holds: False})


def test_a_fed_argument_reaches_a_function_and_a_dataset(session):
    k = tf.constant([1, 2])
    y = tf.function(lambda z: tf.tile(tf.zeros([2, 3]), z))(k)
    assert [session.run(y, {k: [2, 1]}).shape, session.run(y).shape] == [(4, 3), (2, 6)]
    size = v1.placeholder_with_default(tf.constant(2, tf.int64), [])
    iterator = v1.data.make_initializable_iterator(tf.data.Dataset.range(10).batch(size))
    following = iterator.get_next()
    session.run(iterator.initializer, {size: 4})
    assert session.run(following).tolist() == [0, 1, 2, 3]


def test_feeding_what_the_graph_was_made_with_is_refused(session):
    perm = tf.constant([1, 0])
    y = tf.transpose(tf.zeros([2, 3]), perm)
    with pytest.raises(ValueError, match=r"Tensor Const:0 may not be fed\. Its value was needed"):
        session.run(y, {perm: [0, 1]})
    n = tf.constant(3)
    z = tf.transpose(tf.zeros([2, 3]), tf.stack([n - 2, n - 3]))
    with pytest.raises(ValueError, match=r"Tensor Const_1:0 may not be fed: stack:0 depends on it"):
        session.run(z, {n: 4})
    assert session.run(y).shape == (3, 2)


def test_a_known_assertion_that_fails_is_told_of_when_the_graph_is_made(session):
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        v1.assert_equal(tf.constant([1, 2, 3]), [1, 2, 4], message="hi")
    # TensorFlow's text.
    assert str(error.value).startswith(
        "hi\nCondition x == y did not hold element-wise:\nx (Const:0)"
    )


def test_an_assertion_that_is_known_to_hold_can_be_waited_for():
    @tf.function
    def f():
        checked = tf.debugging.assert_equal(tf.constant(1), 1)
        with tf.control_dependencies([checked, tf.debugging.assert_rank(tf.zeros([2]), 1)]):
            return tf.constant(1)

    assert f() == 1


def test_a_python_bool_is_no_predicate_in_graphs(session):
    for make in (tf.cond, v1.cond):
        with pytest.raises(TypeError, match="pred must not be a Python bool"):
            make(True, lambda: tf.constant(1), lambda: tf.constant(2))


def _queue(fed):
    queue = v1.FIFOQueue(9, ["float32"], shapes=[[2]])
    return queue.enqueue_many(fed), queue.dequeue_many(2)


def _queue_of_wholes(fed):
    queue = v1.PaddingFIFOQueue(9, ["float32"], shapes=[[None, 2]])
    return queue.enqueue(fed), queue.dequeue()


def _stage(fed):
    put = tf.raw_ops.Stage(values=[fed], shared_name="test_feeding")
    return put, tf.raw_ops.Unstage(dtypes=["float32"], shared_name="test_feeding")[0]


def _map_stage(fed):
    where = {"key": tf.constant(1, "int64"), "indices": [0], "dtypes": ["float32"]}
    put = tf.raw_ops.MapStage(values=[fed], shared_name="test_feeding", **where)
    return put, tf.raw_ops.MapUnstage(shared_name="test_feeding", **where)[0]


def _table(fed):
    table = tf.raw_ops.MutableHashTableOfTensorsV2(
        key_dtype="int64", value_dtype="float32", value_shape=[2]
    )
    keys = tf.constant([1, 2], "int64")
    put = tf.raw_ops.LookupTableInsertV2(table_handle=table, keys=keys, values=fed)
    return put, tf.raw_ops.LookupTableFindV2(
        table_handle=table, keys=keys, default_value=tf.zeros([2])
    )


def _variable(fed):
    variable = v1.get_variable("v", [2, 2])
    return variable.assign(fed).op, variable.read_value()


def _dataset(fed):
    data = tf.data.Dataset.from_tensor_slices(fed).map(lambda x: x * 1.0).batch(2)
    iterator = v1.data.make_initializable_iterator(data)
    return iterator.initializer, iterator.get_next()


@pytest.mark.parametrize(
    "keep", [_queue, _queue_of_wholes, _stage, _map_stage, _table, _variable, _dataset]
)
def test_an_array_that_was_fed_may_be_used_again(session, keep):
    fed = v1.placeholder("float32", [2, 2])
    put, taken = keep(fed)
    array = np.ones([2, 2], "float32")
    session.run(put, {fed: array})
    array[:] = 7.0
    assert session.run(taken).tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_an_array_that_was_fed_to_a_part_of_a_run_may_be_used_again(session):
    x, y = v1.placeholder("float32", [2]), v1.placeholder("float32", [2])
    first, last = x + 1.0, x + y
    part = session.partial_run_setup([first, last], [x, y])
    array = np.ones([2], "float32")
    assert session.partial_run(part, first, {x: array}).tolist() == [2.0, 2.0]
    array[:] = 7.0
    assert session.partial_run(part, last, {y: [0.0, 0.0]}).tolist() == [1.0, 1.0]


def test_a_session_has_tables_of_raw_ops(session):
    key, value = tf.constant(0, "int64"), {"value_dtype": "float32"}
    kind = {"key_dtype": "int64", **value}
    for table in (
        tf.raw_ops.HashTableV2(**kind),
        tf.raw_ops.MutableHashTableV2(**kind),
        tf.raw_ops.MutableDenseHashTableV2(empty_key=key, deleted_key=key - 1, **value),
    ):
        assert session.run(tf.raw_ops.LookupTableSizeV2(table_handle=table)) == 0


def test_a_table_of_what_is_known_later_is_refused(session):
    table = tf.raw_ops.MutableDenseHashTableV2(
        empty_key=v1.placeholder("int64", []), deleted_key=tf.constant(1, "int64"),
        value_dtype="float32",
    )  # fmt: skip
    with pytest.raises(NotImplementedError, match="known only then"):
        session.run(tf.raw_ops.LookupTableSizeV2(table_handle=table))
