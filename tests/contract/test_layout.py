"""A network of NHWC images runs from end to end, and back, without a copy that only changes the
layout: torch's kernels see channels_last through views.

Torch's own records of what its kernels do are searched, not only what Emplace calls: a kernel that
wants another layout would copy its input silently.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.profiler import ProfilerActivity, profile

import emplace.tensorflow as tf

pytestmark = pytest.mark.gpus(0)

COPIES = {"aten::copy_", "aten::clone", "aten::contiguous", "aten::_to_copy"}
RANDOM = np.random.default_rng(5)
# Filters are small and laid out otherwise by torch: copies of those do not count.
LEAST = 4096


def images(*shape: int) -> Any:
    return tf.constant(RANDOM.standard_normal(shape).astype(np.float32))


def copied(f: Callable[[], Any]) -> list[str]:
    """The copies of four- and five-dimensional values that f makes."""
    f()
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as seen:
        f()
    return [
        f"{event.name} {event.input_shapes[0]}"
        for event in seen.events()
        if event.name in COPIES and event.input_shapes and is_image(event.input_shapes[0])
    ]


def is_image(shape: Any) -> bool:
    return len(shape) >= 4 and int(np.prod(shape)) >= LEAST


def gradients(f: Callable[..., Any], *inputs: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        result = f(*inputs)
    return tape.gradient(result, inputs)


def network(x: Any, filter: Any, deep: Any, dense: Any) -> Any:
    channels = tf.ones([16])
    x = tf.nn.conv2d(x, filter, 1, "SAME")
    x = tf.nn.bias_add(x, channels)
    x = tf.nn.relu(x)
    x = tf.nn.max_pool2d(x, 3, 2, "SAME")
    x = tf.nn.lrn(x, 4, 1.0, 0.001, 0.75)
    x = tf.compat.v1.nn.fused_batch_norm(x, channels, channels)[0]
    x = tf.nn.depthwise_conv2d(x, deep, [1, 1, 1, 1], "SAME")
    x = tf.nn.avg_pool2d(x, 2, 2, "SAME")
    return tf.matmul(tf.reshape(x, [8, -1]), dense)


def test_a_network_goes_forward_and_back_without_a_copy_of_its_images() -> None:
    inputs = (
        images(8, 32, 32, 16), images(3, 3, 16, 16), images(3, 3, 16, 1), images(8 * 8 * 16, 10)
    )  # fmt: skip
    assert copied(lambda: gradients(network, *inputs)) == []


LAYERS: dict[str, Callable[[Any], Any]] = {
    "conv2d": lambda x: tf.nn.conv2d(x, np.ones([3, 3, 16, 16], np.float32), 1, "SAME"),
    "strided": lambda x: tf.nn.conv2d(x, np.ones([3, 3, 16, 16], np.float32), 2, "VALID"),
    "dilated": lambda x: tf.nn.conv2d(
        x, np.ones([3, 3, 16, 16], np.float32), 1, "SAME", dilations=2
    ),
    "1 x 1": lambda x: tf.nn.conv2d(x, np.ones([1, 1, 16, 16], np.float32), 1, "SAME"),
    "transposed": lambda x: tf.nn.conv2d_transpose(
        x, np.ones([3, 3, 16, 16], np.float32), [8, 16, 16, 16], 1
    ),
    "depthwise": lambda x: tf.nn.depthwise_conv2d(
        x, np.ones([3, 3, 16, 2], np.float32), [1, 1, 1, 1], "SAME"
    ),
    "separable": lambda x: tf.nn.separable_conv2d(
        x, np.ones([3, 3, 16, 1], np.float32), np.ones([1, 1, 16, 16], np.float32),
        [1, 1, 1, 1], "SAME",
    ),
    "max_pool": lambda x: tf.nn.max_pool2d(x, 2, 2, "SAME"),
    "avg_pool": lambda x: tf.nn.avg_pool2d(x, 3, 2, "SAME"),
    "lrn": tf.nn.lrn,
    "bias_add": lambda x: tf.nn.bias_add(x, np.ones([16], np.float32)),
    "fused batch norm": lambda x: tf.compat.v1.nn.fused_batch_norm(
        x, np.ones([16], np.float32), np.ones([16], np.float32)
    )[0],
    "moments": lambda x: tf.nn.moments(x, [0, 1, 2])[1],
    "softmax": tf.nn.softmax,
}  # fmt: skip


@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS.keys())
def test_a_layer_copies_no_images(layer: Callable[[Any], Any]) -> None:
    x = images(8, 16, 16, 16)
    assert copied(lambda: gradients(lambda x: tf.reduce_sum(layer(x) * 2.0), x)) == []


@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS.keys())
def test_what_a_layer_returns_lies_in_order(layer: Callable[[Any], Any]) -> None:
    """So that NumPy, DLPack and the next reshape need no copy either."""
    y = layer(images(8, 16, 16, 16))
    value = torch.from_dlpack(y)
    assert value.is_contiguous()


def test_a_copy_would_be_seen() -> None:
    x = images(8, 16, 16, 16)
    assert copied(lambda: tf.reshape(tf.transpose(x, [0, 3, 1, 2]), [8, -1])) != []
