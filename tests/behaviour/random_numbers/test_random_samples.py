"""Gamma, Poisson, binomial and bounded normal numbers are TensorFlow's for a seed, and gradients
reach what their distributions depend on. The numbers are TensorFlow 2.21's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

r = tf.random


def bounded(dtype: str, low: float, high: float) -> Any:
    given = (tf.constant(x, dtype) for x in (0.0, 1.0, low, high))
    return r.stateless_parameterized_truncated_normal([4], [3, 4], *given)


SAMPLES: dict[str, tuple[Callable[[], Any], Any]] = {
    "gamma": (
        lambda: r.stateless_gamma([5, 6], [1, 2], [0.1, 0.5, 1.0, 2.5, 10.0, 300.0])[:2],
        [[0.0, 0.87207, 0.61473, 3.81646, 8.96719, 291.14487],
         [0.01821, 0.82855, 0.41601, 3.53137, 9.92871, 299.85464]],
    ),
    "gamma with rates": (
        lambda: r.stateless_gamma([4, 3, 2], [1, 2], [0.5, 2.5], [[0.5], [2.0], [3.0]])[:1],
        [[[0.13391, 5.67371], [0.85669, 2.07879], [0.23114, 0.61487]]],
    ),
    "gamma near 0": (lambda: r.stateless_gamma([2], [1, 2], 1e-4), [1.1754944e-38] * 2),
    "poisson": (
        lambda: r.stateless_poisson([6, 5], [5, 6], [0.0, 1.0, 5.5, 12.0, 300.0], "float32")[:2],
        [[0.0, 1.0, 7.0, 4.0, 318.0], [0.0, 1.0, 7.0, 13.0, 315.0]],
    ),
    "binomial": (
        lambda: r.stateless_binomial([6, 5], [5, 6], [10.0, 100.0, 1000.0, 20.0, 7.0],
                                     [0.5, 0.3, 0.9, 0.0, 1.0])[:2],
        [[3, 38, 905, 0, 7], [8, 28, 901, 0, 7]],
    ),
    "bounded, of normal numbers": (
        lambda: r.stateless_parameterized_truncated_normal([3], [3, 4], 1.0, 2.0, -5.0, 9.0),
        [0.65213, 4.34471, 1.69634],
    ),
    "bounded, of uniform numbers": (
        lambda: r.stateless_parameterized_truncated_normal([7, 3], [3, 4], [0.0, 1.0, 2.0], 1.0,
                                                           2.5, 2.75)[:2],
        [[2.56082, 2.68059, 2.53523], [2.61698, 2.59009, 2.57756]],
    ),
    "above an end": (lambda: bounded("float32", 3.0, np.inf), [3.42798, 3.45787, 3.07762, 3.00583]),
    "below an end": (
        lambda: bounded("float64", -np.inf, -2.0), [-2.02286, -2.68602, -2.02721, -2.71129]
    ),
    "above an end, in float16": (
        lambda: bounded("float16", 3.0, np.inf), [3.12695, 3.24609, 3.06445, 3.0332]
    ),
}  # fmt: skip


@pytest.mark.parametrize("run", [lambda f: f(), lambda f: tf.function(f)()])
@pytest.mark.parametrize("name", SAMPLES)
def test_numbers_of_a_seed_are_those_of_tensorflow(name: str, run: Any) -> None:
    make, expected = SAMPLES[name]
    np.testing.assert_allclose(run(make), expected, rtol=1e-4, atol=1e-5)


def test_stateful_numbers_of_a_seed_are_those_of_tensorflow() -> None:
    r.set_seed(7)
    np.testing.assert_allclose(
        [r.gamma([3], [0.5, 2.0], seed=3), r.gamma([3], [0.5, 2.0], seed=3)],
        [[[0.10705, 2.57204], [1.18534, 1.92764], [0.00561, 2.42687]],
         [[1.61552, 1.20943], [0.35584, 1.17591], [0.07051, 0.92644]]], atol=1e-5,
    )  # fmt: skip
    assert r.poisson([3], [0.5, 20.0], seed=3).numpy().tolist() == [[0, 15], [1, 24], [0, 14]]
    assert r.poisson([3], [0.5, 20.0], seed=3).numpy().tolist() == [[0, 20], [0, 20], [0, 17]]


def test_a_generator_goes_on_behind_binomial_numbers_as_tensorflow_does() -> None:
    generator = r.Generator.from_seed(5)
    given = [20.0, 30.0, 400.0, 7.0], [0.1, 0.5, 0.6, 0.9]
    assert generator.binomial([4], *given).numpy().tolist() == [2, 19, 239, 6]
    assert generator.binomial([4], *given).numpy().tolist() == [2, 16, 233, 7]
    np.testing.assert_allclose(generator.normal([2]), [0.62182, -0.12504], atol=1e-5)


@pytest.mark.parametrize(
    "make",
    [
        lambda: r.stateless_gamma([3, 2], [1, 2], tf.ones([1])),
        lambda: r.stateless_poisson([3, 2], [1, 2], tf.ones([3])),
        lambda: r.stateless_binomial([3, 2], [1, 2], tf.ones([1]), tf.ones([1])),
        lambda: r.stateless_parameterized_truncated_normal([3, 2], [1, 2], tf.ones([1])),
    ],
)
def test_a_shape_must_end_with_that_of_the_parameters(make: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must end with broadcasted shape"):
        make()


@pytest.mark.parametrize("ends", [(0.0, -1.0), (0.0, 1.0, 2.0, 1.0), (0.0, 1.0, -np.inf, np.inf)])
def test_normal_numbers_between_ends_that_are_none_are_refused(ends: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid parameters"):
        r.stateless_parameterized_truncated_normal([3], [1, 2], *ends)


def gradients(make: Callable[..., Any], *given: Any) -> list[Any]:
    tensors = [tf.constant(x) for x in given]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = make(*tensors)
    return [grad.numpy().ravel().tolist() for grad in tape.gradient(y, tensors)]


GRADIENTS: dict[str, tuple[Callable[[], Any], Any]] = {
    "stateless gamma": (
        lambda: gradients(lambda a, b: r.stateless_gamma([5, 2, 2], [1, 2], a, b),
                          [0.5, 2.0], [[1.0], [3.0]]),
        [[5.653, 7.982], [-12.39, -2.168]],
    ),
    "bounded normal": (
        lambda: gradients(lambda *x: r.stateless_parameterized_truncated_normal([6, 2, 3], [1, 2],
                                                                                *x),
                          [0.0, 1.0, 2.0], [[1.0], [2.0]], -1.0, 1.0),
        [[12.0, 12.0, 12.0], [-12.85, -8.31], [10.21], [20.49]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_reach_the_parameters_of_random_numbers(name: str) -> None:
    make, expected = GRADIENTS[name]
    for found, told in zip(make(), expected, strict=True):
        np.testing.assert_allclose(found, told, rtol=1e-3)


def test_gradients_reach_the_parameters_of_stateful_gamma_numbers() -> None:
    alpha = tf.constant([0.5, 20.0])
    with tf.GradientTape() as tape:
        tape.watch(alpha)
        y = r.gamma([4], alpha, seed=3)
    slopes = tf.raw_ops.RandomGammaGrad(alpha=tf.broadcast_to(alpha, [4, 2]), sample=y)
    np.testing.assert_allclose(tape.gradient(y, alpha), tf.reduce_sum(slopes, 0), rtol=1e-6)


def test_gradients_of_gamma_numbers_stay_right_for_large_alphas() -> None:
    """A gamma number is about alpha + sqrt(alpha) times a normal one."""
    alpha = tf.constant([1e4, 1e6], tf.float64)
    sample = alpha + 0.5 * tf.sqrt(alpha)
    slope = tf.raw_ops.RandomGammaGrad(alpha=alpha, sample=sample)
    np.testing.assert_allclose(slope, 1.0 + 0.25 / np.sqrt(alpha), atol=1e-4)


def test_gradients_reach_them_in_functions_of_unknown_shapes() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def slope(alpha: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(alpha)
            y = r.stateless_gamma([3, 2], [1, 2], alpha)
        return tape.gradient(y, alpha)

    alpha = tf.constant([0.5, 2.0])
    direct = gradients(lambda a: r.stateless_gamma([3, 2], [1, 2], a), alpha)
    np.testing.assert_allclose(slope(alpha), direct[0], rtol=1e-6)


def test_gradients_of_those_gradients_are_refused_as_in_tensorflow() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = r.stateless_gamma([], [1, 2], x)
        first = tape.gradient(y, x)
    with pytest.raises(LookupError, match="gradient registry has no entry for: RandomGammaGrad"):
        outer.gradient(first, x)
