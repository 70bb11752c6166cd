"""Statistics of ragged tensors; TensorFlow 2.21 says the same."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf


def _rows() -> tf.RaggedTensor:
    return tf.ragged.constant([[1.0, 5.0], [], [2.0, 3.0, 9.0]])


def test_the_spread_of_ragged_tensors_is_told_along_every_axis() -> None:
    np.testing.assert_allclose(tf.math.reduce_std(_rows(), 0).numpy(), [0.5, 1.0, 0.0], 1e-6)
    np.testing.assert_allclose(tf.math.reduce_std(_rows()).numpy(), 2.8284268, 1e-6)
    found = tf.math.reduce_variance(_rows(), 1).numpy()
    np.testing.assert_allclose(found[[0, 2]], [4.0, 9.555558], 1e-5)
    assert np.isnan(found[1])


def test_the_log_of_sums_of_exps_of_ragged_tensors_does_not_overflow() -> None:
    rows = tf.ragged.constant([[1000.0, 1000.0], [], [1000.0]])
    np.testing.assert_allclose(tf.reduce_logsumexp(rows).numpy(), 1000.0 + np.log(3.0), 1e-6)
    np.testing.assert_allclose(tf.reduce_logsumexp(rows, 1).numpy()[2], 1000.0)


def test_a_ragged_tensor_of_a_graph_has_no_numpy_value() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="only supported in eager mode"):
        tf.ragged.constant([[1]]).numpy()
