"""Going back over a tape: which sources get gradients, and on which device that happens."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import emplace
import emplace.tensorflow as tf


def test_a_value_on_the_way_gets_its_gradient_too() -> None:
    x = tf.Variable([[3.0]])
    with tf.GradientTape() as tape:
        doubled = x * 1.0
        squared = doubled * doubled
        loss = tf.reduce_sum(squared * squared + squared)
    found = tape.gradient(loss, [doubled, squared, x])
    assert [float(grad.numpy().item()) for grad in found] == [114.0, 19.0, 114.0]


def test_a_target_that_another_target_is_made_of_counts_as_both() -> None:
    x = tf.Variable([[3.0]])
    with tf.GradientTape() as tape:
        squared = x * x
        total = tf.reduce_sum(squared)
    found = tape.gradient([total, squared], [squared, x])
    assert [float(grad.numpy().item()) for grad in found] == [2.0, 12.0]


def test_a_source_that_is_the_target_has_gradient_one() -> None:
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
    assert tape.gradient(x, x).numpy().tolist() == [1.0, 1.0]


def test_zeros_like_and_ones_like_pass_no_gradient() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        ones = tf.ones_like(x)
        scaled = ones * x + tf.zeros_like(x)
    assert tape.gradient(ones, x) is None
    assert tape.gradient(scaled, x).numpy().tolist() == [1.0, 1.0]


def test_relu_passes_the_gradient_where_its_input_is_positive() -> None:
    x = tf.constant([-1.0, 0.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.relu(x)
    dy = tf.constant([5.0, 6.0, 7.0])
    assert tape.gradient(y, x, output_gradients=dy).numpy().tolist() == [0, 0, 7]


@pytest.mark.parametrize(
    ("ours", "reference"),
    [
        (tf.reduce_sum, torch.sum),
        (tf.reduce_mean, torch.mean),
        (tf.reduce_max, torch.amax),
        (tf.reduce_min, torch.amin),
    ],
)
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
def test_gradients_of_reductions_equal_torch(ours, reference, axis, keepdims) -> None:
    values = np.array([[[1, 5, 5], [2, 2, 2]], [[0, -1, 7], [7, 7, 3]]], np.float32)
    x = tf.constant(values)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = ours(x, axis=axis, keepdims=keepdims) * 2.0
    expected = torch.tensor(values, requires_grad=True)
    reference(expected, dim=(0, 1, 2) if axis is None else axis, keepdim=keepdims).sum().backward()
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), 2 * expected.grad.numpy())


@pytest.mark.parametrize(
    "dims", [(4,), (1, 4), (4, 1), (), (1, 1), (2, 4, 4), (2, 1, 4), (3, 1, 1)], ids=str
)
def test_the_gradient_of_what_was_stretched_has_its_shape(dims: tuple[int, ...]) -> None:
    square, other = tf.Variable(tf.ones((4, 4))), tf.Variable(tf.ones(dims))
    with tf.GradientTape() as tape:
        total = square * 2.0 + other * 3.0
    grads = tape.gradient(total, [square, other])
    assert [grad.shape for grad in grads] == [square.shape, other.shape]
    count = total.numpy().size
    assert [float(grad.numpy().sum()) for grad in grads] == [2.0 * count, 3.0 * count]


@pytest.mark.gpus(2)
def test_the_gradient_of_a_tower_copies_nothing_to_another_gpu() -> None:
    with tf.device("/GPU:1"):
        w = tf.Variable([[3.0]])
    with tf.GradientTape() as tape, tf.device("/GPU:1"):
        squared = w * w
        loss = tf.reduce_sum(squared * squared + squared)
    with emplace.watch() as watching:
        grad = tape.gradient(loss, w)
    found = watching.report().to_dict()
    assert {each["device"] for each in found["ops"]} == {"GPU:1"}
    assert [each for each in found["copies"] if each["hidden"]] == []
    assert grad.device.endswith("GPU:1")
    assert grad.numpy().tolist() == [[114.0]]


@pytest.mark.gpus(2)
def test_gradients_from_two_gpus_meet_where_their_variable_is() -> None:
    with tf.device("/GPU:1"):
        w = tf.Variable([2.0])
    with tf.GradientTape() as tape:
        with tf.device("/GPU:0"):
            first = w * 3.0
        with tf.device("/GPU:1"):
            second = w * 4.0
    grad = tape.gradient([first, second], w)
    assert grad.device.endswith("GPU:1")
    assert grad.numpy().tolist() == [7.0]


@pytest.mark.gpus(2)
def test_a_device_asked_for_around_gradient_wins() -> None:
    with tf.device("/GPU:1"):
        w = tf.Variable([2.0])
    with tf.GradientTape() as tape:
        loss = w * w
    with tf.device("/GPU:0"):
        grad = tape.gradient(loss, w)
    assert grad.device.endswith("GPU:0")
