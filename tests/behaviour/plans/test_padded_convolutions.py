"""Zeros around images are part of the convolutions that take them:
graph/passes/padded_convolutions.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf

pytestmark = pytest.mark.not_strict("plans on strict GPUs keep their instrumented form")
_RANDOM = np.random.default_rng(0)
_FRAMES = {
    "even": [[0, 0], [1, 1], [1, 1], [0, 0]],
    "broad": [[0, 0], [3, 3], [2, 2], [0, 0]],
    "uneven": [[0, 0], [0, 1], [0, 1], [0, 0]],
    "one side": [[0, 0], [2, 0], [0, 0], [0, 0]],
}


def _numbers(*shape: int) -> Any:
    return tf.constant(_RANDOM.normal(size=shape).astype("float32"))


def _all(x: Any, filter: Any) -> Any:
    return tf.nn.conv2d(x, filter, 2, "VALID")


def _each(x: Any, filter: Any) -> Any:
    return tf.nn.depthwise_conv2d(x, filter[..., :1], [1, 2, 2, 1], "VALID")


def _plan(python: Any, *args: Any) -> list[str]:
    """The operations of the plan, which gives what eager mode gives."""
    function = tf.function(python)
    for made, wanted in zip(function(*args), python(*args), strict=True):
        assert made.shape == wanted.shape
        np.testing.assert_allclose(made, wanted, rtol=1e-4, atol=1e-4)
    return [step.op for step in emplace.explain(function, *args).steps]


@pytest.mark.parametrize("frame", _FRAMES.values(), ids=_FRAMES)
@pytest.mark.parametrize("convolution", [_all, _each])
def test_nothing_is_padded_by_itself(convolution, frame):
    x, filter = _numbers(4, 16, 17, 8), _numbers(3, 3, 8, 8)

    def python(x, filter):
        with tf.GradientTape() as tape:
            tape.watch([x, filter])
            y = convolution(tf.pad(tf.nn.relu(x), frame), filter)
            loss = tf.reduce_sum(y * y)
        return y, *tape.gradient(loss, [x, filter])

    is_within = convolution is _each or all(before == after for before, after in frame)
    made = _plan(python, x, filter)
    assert made.count("Pad") == made.count("Slice") == int(not is_within)


def test_a_padded_image_that_somebody_else_takes_is_made():
    x, filter = _numbers(2, 8, 8, 8), _numbers(3, 3, 8, 4)

    def python(x, filter):
        padded = tf.pad(x, _FRAMES["even"])
        return tf.nn.conv2d(padded, filter, 1, "VALID"), tf.reduce_max(padded)

    assert "Pad" in _plan(python, x, filter)


@pytest.mark.parametrize(
    "paddings", [[[1, 0], [1, 1], [1, 1], [0, 0]], [[0, 0], [1, 1], [1, 1], [2, 0]]]
)
def test_more_images_and_channels_are_padded_before(paddings):
    x, filter = _numbers(2, 8, 8, 8), _numbers(3, 3, 8 + sum(paddings[3]), 4)

    def python(x, filter):
        return (tf.nn.conv2d(tf.pad(x, paddings), filter, 1, "VALID"),)

    assert "Pad" in _plan(python, x, filter)


def test_a_convolution_that_pads_already_takes_the_padded_image():
    x, filter = _numbers(2, 8, 8, 8), _numbers(3, 3, 8, 4)

    def python(x, filter):
        return (tf.nn.conv2d(tf.pad(x, _FRAMES["even"]), filter, 1, "SAME"),)

    assert "Pad" in _plan(python, x, filter)


def test_an_image_of_few_channels_is_padded_before():
    x, filter = _numbers(2, 8, 8, 3), _numbers(3, 3, 3, 4)

    def python(x, filter):
        with tf.GradientTape() as tape:
            tape.watch([x, filter])
            y = tf.nn.conv2d(tf.pad(x, _FRAMES["even"]), filter, 1, "VALID")
        return y, *tape.gradient(y, [x, filter])

    made = _plan(python, x, filter)
    assert made.count("Pad") == made.count("Slice") == 1


def test_other_numbers_than_zeros_are_padded_before():
    x, filter = _numbers(2, 8, 8, 8), _numbers(3, 3, 8, 4)

    def python(x, filter):
        padded = tf.pad(x, _FRAMES["even"], constant_values=1.0)
        return (tf.nn.conv2d(padded, filter, 1, "VALID"),)

    assert "PadV2" in _plan(python, x, filter)


def test_a_part_of_a_gradient_that_is_none_of_a_frame():
    x, filter = _numbers(2, 8, 8, 8), _numbers(3, 3, 8, 4)

    def python(x, filter):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.conv2d(x, filter, 1, "VALID")
        gradient = tape.gradient(y, x)
        return tf.slice(gradient, [1, 0, 0, 0], [1, 8, 8, 8]), tf.reduce_sum(gradient)

    assert "Slice" in _plan(python, x, filter)


def test_a_shape_that_is_known_when_it_runs():
    filter = _numbers(3, 3, 8, 4)

    @tf.function(input_signature=[tf.TensorSpec([None, None, None, 8])])
    def function(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.conv2d(tf.pad(x, _FRAMES["even"]), filter, 2, "VALID")
        return y, tape.gradient(y, x)

    for size in (8, 9):
        x = _numbers(2, size, size + 2, 8)
        for made, wanted in zip(function(x), function.python_function(x), strict=True):
            np.testing.assert_allclose(made, wanted, rtol=1e-4, atol=1e-4)


def test_nothing_is_joined_without_fusion(monkeypatch):
    monkeypatch.setenv("EMPLACE_FUSE", "0")
    x, filter = _numbers(2, 8, 8, 8), _numbers(3, 3, 8, 4)

    def python(x, filter):
        return (tf.nn.conv2d(tf.pad(x, _FRAMES["even"]), filter, 1, "VALID"),)

    assert "Pad" in _plan(python, x, filter)
