"""Second derivatives of variances: TensorFlow's `moments` stop gradients at the mean, which changes
nothing but these; its `reduce_variance` and weighted moments do not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import emplace.tensorflow as tf

X = [1.0, 2.0, 4.0]
THIRD = 2 / 3
# As TensorFlow 2.21 answers.
HESSIANS: dict[str, tuple[Callable[[tf.Tensor], tf.Tensor], list[list[float]]]] = {
    "moments": (
        lambda x: tf.nn.moments(x, [0])[1], [[THIRD, 0, 0], [0, THIRD, 0], [0, 0, THIRD]]
    ),
    "reduce_variance": (
        tf.math.reduce_variance,
        [[4 / 9, -2 / 9, -2 / 9], [-2 / 9, 4 / 9, -2 / 9], [-2 / 9, -2 / 9, 4 / 9]],
    ),
    "weighted_moments": (
        lambda x: tf.nn.weighted_moments(x, [0], tf.constant([1.0, 2.0, 1.0]))[1],
        [[0.375, -0.25, -0.125], [-0.25, 0.5, -0.25], [-0.125, -0.25, 0.375]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("is_traced", [False, True])
@pytest.mark.parametrize("name", HESSIANS)
def test_second_derivatives_are_tensorflows(name: str, is_traced: bool) -> None:
    variance, hessian = HESSIANS[name]

    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = variance(x)
            slope = tape.gradient(y, x)
        return outer.jacobian(slope, x)

    found = (tf.function(second) if is_traced else second)(tf.constant(X))
    np.testing.assert_allclose(found, hessian, rtol=1e-5, atol=1e-6)
