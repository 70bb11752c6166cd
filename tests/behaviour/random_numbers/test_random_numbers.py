"""Random numbers: distributions that are not TensorFlow's number for number, and devices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
import emplace.v1 as tf1


def moments(numbers: Any) -> tuple[float, float]:
    wide = numbers.numpy().astype(float)
    return float(wide.mean()), float(wide.var())


COUNT = 20000


@pytest.mark.parametrize(("alpha", "beta"), [(0.3, 1.0), (2.0, 0.5), (30.0, 3.0)])
def test_gamma_numbers_have_the_mean_and_variance_of_the_distribution(
    alpha: float, beta: float
) -> None:
    mean, variance = moments(tf.random.stateless_gamma([COUNT], [1, 2], alpha, beta))
    assert mean == pytest.approx(alpha / beta, rel=0.05)
    assert variance == pytest.approx(alpha / beta**2, rel=0.1)


@pytest.mark.parametrize("lam", [0.2, 3.0, 60.0])
def test_poisson_numbers_have_the_mean_and_variance_of_the_distribution(lam: float) -> None:
    mean, variance = moments(tf.random.stateless_poisson([COUNT], [1, 2], lam))
    assert mean == pytest.approx(lam, rel=0.05)
    assert variance == pytest.approx(lam, rel=0.1)


@pytest.mark.parametrize(("counts", "probs"), [(10.0, 0.3), (1000.0, 0.9)])
def test_binomial_numbers_have_the_mean_and_variance_of_the_distribution(
    counts: float, probs: float
) -> None:
    mean, variance = moments(tf.random.stateless_binomial([COUNT], [1, 2], counts, probs))
    assert mean == pytest.approx(counts * probs, rel=0.05)
    assert variance == pytest.approx(counts * probs * (1 - probs), rel=0.1)


def test_bounded_normal_numbers_stay_between_their_ends() -> None:
    numbers = tf.random.stateless_parameterized_truncated_normal(
        [COUNT], [1, 2], means=1.0, stddevs=2.0, minvals=0.0, maxvals=4.0
    ).numpy()
    assert numbers.min() >= 0.0
    assert numbers.max() <= 4.0
    assert numbers.mean() == pytest.approx(1.7, abs=0.1)


@pytest.mark.parametrize("name", ["gamma", "poisson"])
def test_a_seed_makes_other_distributions_repeatable(name: str) -> None:
    draw = getattr(tf.random, f"stateless_{name}")
    first = draw([50], [1, 2], 3.0).numpy()
    assert np.array_equal(first, draw([50], [1, 2], 3.0).numpy())
    assert not np.array_equal(first, draw([50], [1, 3], 3.0).numpy())


@pytest.mark.gpus(1, memory="64MB")
@pytest.mark.parametrize("device", ["/CPU:0", "/GPU:0"])
def test_a_seed_gives_the_same_numbers_on_every_device(device: str) -> None:
    with tf.device(device):
        tf.random.set_seed(3)
        assert tf.random.uniform([2], maxval=100, dtype=tf.int32, seed=4).numpy().tolist() == [
            *tf.random.Generator.from_key_counter(3, [0, 4], "philox")
            .uniform([2], maxval=100, dtype=tf.int32)
            .numpy()
            .tolist()
        ]


def test_numbers_without_a_seed_differ_from_call_to_call() -> None:
    assert tf.random.normal([8]).numpy().tolist() != tf.random.normal([8]).numpy().tolist()
    assert tf.random.gamma([8], 1.0).numpy().tolist() != tf.random.gamma([8], 1.0).numpy().tolist()


def test_a_generator_goes_on_where_a_copy_of_it_does() -> None:
    one = tf.random.Generator.from_seed(1)
    one.normal([3])
    other = tf.random.Generator(copy_from=one)
    assert one.normal([3]).numpy().tolist() == other.normal([3]).numpy().tolist()


def test_the_global_generator_can_be_replaced() -> None:
    mine = tf.random.Generator.from_seed(1)
    tf.random.set_global_generator(mine)
    assert tf.random.get_global_generator() is mine


def integer():
    return tf.random.uniform([], 0, 1000, tf.int32)


def test_a_function_draws_tensorflows_numbers_for_the_global_seed():
    tf.random.set_seed(3)
    draw = tf.function(lambda: (integer(), integer()))
    assert [int(x) for x in (*draw(), *draw())] == [551, 149, 134, 718]
    other = tf.function(lambda: (tf.constant(1), integer()))  # every graph counts from 0
    assert int(other()[1]) == 551


def test_branches_and_functions_of_datasets_count_seeds_of_their_own():
    tf.random.set_seed(3)

    @tf.function
    def draw(x):
        return integer(), tf.cond(x > 0, integer, lambda: 0)

    assert [int(x) for x in draw(tf.constant(1))] == [551, 551]
    numbers = tf.data.Dataset.range(3).map(lambda x: (integer(), integer()))
    assert [int(x) for pair in numbers for x in pair] == [551, 149, 134, 718, 592, 884]


def test_a_graph_of_tf_1_counts_its_random_operations_alone():
    with tf1.Graph().as_default(), tf1.Session() as session:
        tf1.set_random_seed(3)
        tf.constant(1)
        assert session.run([integer(), integer()]) == [551, 149]
