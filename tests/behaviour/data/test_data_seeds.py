"""Random operations with a seed in functions of datasets; the numbers are TensorFlow 2.21's."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf
import emplace.v1 as tf1

D = tf.data.Dataset


def draw(x):
    return tf.random.uniform([], 0, 1000, tf.int32, seed=7)


NUMBERS = [687, 231, 225, 596, 466, 447]


def numbers(dataset):
    return [int(x) for x in dataset]


PASSES = {
    "map": lambda: D.range(3).map(draw),
    "calls": lambda: D.range(3).map(lambda x: tf.function(draw)(x)),
    "branches": lambda: D.range(3).map(lambda x: tf.cond(x < 5, lambda: draw(x), lambda: 0)),
    "scan": lambda: D.range(3).scan(0, lambda state, x: (state, draw(x))),
    "batches": lambda: D.range(3).map(draw).batch(3).unbatch(),
    "threads": lambda: D.range(3).map(draw, num_parallel_calls=1),
    "inner": lambda: D.range(1).flat_map(lambda x: D.range(3).map(draw)),
}


@pytest.mark.parametrize("name", PASSES)
def test_each_pass_draws_the_same_numbers_anew(name):
    dataset = PASSES[name]()
    assert [numbers(dataset) for _ in range(2)] == [NUMBERS[:3]] * 2


def test_repetitions_of_one_pass_go_on_drawing():
    dataset = D.range(3).map(draw).repeat(2)
    assert [numbers(dataset) for _ in range(2)] == [NUMBERS] * 2


def test_filters_and_reductions_draw_anew_as_well():
    chosen = D.range(6).filter(lambda x: draw(x) < 500)
    assert [numbers(chosen) for _ in range(2)] == [[1, 2, 4, 5]] * 2
    last = [int(D.range(3).reduce(0, lambda state, x: draw(x))) for _ in range(2)]
    assert last == [NUMBERS[2]] * 2


def test_a_loop_of_a_function_is_a_pass():
    @tf.function
    def last(dataset):
        found = tf.constant(0)
        for x in dataset:
            found = x
        return found

    dataset = D.range(3).map(draw)
    assert [int(last(dataset)) for _ in range(2)] == [NUMBERS[2]] * 2


def test_an_iterator_of_a_session_draws_anew_when_it_is_initialized():
    with tf1.Graph().as_default(), tf1.Session() as session:
        iterator = tf1.data.make_initializable_iterator(tf1.data.Dataset.range(3).map(draw))
        following = iterator.get_next()
        for _ in range(2):
            session.run(iterator.initializer)
            assert [int(session.run(following)) for _ in range(3)] == NUMBERS[:3]
