"""Softmax over few classes gives what it gives over many, whatever lies how: nn/softmax_rows.py."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("shape", [(100, 10), (3, 40, 3), (64, 1), (7, 10), (64, 2)])
def test_softmax_of_rows(shape: tuple[int, ...], dtype: str) -> None:
    x = tf.cast(np.random.default_rng(1).normal(size=shape) * 5, dtype)
    wide = torch.tensor(tf.cast(x, tf.float64).numpy())
    tolerance = {"float16": 2e-3, "bfloat16": 2e-2}.get(dtype, 1e-6)
    for ours, exact in (
        (tf.nn.softmax(x), torch.softmax(wide, -1)),
        (tf.nn.log_softmax(x), torch.log_softmax(wide, -1)),
    ):
        assert ours.shape == shape
        np.testing.assert_allclose(
            tf.cast(ours, tf.float64).numpy(), exact, rtol=tolerance, atol=tolerance
        )


def test_infinities_and_nan_stay_in_their_rows() -> None:
    x = np.zeros((100, 3), np.float32)
    x[0], x[1], x[2] = [np.inf, 0, 0], [-np.inf, 0, 0], [np.nan, 0, 0]
    y = tf.nn.softmax(x).numpy()
    np.testing.assert_array_equal(y[:3], torch.softmax(torch.tensor(x[:3]), -1))
    np.testing.assert_allclose(y[3:], 1 / 3, rtol=1e-6)


def test_rows_that_are_no_dense_memory() -> None:
    x = tf.transpose(tf.reshape(tf.range(1000, dtype=tf.float32), [10, 100]) / 100.0)
    np.testing.assert_allclose(
        tf.nn.softmax(x), torch.softmax(torch.tensor(x.numpy()), -1), rtol=1e-6
    )
    assert tf.nn.softmax(tf.zeros([0, 3])).shape == (0, 3)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("shape", [(100, 10), (7, 10), (100, 40), (64, 1), (0, 3)])
def test_cross_entropy_of_places(shape: tuple[int, int], dtype: str) -> None:
    random = np.random.default_rng(2)
    features = tf.constant((random.normal(size=shape) * 5).astype("float32"))
    before, places = features.numpy().copy(), random.integers(0, shape[1], shape[0])
    labels = tf.constant(places.astype(dtype))
    loss, gradient = tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(
        features=features, labels=labels
    )
    exact = torch.log_softmax(torch.tensor(before, dtype=torch.float64), -1).numpy()
    np.testing.assert_allclose(loss, -exact[range(shape[0]), places], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(gradient, np.exp(exact) - np.eye(shape[1])[places], atol=1e-6)
    np.testing.assert_array_equal(features, before)
    np.testing.assert_array_equal(labels, places)
    if shape[0]:
        with pytest.raises(tf.errors.InvalidArgumentError, match="label value of -1"):
            tf.nn.sparse_softmax_cross_entropy_with_logits([-1, *places[1:]], features)
