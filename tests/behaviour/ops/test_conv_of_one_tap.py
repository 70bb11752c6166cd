"""Convolutions whose windows are one tap wide and leave places out.

Torch's gradient of their filter is wrong on processors whose vectors have 8 numbers, for images of
few channels that lie channels last: it is computed of the places that the windows see.
"""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.testing import fresh_runtime

CASES = {
    "few channels": ((4, 8, 8, 2), (1, 1, 2, 3), 2, "SAME", "NHWC"),
    "steps of one axis": ((2, 8, 8, 3), (1, 1, 3, 6), (1, 2), "VALID", "NHWC"),
    "one channel first": ((2, 1, 8, 8), (1, 1, 1, 6), 2, "SAME", "NCHW"),
    "few channels first": ((2, 3, 8, 8), (1, 1, 3, 6), 2, "VALID", "NCHW"),
    "padded on one side": ((2, 7, 7, 3), (1, 1, 3, 6), 2, [[0, 0], [0, 1], [0, 1], [0, 0]], "NHWC"),
    "padded": ((2, 7, 7, 3), (1, 1, 3, 6), 2, [[0, 0], [1, 1], [1, 1], [0, 0]], "NHWC"),
    "groups": ((2, 8, 8, 6), (1, 1, 3, 4), 2, "SAME", "NHWC"),
}


def _slopes(dtype: str, name: str) -> list[np.ndarray]:
    sizes, taps, strides, padding, data_format = CASES[name]
    random = np.random.default_rng(0)
    x, w = (tf.constant(random.normal(size=dims).astype(dtype)) for dims in (sizes, taps))
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = tf.nn.conv2d(x, w, strides, padding, data_format)
        cost = tf.reduce_sum(y * y)
    return [value.numpy() for value in (y, *tape.gradient(cost, [x, w]))]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("gpus", [0, 1])
def test_slopes_are_those_of_float64(gpus: int, name: str):
    with fresh_runtime(gpus, memory="1GB", strict=True) if gpus else fresh_runtime(0):
        for ours, exact in zip(_slopes("f4", name), _slopes("f8", name), strict=True):
            np.testing.assert_allclose(ours, exact, rtol=0, atol=1e-5 * np.abs(exact).max())


def test_slopes_of_volumes_are_those_of_float64():
    def slope(dtype: str) -> np.ndarray:
        random = np.random.default_rng(0)
        x = tf.constant(random.normal(size=(2, 4, 4, 4, 2)).astype(dtype))
        w = tf.constant(random.normal(size=(1, 1, 1, 2, 3)).astype(dtype))
        with tf.GradientTape() as tape:
            tape.watch(w)
            cost = tf.reduce_sum(tf.nn.conv3d(x, w, [1, 2, 2, 2, 1], "SAME") ** 2)
        return tape.gradient(cost, w).numpy()

    for gpus in (0, 1):
        with fresh_runtime(gpus, memory="1GB", strict=True) if gpus else fresh_runtime(0):
            np.testing.assert_allclose(slope("f4"), slope("f8"), rtol=1e-5)
