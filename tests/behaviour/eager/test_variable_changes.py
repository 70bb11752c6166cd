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
