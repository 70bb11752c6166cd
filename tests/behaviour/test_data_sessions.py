"""Datasets of graphs that sessions run: iterators, initializers, string handles."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf

tf1 = tf.compat.v1
D = tf1.data.Dataset


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


def test_a_one_shot_iterator_needs_no_initializer():
    x = D.range(3).make_one_shot_iterator().get_next()
    with tf1.Session() as session:
        assert [int(session.run(x)) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
            session.run(x)


def test_each_session_has_its_own_pass():
    x = D.range(3).make_one_shot_iterator().get_next()
    with tf1.Session() as one, tf1.Session() as other:
        assert [int(one.run(x)), int(one.run(x)), int(other.run(x))] == [0, 1, 0]


def test_a_one_shot_iterator_refuses_placeholders():
    n = tf1.placeholder(tf.int64, [])
    with pytest.raises(ValueError, match="Cannot capture a placeholder"):
        D.range(n).make_one_shot_iterator()


def test_a_one_shot_iterator_refuses_variables():
    v = tf1.get_variable("v", initializer=np.int64(3))
    with pytest.raises(ValueError, match="Cannot capture a stateful node"):
        D.range(3).map(lambda x: x * v).make_one_shot_iterator()


def test_an_initializer_takes_what_is_fed():
    n = tf1.placeholder(tf.int64, [])
    iterator = tf1.data.make_initializable_iterator(D.range(n).map(lambda x: x + n))
    x = iterator.get_next()
    with tf1.Session() as session:
        session.run(iterator.initializer, {n: 2})
        assert [int(session.run(x)), int(session.run(x))] == [2, 3]
        session.run(iterator.initializer, {n: 5})
        assert session.run([x, x + 1]) == [5, 6]


def test_an_iterator_that_was_not_initialized_says_so():
    x = tf1.data.make_initializable_iterator(D.range(3)).get_next()
    with (
        tf1.Session() as session,
        pytest.raises(tf.errors.FailedPreconditionError, match="iterator has not been initialized"),
    ):
        session.run(x)


def test_a_dataset_reads_the_sessions_variables():
    v = tf1.get_variable("v", initializer=np.int64(3))
    iterator = tf1.data.make_initializable_iterator(D.range(3).map(lambda x: x * v))
    x = iterator.get_next()
    with tf1.Session() as session:
        session.run([tf1.global_variables_initializer(), iterator.initializer])
        assert [int(session.run(x)) for _ in range(3)] == [0, 3, 6]


def test_one_iterator_serves_several_datasets():
    iterator = tf1.data.Iterator.from_structure(tf.int64, tf.TensorShape([]))
    x = iterator.get_next()
    first = iterator.make_initializer(D.range(2))
    second = iterator.make_initializer(D.range(10, 12))
    with tf1.Session() as session:
        session.run(first)
        assert int(session.run(x)) == 0
        session.run(second)
        assert int(session.run(x)) == 10


def test_an_initializer_checks_types_and_shapes():
    iterator = tf1.data.Iterator.from_structure(tf.int64, tf.TensorShape([]))
    with pytest.raises(TypeError, match="but got dataset with output types"):
        iterator.make_initializer(D.from_tensors("a"))
    with pytest.raises(TypeError, match=r"got dataset with output shapes TensorShape\(\[2\]\)"):
        iterator.make_initializer(D.from_tensors(np.array([1, 2])))


def test_a_string_handle_picks_an_iterator():
    handle = tf1.placeholder(tf.string, [])
    picked = tf1.data.Iterator.from_string_handle(handle, tf.int64, tf.TensorShape([]))
    x = picked.get_next()
    one = D.range(3).make_one_shot_iterator()
    other = tf1.data.make_initializable_iterator(D.range(10, 20))
    with tf1.Session() as session:
        handles = session.run([one.string_handle(), other.string_handle()])
        session.run(other.initializer)
        found = [int(session.run(x, {handle: handles[i]})) for i in (0, 1, 0)]
        assert found == [0, 10, 1]
        with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse string_handle"):
            session.run(x, {handle: b"nothing"})


def test_an_initializer_starts_the_same_shuffled_order_again():
    iterator = tf1.data.make_initializable_iterator(D.range(9).shuffle(9, seed=3))
    x = iterator.get_next()
    with tf1.Session() as session:
        orders = []
        for _ in range(2):
            session.run(iterator.initializer)
            orders.append([int(session.run(x)) for _ in range(9)])
        assert orders[0] == orders[1]


def test_types_and_shapes_by_their_old_names():
    dataset = D.from_tensor_slices({"a": np.zeros((3, 2)), "b": ["x", "y", "z"]}).batch(2)
    assert dataset.output_types == {"a": tf.float64, "b": tf.string}
    assert tf1.data.get_output_shapes(dataset)["a"].as_list() == [None, 2]
    assert tf1.data.get_output_classes(dataset) == {"a": tf.Tensor, "b": tf.Tensor}


def test_an_optional_tells_the_end():
    iterator = tf1.data.make_initializable_iterator(D.range(2))
    more = iterator.get_next_as_optional().has_value()
    with tf1.Session() as session:
        session.run(iterator.initializer)
        assert [bool(session.run(more)) for _ in range(3)] == [True, True, False]


def test_a_reduction_is_a_tensor_of_the_graph():
    total = D.range(5).reduce(np.int64(0), lambda state, x: state + x)
    only = tf.data.experimental.get_single_element(D.from_tensors(4))
    with tf1.Session() as session:
        assert session.run([total, only]) == [10, 4]


def test_python_does_not_iterate_in_a_graph():
    with pytest.raises(RuntimeError, match="only supports Python-style iteration in eager mode"):
        iter(D.range(3))
