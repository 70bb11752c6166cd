"""Going back over a tape: which sources get gradients, and on which device that happens."""

from __future__ import annotations

import pytest

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
