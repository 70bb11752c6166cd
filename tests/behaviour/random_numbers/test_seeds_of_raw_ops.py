"""Raw random ops with seeds go on from call to call, as the public ones do: in eager mode by op and
attributes, in a graph each by itself. The numbers are TensorFlow's.
"""

import numpy as np
import pytest

import emplace.tensorflow as tf

raw = tf.raw_ops
_SEEDS = {"seed": 1, "seed2": 2}
_CLASSES = {"num_true": 1, "num_sampled": 3, "unique": True, "range_max": 100}

_DRAWS = {
    "uniform": lambda: raw.RandomUniform(shape=[2], dtype=tf.float32, **_SEEDS),
    "sampler": lambda: raw.UniformCandidateSampler(
        true_classes=np.array([[1]]), **_CLASSES, **_SEEDS
    )[0],
    "classes": lambda: raw.Multinomial(logits=[[1.0] * 4], num_samples=5, **_SEEDS),
    "order": lambda: raw.RandomShuffle(value=np.arange(10), **_SEEDS),
    "integers": lambda: raw.RandomUniformInt(
        shape=[4], minval=0, maxval=tf.constant(1000), **_SEEDS
    ),
    "poisson": lambda: raw.RandomPoissonV2(shape=[4], rate=3.0, **_SEEDS),
    "gamma": lambda: raw.RandomGamma(shape=[4], alpha=3.0, **_SEEDS),
}
_ANSWERS = {
    "uniform": ([0.40639675, 0.8575996], [0.6038654, 0.52610815]),
    "sampler": ([39, 66, 87], [44, 64, 85]),
    "classes": ([[1, 1, 1, 1, 3]], [[1, 1, 0, 1, 2]]),
    "order": ([9, 0, 8, 6, 1, 3, 7, 2, 4, 5], [8, 7, 4, 3, 2, 1, 9, 5, 6, 0]),
    "integers": ([999, 915, 302, 509], [779, 330, 249, 665]),
    "poisson": ([2, 2, 5, 3], [1, 2, 2, 2]),
    "gamma": (
        [0.8462446, 1.8540496, 2.8400176, 2.194467], [2.9937944, 1.1744466, 2.6026473, 4.2729545],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", _DRAWS)
def test_eager_draws_go_on(name):
    found = [_DRAWS[name]().numpy() for _ in range(2)]
    np.testing.assert_allclose(found, _ANSWERS[name], rtol=1e-6)


@pytest.mark.parametrize("name", _DRAWS)
def test_draws_of_a_function_go_on(name):
    draw = tf.function(_DRAWS[name])
    found = [draw().numpy() for _ in range(2)]
    np.testing.assert_allclose(found, _ANSWERS[name], rtol=1e-6)


def test_each_draw_of_a_graph_begins_at_its_seeds():
    with tf.Graph().as_default():
        size = tf.compat.v1.placeholder_with_default([2], [1])
        draws = [_DRAWS["uniform"](), _DRAWS["uniform"](),
                 raw.RandomUniform(shape=size, dtype=tf.float32, **_SEEDS)]  # fmt: skip
        for _ in range(2):
            with tf.compat.v1.Session() as session:
                found = [session.run(draws) for _ in range(2)]
            for each, wanted in zip(found, _ANSWERS["uniform"], strict=True):
                np.testing.assert_allclose(each, [wanted] * 3, rtol=1e-6)


def test_a_raw_op_and_a_public_one_of_the_same_seeds_draw_in_turn():
    tf.random.set_seed(1)
    first, second = _ANSWERS["uniform"]
    np.testing.assert_allclose(tf.random.uniform([2], seed=2), first, rtol=1e-6)
    np.testing.assert_allclose(_DRAWS["uniform"](), second, rtol=1e-6)


def test_a_raw_sampler_that_learns_remembers():
    def expected():
        return raw.LearnedUnigramCandidateSampler(
            true_classes=np.array([[3]]), num_true=1, num_sampled=4, unique=False, range_max=5,
            **_SEEDS,
        )[1]  # fmt: skip

    seen = [0.8, 4 * 2 / 6, 4 * 3 / 7]
    np.testing.assert_allclose(np.ravel([expected() for _ in seen]), seen, rtol=1e-6)
    draw = tf.function(expected)
    np.testing.assert_allclose(np.ravel([draw() for _ in seen]), seen, rtol=1e-6)
