"""What changes of variables refuse, and unsigned variables."""

from __future__ import annotations

from typing import Any

import pytest

import emplace.tensorflow as tf


def test_an_assignment_whose_shape_is_known_when_it_runs_is_checked_then():
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f(shape: Any) -> None:
        v.assign(tf.zeros(shape))

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[3\].*\[2\]"):
        f(tf.constant([3]))
    assert v.numpy().tolist() == [1.0, 2.0]
    f(tf.constant([2]))
    assert v.numpy().tolist() == [0.0, 0.0]
    free = tf.Variable([1.0], shape=tf.TensorShape([None]))
    tf.function(lambda shape: free.assign(tf.zeros(shape)))(tf.constant([3]))
    assert free.numpy().tolist() == [0.0] * 3


def test_a_session_checks_an_assignment_too():
    v1 = tf.compat.v1
    with v1.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
        fed = v1.placeholder(tf.float32, [None])
        change = v.assign(fed)
        session.run(v.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[3\].*\[2\]"):
            session.run(change, {fed: [1.0, 2.0, 3.0]})
        assert session.run(v).tolist() == [1.0, 2.0]


def test_a_constraint_is_a_function():
    with pytest.raises(ValueError, match="Argument `constraint` must be None or a callable"):
        tf.Variable(1.0, constraint=0)
    with (
        tf.compat.v1.Graph().as_default(),
        pytest.raises(ValueError, match="Argument `constraint` must be None or a callable"),
    ):
        tf.compat.v1.get_variable("v", initializer=1.0, constraint=0)


@pytest.mark.parametrize("dtype", [tf.uint8, tf.uint16, tf.uint32, tf.uint64])
def test_unsigned_variables_are_added_to_and_written_into(dtype):
    v = tf.Variable(tf.cast([250, 1], dtype))
    v.assign_add(tf.cast([1, 2], dtype))
    before = v.value()
    v.assign_sub(tf.cast([2, 3], dtype))
    assert v.numpy().tolist() == [249, 0]
    v.assign_sub(tf.cast([0, 1], dtype))
    assert v.numpy().tolist() == [249, dtype.max]
    v[0].assign(tf.cast(9, dtype))
    assert v.numpy().tolist() == [9, dtype.max]
    assert before.numpy().tolist() == [251, 3]


def test_a_variable_that_has_its_value_has_no_initializer():
    assert tf.Variable(1.0).initializer is None


@pytest.mark.not_strict("only values in the host's memory are copied into each other")
@pytest.mark.gpus(1, memory="64MB")
def test_a_small_value_is_assigned_in_place_unless_somebody_holds_the_one_before():
    with tf.device("GPU:0"):
        v = tf.Variable([1.0, 2.0])
    storage = v.handle._value
    place = storage.value.data_ptr()
    v.assign([3.0, 4.0])
    assert storage.value.data_ptr() == place
    held, array = v.read_value(), v.numpy()
    v.assign([5.0, 6.0])
    assert held.numpy().tolist() == array.tolist() == [3.0, 4.0]
    assert v.numpy().tolist() == [5.0, 6.0]
    given = tf.constant([7.0, 8.0])
    v.assign(given)
    v.assign_add([1.0, 1.0])
    assert given.numpy().tolist() == [7.0, 8.0]
