"""Plans do several operations in one call, or in a cheaper order, and compute the same."""

from __future__ import annotations

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf

_RANDOM = np.random.default_rng(0)


def _numbers(*shape):
    return tf.constant(_RANDOM.normal(size=shape).astype("float32"))


def _ops(function, *args):
    """What the plan of a function runs, but for reads of variables."""
    return [step.op for step in emplace.explain(function, *args).steps]


def _check(python, *args):
    """The operations of the plan; the function gives what eager mode gives."""
    function = tf.function(python)
    for made, wanted in zip(
        tf.nest.flatten(function(*args)), tf.nest.flatten(python(*args)), strict=True
    ):
        np.testing.assert_allclose(made.numpy(), wanted.numpy(), rtol=1e-5, atol=1e-5)
    return _ops(function, *args)


X, W, V, B = _numbers(5, 3), _numbers(3, 4), _numbers(3, 4), _numbers(4)
IMAGES, FILTER = _numbers(2, 7, 7, 3), _numbers(3, 3, 3, 4)


def test_a_bias_is_added_within_a_product():
    assert _check(lambda x: tf.matmul(x, W) + B, X) == ["_FusedMatMul"]
    assert _check(lambda x: B + tf.matmul(x, W), X) == ["_FusedMatMul"]
    assert _check(lambda x: tf.nn.bias_add(tf.matmul(x, W), B), X) == ["_FusedMatMul"]


def test_relu_is_taken_in_the_memory_of_a_product():
    assert _check(lambda x: tf.nn.relu(tf.matmul(x, W) + B), X) == ["_FusedMatMul"]


def test_the_second_of_two_products_is_added_to_the_first():
    assert _check(lambda x: tf.matmul(x, W) + tf.matmul(x, V) + B, X) == ["_FusedMatMul"] * 2
    assert _check(lambda x: tf.matmul(x, W) + tf.matmul(x, V), X) == ["MatMul", "_FusedMatMul"]


def test_transposed_factors_stay_transposed():
    found = _check(lambda x: tf.matmul(W, x, transpose_a=True, transpose_b=True) + x[0, 0], X)
    assert "_FusedMatMul" not in found
    bias = _numbers(5)
    assert _check(lambda x: tf.matmul(W, x, transpose_a=True, transpose_b=True) + bias, X) == [
        "_FusedMatMul"
    ]


@pytest.mark.parametrize("shape", [(5, 1), (1, 5, 4), (2, 5, 4)])
def test_what_is_not_a_row_or_as_large_as_the_product_is_added_after_it(shape):
    other = _numbers(*shape)
    assert _check(lambda x: tf.matmul(x, W) + other, X) == ["MatMul", "AddV2"]


def test_a_product_that_is_used_twice_is_left_alone():
    def twice(x):
        product = tf.matmul(x, W)
        return product + B, product

    assert _check(twice, X) == ["MatMul", "AddV2"]


def test_narrow_floats_are_rounded_where_tensorflow_rounds_them():
    x, w, b = (tf.cast(each, tf.float16) for each in (X, W, B))
    assert _check(lambda x: tf.matmul(x, w) + b, x) == ["MatMul", "AddV2"]


@pytest.mark.gpus(1)
def test_products_and_sums_on_different_devices_stay_apart():
    def apart(x):
        with tf.device("GPU:0"):
            product = tf.matmul(x, W)
        with tf.device("CPU:0"):
            return product + B

    assert _check(apart, X) == ["MatMul", "AddV2"]


def test_where_numerics_are_checked_every_operation_runs():
    tf.debugging.enable_check_numerics()
    try:
        assert _check(lambda x: tf.matmul(x, W) + B, X) == ["MatMul", "AddV2"]
    finally:
        tf.debugging.disable_check_numerics()


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("bias", [B, tf.reshape(B, [1, 1, 1, 4])])
def test_a_bias_and_relu_are_taken_within_a_convolution(padding, bias):
    def convolution(x):
        return tf.nn.relu(tf.nn.conv2d(x, FILTER, 2, padding) + bias)

    assert _check(convolution, IMAGES) == ["_FusedConv2D"]


