"""Averages of losses: empty batches, sizes that are none, and weights with an axis more or less."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf

average = tf.nn.compute_average_loss
RUNS = [lambda f: f(), lambda f: tf.function(f)()]


@pytest.mark.parametrize("run", RUNS)
def test_a_batch_of_nothing_has_no_loss(run):
    assert float(run(lambda: average(tf.zeros([0])))) == 0.0
    assert float(run(lambda: average(tf.zeros([0, 3]), sample_weight=tf.zeros([0, 1])))) == 0.0
    assert float(run(lambda: average([1.0, 2.0], global_batch_size=0))) == 0.0


@pytest.mark.parametrize("run", RUNS)
def test_weights_may_have_an_axis_of_one_more_or_less_at_the_end(run):
    losses = tf.constant([1.0, 3.0])
    assert float(run(lambda: average(losses, sample_weight=[[1.0], [2.0]]))) == 3.5
    table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert float(run(lambda: average(table, sample_weight=[1.0, 10.0]))) == 36.5


@pytest.mark.parametrize("run", RUNS)
def test_a_size_is_no_fraction_no_list_and_not_negative(run):
    for size, kind, text in (
        (2.5, TypeError, "global_batch_size must be an int"),
        ([10], ValueError, "global_batch_size must be scalar"),
        (-1, tf.errors.InvalidArgumentError, "global_batch_size must be non-negative"),
    ):
        with pytest.raises(kind, match=text):
            run(lambda size=size: average([1.0, 2.0], global_batch_size=size))


def test_losses_of_unknown_rank_are_looked_at_when_they_are_there():
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def averaged(losses):
        return average(losses, global_batch_size=4)

    assert float(averaged([2.0, 4.0])) == 1.5
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Expected a tensor with at least rank"
    ):
        averaged(2.0)


@pytest.mark.parametrize("rank", [None, 2])
def test_weights_of_losses_of_unknown_rank_fit_when_they_are_there(rank):
    of_weights = tf.TensorSpec(None if rank is None else [None, 1])

    @tf.function(input_signature=[tf.TensorSpec(None), of_weights])
    def averaged(losses, weights):
        return average(losses, sample_weight=weights)

    assert float(averaged([1.0, 2.0, 3.0], [[1.0], [2.0], [3.0]])) == pytest.approx(14 / 3)
    assert float(averaged([[1.0], [2.0]], [[3.0], [4.0]])) == 5.5
