"""`tf.distribute` with one replica: what every program has."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf


def test_a_program_without_a_strategy_has_the_default_one():
    strategy = tf.distribute.get_strategy()
    assert not tf.distribute.has_strategy()
    assert strategy.num_replicas_in_sync == 1
    assert strategy.run(lambda x: x + 1, args=(tf.constant(1),)).numpy() == 2


def test_a_replica_speaks_for_itself_and_a_scope_for_all():
    strategy = tf.distribute.OneDeviceStrategy("CPU:0")
    assert tf.distribute.get_replica_context().num_replicas_in_sync == 1
    with strategy.scope():
        assert tf.distribute.has_strategy()
        assert tf.distribute.in_cross_replica_context()
        assert tf.distribute.get_replica_context() is None
        inside = strategy.run(lambda: tf.distribute.get_replica_context().strategy)
    assert inside is strategy
    assert not tf.distribute.has_strategy()


def test_two_strategies_do_not_mix():
    first, second = tf.distribute.OneDeviceStrategy("CPU:0"), tf.distribute.OneDeviceStrategy("CPU")
    with first.scope(), pytest.raises(RuntimeError, match="Mixing different"), second.scope():
        pass


def test_the_one_value_is_reduced_along_an_axis():
    strategy = tf.distribute.get_strategy()
    assert strategy.reduce("SUM", tf.constant([1.0, 3.0]), axis=0).numpy() == 4.0
    assert strategy.reduce("MEAN", tf.constant([1.0, 3.0]), axis=0).numpy() == 2.0
    assert strategy.reduce("SUM", tf.constant([1.0, 3.0]), axis=None).shape == (2,)


@pytest.mark.gpus(2, memory="64MB")
def test_a_strategy_of_a_device_puts_variables_there():
    with tf.distribute.OneDeviceStrategy("GPU:1").scope():
        v = tf.Variable([1.0])
    assert v.device.endswith("GPU:1")


@pytest.mark.gpus(2, memory="64MB")
def test_a_mirrored_strategy_says_that_it_has_one_replica(capfd):
    strategy = tf.distribute.MirroredStrategy()
    assert strategy.num_replicas_in_sync == 1
    assert "one replica so far, on /device:GPU:0. Idle: /device:GPU:1." in capfd.readouterr().err


def test_strategies_that_are_not_there_say_what_to_use():
    with pytest.raises(NotImplementedError, match=r"no tf.distribute.TPUStrategy. Use"):
        tf.distribute.TPUStrategy()