@pytest.mark.parametrize("size", [1, 3])
def test_relu6_is_taken_within_a_convolution(size):
    filter = _numbers(size, size, 3, 4)

    def convolution(x):
        return tf.nn.relu6(tf.nn.conv2d(x, filter, 1, "SAME") * 5.0 + B)

    def biased(x):
        return tf.nn.relu6(tf.nn.conv2d(x, filter * 5.0, 1, "SAME") + B)

    _check(convolution, IMAGES)
    assert _check(biased, IMAGES)[-1] == "_FusedConv2D"
    special = tf.constant([[[[np.nan, 1, 1]], [[np.inf, 1, 1]], [[-np.inf, 1, 1]]]], tf.float32)
    _check(biased, special)


def test_the_gradient_of_relu6_reads_its_result():
    def python(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.relu6(tf.nn.conv2d(x, FILTER, 1, "SAME") + B)
        return y, tape.gradient(y, x)

    assert _check(python, IMAGES)[0] == "_FusedConv2D"


def test_channels_that_come_first_have_their_bias_too():
    x = tf.transpose(IMAGES, [0, 3, 1, 2])

    def convolution(x):
        y = tf.nn.conv2d(x, FILTER, 1, "SAME", data_format="NCHW")
        return tf.nn.bias_add(y, B, data_format="NCHW")

    assert _check(convolution, x) == ["_FusedConv2D"]
    wide = _numbers(7)
    assert _check(lambda x: tf.nn.conv2d(x, FILTER, 1, "SAME", data_format="NCHW") + wide, x) == [
        "Conv2D",
        "AddV2",
    ]


def test_relu_comes_after_the_pool_that_follows_it():
    def pooled(x):
        return tf.nn.max_pool2d(tf.nn.relu(x), 2, 2, "SAME")

    assert _check(pooled, IMAGES) == ["MaxPool", "Relu"]


def test_relu_that_somebody_else_uses_stays_where_it_is():
    def pooled(x):
        y = tf.nn.relu(x)
        return tf.nn.max_pool2d(y, 2, 2, "SAME"), tf.reduce_sum(y)

    assert _check(pooled, IMAGES)[:2] == ["Relu", "MaxPool"]


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("size", [2, 3])
def test_the_gradient_of_relu_comes_before_that_of_the_pool(padding, size):
    bias, filter = tf.Variable(B), tf.Variable(FILTER)

    def gradients(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, filter, 1, "SAME"), bias))
            loss = tf.reduce_sum(tf.nn.max_pool2d(y, size, 2, padding) ** 2)
        return tape.gradient(loss, [x, filter, bias])

    found = _check(gradients, IMAGES)
    assert found.index("MaxPool") < found.index("Relu")
    assert found.index("ReluGrad") < found.index("MaxPoolGradKept")
    assert found.count("ReluGrad") == 1


def test_a_sum_over_images_is_taken_of_the_small_side_of_a_pool():
    bias = tf.Variable(tf.reshape(B, [1, 1, 1, 4]))

    def gradient(x):
        with tf.GradientTape() as tape:
            y = tf.nn.relu(tf.nn.conv2d(x, FILTER, 1, "SAME") + bias)
            loss = tf.reduce_sum(tf.nn.max_pool2d(y, 2, 2, "SAME") ** 2)
        return tape.gradient(loss, bias)

    assert "MaxPoolGradKept" not in _check(gradient, IMAGES)


def test_sums_of_loops_go_into_products():
    def loop(x):
        return tf.while_loop(
            lambda i, _: i < 4, lambda i, sum: (i + 1, sum + tf.matmul(x, W)), [0, tf.zeros([5, 4])]
        )[1]

    assert "_FusedMatMul" in _check(loop, X)


@pytest.mark.gpus(1, memory="64MB")
def test_a_bounded_device_takes_sums_within_products_too():
    assert _check(lambda x: tf.nn.relu(tf.matmul(x, W) + B), X) == ["_FusedMatMul"]


def test_who_watches_sees_every_operation():
    function = tf.function(lambda x: tf.nn.relu(tf.matmul(x, W) + B))
    with emplace.watch():
        found = _ops(function, X)
    assert found == ["MatMul", "AddV2", "Relu"]
