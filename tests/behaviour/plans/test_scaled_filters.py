"""Factors of channels go into filters: graph/passes/scaled_filters.py."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf
from emplace.graph.passes import scaled_filters

_RANDOM = np.random.default_rng(0)


def _numbers(*shape: int) -> np.ndarray:
    return _RANDOM.normal(size=shape).astype("float32")


X = tf.constant(_numbers(2, 9, 8, 3))


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaled_filters, "LEAST_NUMBERS", 1)


class _Layer:
    """A convolution, a bias and batch normalization with statistics that are kept."""

    def __init__(self, has_bias: bool = True) -> None:
        self.filter = tf.Variable(_numbers(3, 3, 3, 5))
        self.bias = tf.Variable(_numbers(5)) if has_bias else None
        self.mean, self.offset, self.scale = (tf.Variable(_numbers(5)) for _ in range(3))
        self.variance = tf.Variable(np.abs(_numbers(5)) + 0.5)

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        y = tf.nn.conv2d(x, self.filter, 1, "SAME")
        if self.bias is not None:
            y = tf.nn.bias_add(y, self.bias)
        kept = self.mean, self.variance, self.offset, self.scale
        return tf.nn.relu(tf.nn.batch_normalization(y, *kept, 1e-3))


def _is_part_of_convolution(function: object) -> bool:
    """Whether nothing of the image's size is computed but the convolution."""
    plan = emplace.explain(function, X)
    names = [step.op for step in plan.steps]
    return "_FusedConv2D" in names and "Relu" not in names and names[-1] == "_FusedConv2D"


@pytest.mark.parametrize("has_bias", [False, True])
def test_batch_normalization_of_a_prediction_is_part_of_the_convolution(has_bias: bool):
    layer = _Layer(has_bias)
    function = tf.function(layer.__call__)
    np.testing.assert_allclose(function(X), layer(X), rtol=1e-4, atol=1e-5)
    assert _is_part_of_convolution(function)


def test_a_changed_variable_is_seen_by_the_next_call():
    layer = _Layer()
    function = tf.function(layer.__call__)
    function(X)
    for variable in (layer.filter, layer.bias, layer.scale, layer.mean, layer.variance):
        before = function(X).numpy()
        variable.assign(variable * 2.0)
        after = function(X).numpy()
        assert np.abs(before - after).max() > 1e-3
        np.testing.assert_allclose(after, layer(X), rtol=1e-4, atol=1e-5)
    thread = threading.Thread(target=lambda: layer.scale.assign_add(tf.ones(5)))
    thread.start()
    thread.join()
    np.testing.assert_allclose(function(X), layer(X), rtol=1e-4, atol=1e-5)


def test_a_variable_that_changes_within_the_function_is_read_before_and_after():
    layer = _Layer()

    def python(x):
        first = layer(x)
        layer.scale.assign(layer.scale * 3.0)
        return first, layer(x)

    wanted = python(X)
    layer.scale.assign(layer.scale / 3.0)
    for made, each in zip(tf.function(python)(X), wanted, strict=True):
        np.testing.assert_allclose(made, each, rtol=1e-4, atol=1e-5)


def test_factors_found_from_the_result_itself_stay_apart():
    filter = tf.Variable(_numbers(3, 3, 3, 5))

    def python(x):
        y = tf.nn.conv2d(x, filter, 1, "SAME")
        return y * tf.reduce_mean(y, [0, 1, 2])

    function = tf.function(python)
    np.testing.assert_allclose(function(X), python(X), rtol=1e-5, atol=1e-5)
    assert [s.op for s in emplace.explain(function, X).steps].count("Conv2D") == 1


def test_gradients_are_those_of_the_unscaled_form():
    layer = _Layer()
    variables = [layer.filter, layer.bias, layer.scale, layer.mean, layer.variance]

    def python(x):
        with tf.GradientTape() as tape:
            y = layer(x)
            loss = tf.reduce_sum(tf.sin(y))
        return y, *tape.gradient(loss, variables)

    for made, wanted in zip(tf.function(python)(X), python(X), strict=True):
        np.testing.assert_allclose(made, wanted, rtol=1e-3, atol=1e-3)


def test_a_value_that_is_returned_is_what_the_program_says():
    filter = tf.Variable(_numbers(3, 3, 3, 5))
    row = tf.Variable(_numbers(5))

    def python(x):
        y = tf.nn.conv2d(x, filter, 1, "SAME")
        return y, y * row, tf.nn.conv2d(x, filter, 1, "VALID") * row + tf.reshape(row, [1, 1, 5])

    for made, wanted in zip(tf.function(python)(X), python(X), strict=True):
        np.testing.assert_allclose(made, wanted, rtol=1e-4, atol=1e-5)


def test_a_switch_turns_it_off(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EMPLACE_FUSE", "0")
    function = tf.function(_Layer().__call__)
    assert not _is_part_of_convolution(function)


def test_a_filter_larger_than_its_result_is_left_alone():
    filter, row = tf.Variable(_numbers(8, 8, 3, 64)), tf.Variable(_numbers(64))
    function = tf.function(lambda x: tf.nn.conv2d(x, filter, 8, "SAME") * row + row)
    function(X)
    assert "Mul" in [step.op for step in emplace.explain(function, X).steps]


def test_what_is_added_after_a_scaled_filter_is_one_pass_with_what_follows():
    """The end of a residual block: the shift of the channels, the block's input, Relu."""
    x = tf.constant(_numbers(4, 24, 24, 64) * 2)
    filter, shift = tf.Variable(_numbers(1, 1, 64, 128)), tf.Variable(_numbers(128))
    scale, passed = tf.Variable(_numbers(128)), tf.constant(_numbers(4, 24, 24, 128))

    @tf.function
    def block(x):
        y = tf.nn.bias_add(tf.nn.conv2d(x, filter, 1, "SAME"), scale)
        return tf.nn.relu(passed + (y * scale + shift))

    names = [step.op for step in emplace.explain(block, x).steps]
    # Where a convolution of one tap is a product of our own machine code, it adds the shift itself.
    convolution = next(i for i, name in enumerate(names) if name.endswith("Conv2D"))
    assert names[convolution + 1 :].count("AddV2") == 0
    assert names[-1] == "_FusedMap"
    y = tf.nn.conv2d(x, filter, 1, "SAME") + scale
    expected = np.maximum(passed + (y * scale + shift), 0)
    np.testing.assert_allclose(block(x), expected, rtol=1e-4, atol=1e-4)
