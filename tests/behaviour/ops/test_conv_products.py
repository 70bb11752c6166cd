"""Convolutions that are computed as products of matrices: ops/nn/conv_products.py."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf
from emplace.ops.nn import conv_plan

SAME_AND_VALID = ("SAME", "VALID", [[0, 0], [2, 1], [0, 1], [0, 0]])
HOWS = [
    (window, stride, dilation, padding)
    for window, (stride, dilation), padding in itertools.product(
        ((1, 1), (3, 3), (2, 3)), ((1, 1), (2, 1), (1, 2), (3, 1)), SAME_AND_VALID
    )
]


@pytest.fixture
def most_rows(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Sets up to how many rows of patches a product serves; plans are made anew."""

    def choose(rows: int) -> None:
        monkeypatch.setattr(conv_plan, "_MOST_ROWS", rows)
        conv_plan.plan_of.cache_clear()

    yield choose
    conv_plan.plan_of.cache_clear()


def _all_three(x: np.ndarray, w: np.ndarray, how: dict) -> list[np.ndarray]:
    with tf.GradientTape() as tape:
        x, w = tf.Variable(x), tf.Variable(w)
        y = tf.nn.conv2d(x, w, **how)
        weighed = tf.reduce_sum(y * tf.reshape(tf.range(tf.size(y), dtype=y.dtype), y.shape))
    return [each.numpy() for each in (y, *tape.gradient(weighed, [x, w]))]


@pytest.mark.parametrize(("window", "stride", "dilation", "padding"), HOWS)
def test_products_are_the_convolution_and_its_gradients(
    window: tuple[int, int], stride: int, dilation: int, padding: object,
    most_rows: Callable[[int], None], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    rng = np.random.default_rng(7)
    x, w = rng.standard_normal((2, 7, 8, 3)), rng.standard_normal((*window, 3, 5))
    how = {"strides": stride, "padding": padding, "dilations": dilation}
    most_rows(10**9)
    products = _all_three(x, w, how)
    monkeypatch.setattr("emplace.ops.nn.conv_kernels.are_products", lambda *_: False)
    for ours, torchs in zip(products, _all_three(x, w, how), strict=True):
        np.testing.assert_allclose(ours, torchs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_products_of_volumes(padding: str, most_rows: Callable[[int], None]) -> None:
    rng = np.random.default_rng(3)
    x, w = rng.standard_normal((2, 4, 5, 6, 2)), rng.standard_normal((2, 3, 1, 2, 4))
    results = []
    for rows in (10**9, 0):
        most_rows(rows)
        with tf.GradientTape() as tape:
            a, b = tf.Variable(x), tf.Variable(w)
            y = tf.nn.conv3d(a, b, [1, 2, 1, 1, 1], padding)
            total = tf.reduce_sum(tf.sin(y))
        results.append([y.numpy(), *(each.numpy() for each in tape.gradient(total, [a, b]))])
    for ours, torchs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, torchs, rtol=1e-9, atol=1e-9)


def _convolutions_of_torch(shape: tuple[int, ...], filter: tuple[int, ...], **how: object) -> int:
    """How many convolutions torch computes in a step with gradients."""
    x, w = tf.Variable(tf.ones(shape)), tf.Variable(tf.ones(filter))
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as seen:
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(tf.nn.conv2d(x, w, padding="SAME", **how))
        tape.gradient(total, [x, w])
    return sum(event.name.startswith("aten::convolution") for event in seen.events())


def test_a_window_of_one_tap_is_a_product_however_large_the_image() -> None:
    assert _convolutions_of_torch((2, 30, 30, 4), (1, 1, 4, 2), strides=1) == 0
    assert _convolutions_of_torch((2, 30, 30, 4), (1, 1, 4, 2), strides=2) == 0


def test_larger_windows_are_products_where_the_filter_is_larger_than_the_image() -> None:
    assert _convolutions_of_torch((2, 3, 3, 4), (3, 3, 4, 16), strides=1) == 0
    assert _convolutions_of_torch((2, 30, 30, 4), (3, 3, 4, 16), strides=1) == 3


def test_convolutions_by_groups_and_with_channels_first_are_torch_s() -> None:
    assert _convolutions_of_torch((2, 3, 3, 4), (1, 1, 2, 16), strides=1) == 3
    how = {"strides": 1, "data_format": "NCHW"}
    assert _convolutions_of_torch((2, 4, 3, 3), (1, 1, 4, 16), **how) == 3


def test_an_image_that_is_no_contiguous_memory() -> None:
    x = tf.transpose(tf.reshape(tf.range(2 * 3 * 3 * 4, dtype=tf.float32), [4, 3, 3, 2]))
    w = tf.ones([3, 3, 4, 16])
    expected = tf.nn.conv2d(tf.constant(x.numpy()), w, 1, "VALID")
    np.testing.assert_array_equal(tf.nn.conv2d(x, w, 1, "VALID"), expected)
