"""Boundaries of learning rates that are constant between them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

train = tf.compat.v1.train
RATES = [1.0, 0.5, 0.1]


@pytest.mark.parametrize(
    ("step", "boundaries", "text"),
    [
        (5, [3.0, 10.0], "'float32'.* must have the same dtype as x .*'int32'"),
        (5.0, [3, 10], "'int32'.* must have the same dtype as x .*'float32'"),
        (5, [np.int64(3), np.int64(10)], "'int64'.* must have the same dtype as x .*'int32'"),
    ],
)
def test_boundaries_have_the_dtype_of_the_step(step: Any, boundaries: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        _rate(step, boundaries)


def test_boundaries_of_int32_are_taken_for_steps_of_int64() -> None:
    assert _rate(tf.constant(5, tf.int64), [3, 10]) == 0.5
    assert _rate(11.0, [3.0, 10.0]) == pytest.approx(0.1)


def _rate(step: Any, boundaries: Any) -> float:
    rate = train.piecewise_constant(step, boundaries, RATES)
    return float(rate() if callable(rate) else rate)


def test_rates_that_are_constant_in_between_have_one_dtype() -> None:
    with pytest.raises(ValueError, match=r"all with the same dtype .*'float64'.* vs .*'float32'"):
        train.piecewise_constant(5, [3], [tf.constant(1.0, tf.float64), 2.0])


def test_eager_mode_refuses_wrong_boundaries_at_once() -> None:
    with pytest.raises(ValueError, match="boundaries should be 1 less than the length of values"):
        train.piecewise_constant(5, [3, 4], [1.0, 2.0])


def noisy(step: int, **more: Any) -> float:
    return float(train.noisy_linear_cosine_decay(0.1, step, 10, **more)())


def test_a_noisy_rate_without_noise_is_a_line_times_a_cosine() -> None:
    rates = [noisy(step, initial_variance=0.0) for step in (0, 1, 5, 9, 25)]
    # TensorFlow 2.21's
    assert rates == pytest.approx([0.1001, 0.087898, 0.0251, 0.00034472, 0.0001], rel=1e-4)


def test_the_noise_of_a_rate_fades_with_the_steps() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        rates = [
            train.noisy_linear_cosine_decay(1.0, step, 10**6, variance_decay=1.0)
            for step in (0, 9999)
        ]
        found = np.array([session.run(rates) for _ in range(300)])
    assert found.std(0) == pytest.approx([1.0, 0.01], rel=0.2)
    assert found.mean(0) == pytest.approx([1.0, 0.99], abs=0.2)
