"""Weights of metrics whose shapes only the feed tells, and classes that no label has."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf

t = tf.compat.v1
COLUMN = [[100], [1], [1]]

# What TensorFlow says, for weights of three examples that are fed.
SEEN = {
    "accuracy": (lambda m, w: m.accuracy([[1], [0], [0]], [1, 1, 1], w), COLUMN, 100 / 102),
    "mean": (lambda m, w: m.mean([1.0, 2.0, 3.0], w), COLUMN, 105 / 102),
    "column": (lambda m, w: m.mean([[1.0], [2.0], [3.0]], w), [100, 1, 1], 105 / 102),
    "error": (
        lambda m, w: m.mean_squared_error([[1.0], [2.0], [3.0]], [1.0, 2.0, 5.0], w),
        COLUMN,
        4 / 102,
    ),
    "precision": (lambda m, w: m.precision([1, 1, 0], [1, 1, 1], w), [[5], [1], [1]], 6 / 7),
    "hits": (lambda m, w: m.true_positives([1, 1, 0], [1, 1, 1], w), [[5], [1], [1]], 6.0),
    "below": (lambda m, w: m.percentage_below([1.0, 2.0, 3.0], 2.5, w), [[5], [1], [1]], 6 / 7),
}


@pytest.mark.parametrize("name", SEEN)
def test_an_axis_of_one_at_the_end_is_dropped_or_added_when_weights_are_fed(name):
    make, weights, expected = SEEN[name]
    with tf.Graph().as_default(), t.Session() as session:
        fed = t.placeholder(tf.int32)
        value, update = make(t.metrics, fed)
        session.run(t.local_variables_initializer())
        np.testing.assert_allclose(session.run(update, {fed: weights}), expected, rtol=1e-6)
        np.testing.assert_allclose(session.run(value), expected, rtol=1e-6)


def test_a_class_that_no_label_has_counts_in_the_mean_over_classes():
    with tf.Graph().as_default(), t.Session() as session:
        labels, predictions = tf.constant([0, 1, 1, 0, 1]), tf.constant([0, 1, 1, 1, 0])
        mean, update = t.metrics.mean_per_class_accuracy(labels, predictions, 3)
        session.run(t.local_variables_initializer())
        np.testing.assert_allclose(session.run(update), [1 / 2, 2 / 3, 0], rtol=1e-6)
        np.testing.assert_allclose(session.run(mean), (1 / 2 + 2 / 3) / 3, rtol=1e-6)
