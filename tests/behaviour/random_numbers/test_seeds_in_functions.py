"""Seeds and bounds that a graph computes give the numbers of eager mode."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf

r = tf.random

DRAWS = {
    "uniform": lambda s: r.stateless_uniform([3], s),
    "integers": lambda s: r.stateless_uniform([3], s, 0, 10, tf.int32),
    "normal": lambda s: r.stateless_normal([3], s),
    "truncated": lambda s: r.stateless_truncated_normal([3], s),
    "gamma": lambda s: r.stateless_gamma([3], s, 2.0),
    "poisson": lambda s: r.stateless_poisson([3], s, 2.0),
    "binomial": lambda s: r.stateless_binomial([3], s, 2.0, 0.5),
    "categorical": lambda s: r.stateless_categorical([[0.1, 0.2]], 3, s),
    "shuffle": lambda s: r.experimental.stateless_shuffle([1, 2, 3, 4], s),
    "fold in": lambda s: r.experimental.stateless_fold_in(s, 3),
    "split": lambda s: r.experimental.stateless_split(s, 2),
    "dropout": lambda s: tf.nn.experimental.stateless_dropout(tf.ones([8]), 0.5, s),
    "flip": lambda s: tf.image.stateless_random_flip_left_right(
        tf.reshape(tf.range(12.0), [2, 2, 3]), s
    ),
    "crop": lambda s: tf.image.stateless_random_crop(
        tf.reshape(tf.range(27.0), [3, 3, 3]), [2, 2, 3], s
    ),
}


@pytest.mark.parametrize("seed", [[1, 2], [-7, 2**31 - 1]])
@pytest.mark.parametrize("name", DRAWS)
def test_a_seed_that_is_an_argument_draws_as_in_eager_mode(name, seed):
    draw = DRAWS[name]
    np.testing.assert_array_equal(tf.function(draw)(tf.constant(seed)), draw(tf.constant(seed)))


def test_a_seed_of_another_shape_is_refused_while_tracing():
    with pytest.raises(ValueError, match=r"seed must have shape \[2\], not \[3\]"):
        tf.function(lambda s: r.stateless_uniform([2], s))(tf.constant([1, 2, 3]))


def test_bounds_that_are_arguments_are_checked_when_the_function_runs():
    draw = tf.function(lambda most: r.stateless_uniform([4], [1, 2], 0, most, tf.int32))
    assert draw(tf.constant(1)).numpy().tolist() == [0, 0, 0, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Need minval < maxval"):
        draw(tf.constant(0))


def test_a_draw_whose_size_only_the_run_knows_sets_aside_what_it_draws():
    def draws(x):
        return tf.nn.dropout(x, 0.5, seed=7), tf.random.normal(tf.shape(x), seed=8)

    def twice(function):
        tf.random.set_seed(1)
        return [np.asarray(y) for _ in range(2) for y in function(tf.ones([2, 30]))]

    unknown = tf.function(draws, input_signature=[tf.TensorSpec([None, None])])
    for one, other in zip(twice(unknown), twice(tf.function(draws)), strict=True):
        np.testing.assert_array_equal(one, other)


def test_gamma_numbers_of_parameters_whose_size_only_the_run_knows():
    def draw(alpha):
        return tf.random.stateless_gamma([2, 3], [1, 2], alpha)

    unknown = tf.function(draw, input_signature=[tf.TensorSpec([None])])
    alpha = tf.constant([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(unknown(alpha), draw(alpha))
