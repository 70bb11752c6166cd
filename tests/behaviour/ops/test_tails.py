"""Functions where they are nearly 0 or nearly 1: float32 has the digits that float64 has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "gelu": tf.nn.gelu,
    "erf": tf.math.erf,
    "erfc": tf.math.erfc,
    "log_sigmoid": tf.math.log_sigmoid,
    "softplus": tf.nn.softplus,
    "expm1": tf.math.expm1,
    "log1p": lambda x: tf.math.log1p(tf.exp(x)),
    "silu": tf.nn.silu,
    "ndtri": lambda x: tf.math.ndtri(tf.exp(-tf.abs(x))),
    "loss of ones": lambda x: tf.nn.sigmoid_cross_entropy_with_logits(tf.ones_like(x), x),
    "loss of zeros": lambda x: tf.nn.sigmoid_cross_entropy_with_logits(tf.zeros_like(x), x),
    "weighted loss": lambda x: tf.nn.weighted_cross_entropy_with_logits(tf.ones_like(x), x, 2.0),
}


def value_and_gradient(function: Callable[[Any], Any], x: np.ndarray) -> list[np.ndarray]:
    tensor = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(tensor)
        y = function(tensor)
    return [y.numpy(), tape.gradient(y, tensor).numpy()]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_float32_has_the_digits_of_float64_in_the_tails(name: str) -> None:
    x = np.linspace(-12.0, 12.0, 49).astype(np.float32)
    found = value_and_gradient(FUNCTIONS[name], x)
    expected = value_and_gradient(FUNCTIONS[name], x.astype(np.float64))
    for ours, true in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, true, rtol=5e-5, atol=1e-37)


def test_gelu_of_minus_five_has_all_digits() -> None:  # TensorFlow: -1.4332578e-06
    assert float(tf.nn.gelu(-5.0)) == pytest.approx(-1.4332579e-06, rel=1e-6)
    small = tf.nn.gelu(tf.constant([-5.0, -2.0, 1.0], tf.float16))
    assert small.numpy().tolist() == [-1.430511474609375e-06, -0.045501708984375, 0.84130859375]


def test_second_derivatives_of_a_sigmoid_loss() -> None:
    x = tf.constant([-3.0, 0.0, 4.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.sigmoid_cross_entropy_with_logits(tf.constant([1.0, 0.0, 0.5]), x)
        first = tape.gradient(y, x)
    slope = tf.sigmoid(x) * tf.sigmoid(-x)
    np.testing.assert_allclose(outer.gradient(first, x), slope, rtol=1e-6)


def test_the_sign_of_complex_numbers_turns_with_them() -> None:  # TensorFlow's numbers
    z = tf.constant(np.array([1 + 2j, 0, -3j, 2, -1 + 1j]))
    weights = tf.constant(np.array([1, 2j, 1 - 1j, 2 + 1j, 1j]))
    with tf.GradientTape() as outer:
        outer.watch(z)
        with tf.GradientTape() as tape:
            tape.watch(z)
            y = tf.sign(z)
        first = tape.gradient(y, z, output_gradients=weights)
    expected = [0.35777088 - 0.17888544j, 0, 1 / 3, 0.5j, 0.35355339 + 0.35355339j]
    np.testing.assert_allclose(first, expected, rtol=1e-7)
    second = [-0.21466253 - 0.07155418j, 0, -1 / 9 + 1j / 9, -0.25j, 0.1767767 - 0.1767767j]
    np.testing.assert_allclose(outer.gradient(first, z), second, rtol=1e-6)
