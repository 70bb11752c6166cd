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


def test_a_generator_is_split_where_a_function_makes_its_variables():
    whole = tf.random.Generator.from_seed(1)
    parts = []

    @tf.function
    def draw():
        if not parts:
            parts.extend(whole.split(2))
        return [part.uniform_full_int([2]) for part in parts]

    # TensorFlow's numbers, which are those of a split in eager mode.
    first, second = draw()
    assert first.numpy().tolist() == [14105575358141838131, 7501156768819264506]
    assert second.numpy().tolist() == [16154636357330829391, 10475803538246721448]
    assert draw()[0].numpy().tolist() == [16713095663270634063, 3230590994178226479]
    assert whole.state.numpy().tolist() == [513, 0, 0]


def test_a_function_that_splits_a_generator_anew_says_that_variables_are_made_once():
    whole = tf.random.Generator.from_seed(1)
    function = tf.function(lambda: [part.normal([2]) for part in whole.split(2)])
    with pytest.raises(ValueError, match=r"singleton tf\.Variables created on the first call"):
        function()


def test_variables_that_begin_with_one_random_number_begin_alike():
    made = []

    @tf.function
    def make():
        drawn = tf.random.normal([3])
        if not made:
            made.extend([tf.Variable(drawn), tf.Variable(drawn * 2.0), tf.Variable(drawn)])
        return drawn

    make()
    first, twice, again = (v.numpy().tolist() for v in made)
    assert first == again
    assert twice == [2.0 * each for each in first]
