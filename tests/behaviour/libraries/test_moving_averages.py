"""`assign_moving_average`, which Keras 2's layers call; the numbers are TensorFlow 2.21's."""

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.base.errors import InvalidArgumentError

tf1 = tf.compat.v1

assign_moving_average = tf.__internal__.train.assign_moving_average


def test_an_average_that_began_at_zero_is_divided_by_what_is_in_it():
    average = tf.Variable([0.0, 0.0])
    for _ in range(3):
        made = assign_moving_average(average, tf.constant([1.0, 2.0]), 0.9)
        np.testing.assert_allclose(made, [1.0, 2.0], rtol=1e-6)
        np.testing.assert_allclose(average, [1.0, 2.0], rtol=1e-6)


def test_without_that_it_moves_by_the_share_that_is_left():
    average = tf.Variable(5.0)
    for expected in (4.6, 4.24, 3.916):
        made = assign_moving_average(average, 1.0, 0.9, zero_debias=False)
        np.testing.assert_allclose(float(made), expected, rtol=1e-6)


def test_in_a_function_what_was_there_before_does_not_count():
    average = tf.Variable(5.0)
    move = tf.function(lambda x: assign_moving_average(average, x, 0.9))
    np.testing.assert_allclose([move(1.0), move(1.0)], [1.0, 1.0], rtol=1e-6)
    np.testing.assert_allclose(move(4.0), (0.09 + 0.081 + 0.4) / 0.271, rtol=1e-5)


def test_in_eager_mode_every_call_begins_an_average():
    average = tf.Variable([5.0, 5.0])
    found = [assign_moving_average(average, [x, 2 * x], 0.5).numpy().tolist() for x in (1.0, 2.0)]
    assert found == [[1.0, 2.0], [2.0, 4.0]]


def test_a_session_keeps_an_average_for_each_operation():
    with tf.Graph().as_default(), tf1.Session() as session:
        with tf1.variable_scope("a"):
            average = tf1.get_variable("v", initializer=[5.0, 5.0])
            x = tf1.placeholder(tf.float32, [2])
            slow = assign_moving_average(average, x, 0.5)
            fast = assign_moving_average(average, x, 0.75, name="fast")
        assert (slow.op.name, fast.op.name) == ("a/AssignMovingAvg", "a/fast")
        assert [each.name for each in tf1.global_variables()] == [
            "a/v:0", "a/a/v/biased:0", "a/a/v/local_step:0",
            "a/a/v/biased_1:0", "a/a/v/local_step_1:0",
        ]  # fmt: skip
        assert [each.name for each in tf1.trainable_variables()] == ["a/v:0"]
        session.run(tf1.global_variables_initializer())
        found = [session.run(slow, {x: [k, 2 * k]})[0] for k in (1.0, 2.0, 3.0)]
        np.testing.assert_allclose(found, [1.0, 1.6666666, 2.4285715], rtol=1e-6)
        found = [session.run(fast, {x: [k, 2 * k]})[0] for k in (1.0, 2.0)]
        np.testing.assert_allclose(found, [1.0, 1.5714285], rtol=1e-6)
        np.testing.assert_allclose(session.run(average), [1.5714285, 3.142857], rtol=1e-6)


def test_where_variables_are_shared_so_are_those_of_the_average():
    with tf.Graph().as_default():
        with tf1.variable_scope("a"):
            average = tf1.get_variable("v", initializer=5.0)
            assign_moving_average(average, 1.0, 0.5)
        for reuse in (True, tf1.AUTO_REUSE):
            with tf1.variable_scope("a", reuse=reuse):
                assign_moving_average(average, 1.0, 0.5)
        assert len(tf1.global_variables()) == 3


def test_values_of_another_dtype_are_refused():
    average = tf.Variable(5.0, dtype=tf.float16)
    with pytest.raises(InvalidArgumentError, match="expected to be a half tensor but is a float"):
        assign_moving_average(average, tf.constant(1.0), 0.5, zero_debias=False)


@pytest.mark.gpus(2, memory="64MB")
@pytest.mark.parametrize("aggregation", ["NONE", "SUM", "MEAN"])
@pytest.mark.parametrize("synchronization", ["ON_READ", "ON_WRITE"])
def test_replicas_move_it_towards_the_mean_of_their_values(aggregation, synchronization):
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        average = tf.Variable(
            [5.0, 5.0], trainable=False, aggregation=getattr(tf.VariableAggregation, aggregation),
            synchronization=getattr(tf.VariableSynchronization, synchronization),
        )  # fmt: skip

    def step():
        number = tf.distribute.get_replica_context().replica_id_in_sync_group
        which = tf.cast(number, tf.float32)
        assign_moving_average(average, [1 + which, 2 + 4 * which], 0.5, zero_debias=False)

    for _ in range(2):
        strategy.run(tf.function(step))
    found = [each.numpy().tolist() for each in strategy.experimental_local_results(average)]
    assert found == [[2.375, 4.25]] * 2
