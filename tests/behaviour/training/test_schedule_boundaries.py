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
