"""A `tf.random.Generator` goes on from run to run of a graph, with TensorFlow's numbers."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1
# TensorFlow's: Generator.from_seed(1).normal([2]) three times.
NORMALS = [[0.43842274, -0.53439844], [1.63071764, 0.00784778], [-0.79253083, 0.37646857]]


def test_a_generator_goes_on_from_call_to_call_of_a_function():
    made = []

    @tf.function
    def inside():
        if not made:
            made.append(tf.random.Generator.from_seed(1))
        return made[0].normal([2])

    outside = tf.random.Generator.from_seed(1)
    of_outside = tf.function(lambda: outside.normal([2]))
    for draw in (inside, of_outside):
        found = [draw().numpy().tolist() for _ in range(3)]
        for numbers, expected in zip(found, NORMALS, strict=True):
            assert numbers == pytest.approx(expected, abs=1e-5)
    assert made[0].state.numpy().tolist() == outside.state.numpy().tolist() == [1537, 0, 0]


def test_a_generator_goes_on_in_eager_mode_where_a_function_stopped():
    generator = tf.random.Generator.from_seed(1)
    tf.function(lambda: generator.normal([2]))()
    assert generator.normal([2]).numpy().tolist() == pytest.approx(NORMALS[1], abs=1e-5)


def test_a_generator_takes_shapes_that_only_the_graph_knows():
    generator = tf.random.Generator.from_seed(7)

    @tf.function
    def f(n):
        return generator.normal([n, 2]), generator.uniform([3], 0, 10, tf.int32), generator.skip(5)

    first = [each.numpy().tolist() for each in f(tf.constant(1))]
    # TensorFlow's.
    assert first[0][0] == pytest.approx([-1.3240395, 0.28785667], abs=1e-5)
    assert first[1:] == [[8, 9, 7], [1287, 0, 0]]
    assert f(tf.constant(2))[0].shape == [2, 2]


def test_each_round_of_a_loop_draws_other_numbers():
    generator = tf.random.Generator.from_seed(1)

    @tf.function
    def f():
        total = tf.zeros([2])
        for _ in tf.range(3):
            total += generator.normal([2])
        return total

    expected = [sum(each) for each in zip(*NORMALS, strict=True)]
    assert f().numpy().tolist() == pytest.approx(expected, abs=1e-5)


def test_a_generator_is_reset_by_the_graph():
    generator = tf.random.Generator.from_seed(7)

    @tf.function
    def f(state):
        generator.reset(state)
        return generator.normal([1])

    state = tf.constant([1, 2, 3], tf.int64)
    # TensorFlow's.
    assert [float(f(state)[0]), float(f(state)[0])] == pytest.approx([-0.26016375] * 2, abs=1e-5)


def test_a_generator_of_a_session_goes_on_from_run_to_run():
    with tf.Graph().as_default(), v1.Session() as session:
        numbers = tf.random.Generator.from_seed(1).normal([2])
        session.run(v1.global_variables_initializer())
        found = [session.run(numbers).tolist() for _ in range(3)]
    for each, expected in zip(found, NORMALS, strict=True):
        assert each == pytest.approx(expected, abs=1e-5)
