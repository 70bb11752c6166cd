"""Weights that do not fit the losses of TF 1 are refused, also where only a run tells shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.base.errors import InvalidArgumentError

v1 = tf.compat.v1
VALUES = np.arange(6.0).reshape(2, 3)


def _loss(unknown: str, weights: Any) -> Any:
    with tf.Graph().as_default(), v1.Session() as session:
        feeds = {}
        given = []
        for name, value in (("losses", VALUES), ("weights", weights)):
            each = tf.constant(value, tf.float32)
            if name in unknown:
                each = v1.placeholder(tf.float32)
                feeds[each] = value
            given.append(each)
        return session.run(v1.losses.compute_weighted_loss(*given), feeds)


@pytest.mark.parametrize("unknown", ["losses", "weights", "losses weights"])
def test_weights_that_do_not_fit_are_refused_when_the_graph_runs(unknown: str) -> None:
    for shape in ((1,), (3,), (2, 2), (1, 2, 3)):
        with pytest.raises(InvalidArgumentError, match="weights can not be broadcast to values"):
            _loss(unknown, np.ones(shape))
    for shape in ((), (1, 3), (2, 1), (2, 3)):
        assert _loss(unknown, np.ones(shape)) == 2.5


def test_weights_of_pairs_have_the_rank_of_the_labels() -> None:
    labels = np.arange(18.0).reshape(2, 3, 3)
    with tf.Graph().as_default():
        for shape in ((2,), (2, 1), (2, 3), (1,)):
            with pytest.raises(ValueError, match="weights can not be broadcast to values"):
                v1.losses.mean_pairwise_squared_error(labels, labels * 2, np.ones(shape))
        v1.losses.mean_pairwise_squared_error(labels, labels * 2, np.ones((2, 1, 1)))


def test_weights_lose_an_axis_also_where_only_a_run_tells_their_rank() -> None:
    logits = np.array([[4.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    weights = np.array([[1.0], [0.0], [3.0]])
    with tf.Graph().as_default(), v1.Session() as session:
        wanted = v1.losses.sparse_softmax_cross_entropy([1, 1, 0], logits, weights)
        fed = [v1.placeholder(kind) for kind in (tf.int32, tf.float32, tf.float32)]
        found = v1.losses.sparse_softmax_cross_entropy(*fed)
        values = [[1, 1, 0], logits, weights]
        answers = session.run([wanted, found], dict(zip(fed, values, strict=True)))
    assert answers[0] == pytest.approx(answers[1])
