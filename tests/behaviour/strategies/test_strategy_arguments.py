"""What replicas are handed: variables, dataclasses, values of a spec; as TensorFlow 2.21 answered.

Two replicas; a variable begins as 10; replica r gives r + 1.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

import emplace.tensorflow as tf

SYNC, AGGREGATION = tf.VariableSynchronization, tf.VariableAggregation


@pytest.fixture
def strategy():
    device = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(device, [tf.config.LogicalDeviceConfiguration()] * 2)
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def context():
    return tf.distribute.get_replica_context()


def number():
    return tf.cast(context().replica_id_in_sync_group, tf.float32) + 1.0


def made(strategy, sync="AUTO", aggregation="NONE", value=10.0):
    with strategy.scope():
        return tf.Variable(value, synchronization=SYNC[sync], aggregation=AGGREGATION[aggregation])


def held(value):
    return [each.numpy().tolist() for each in value.values]


@pytest.mark.parametrize("as_function", [False, True])
@pytest.mark.parametrize(
    ("aggregation", "expected"),
    [("NONE", [11, 12]), ("SUM", [13, 13]), ("MEAN", [11.5, 11.5]),
     ("ONLY_FIRST_REPLICA", [11, 11])],
)  # fmt: skip
def test_a_variable_handed_to_replicas_is_changed_by_all_of_them(
    strategy, aggregation, expected, as_function
):
    def run(v):
        strategy.run(lambda x: x["v"][0].assign_add(number()), args=({"v": [v]},))

    v = made(strategy, aggregation=aggregation)
    (tf.function(run) if as_function else run)(v)
    assert held(v) == expected
    strategy.run(lambda x: x.assign(number()), kwargs={"x": v})
    assert held(v) == [each - 10 for each in expected]


def test_a_variable_handed_to_a_function_of_replicas_is_changed_by_all_of_them(strategy):
    v = made(strategy, aggregation="SUM")
    strategy.run(tf.function(lambda x: x.assign_add(number())), args=(v,))
    assert held(v) == [13, 13]


def test_what_a_meeting_gives_back_is_the_variable(strategy):
    v = made(strategy, aggregation="SUM")
    strategy.run(lambda: context().merge_call(lambda s: v).assign_add(number()))
    assert held(v) == [13, 13]


def test_a_variable_is_added_to_itself_as_it_was_before(strategy):
    v = made(strategy, aggregation="ONLY_FIRST_REPLICA")
    strategy.run(lambda: v.assign_add(v))
    assert held(v) == [20, 20]


@pytest.mark.parametrize(
    ("aggregation", "whole"), [("SUM", 3.0), ("MEAN", 1.5), ("ONLY_FIRST_REPLICA", 1.0)]
)
def test_rows_of_a_variable_synchronised_on_reading_are_of_all_replicas(
    strategy, aggregation, whole
):
    v = made(strategy, "ON_READ", aggregation, [0.0, 0.0])
    strategy.run(lambda: v.assign(tf.ones([2]) * number()))
    assert tf.gather(v, [1]).numpy().tolist() == [whole]
    assert tf.gather_nd(v, [[1]]).numpy().tolist() == [whole]
    assert tf.nn.embedding_lookup(v, [1]).numpy().tolist() == [whole]
    assert tf.function(lambda: tf.gather(v, [1]))().numpy().tolist() == [whole]
    assert held(strategy.run(lambda: tf.gather(v, [1]))) == [[1.0], [2.0]]
    assert held(strategy.run(lambda: tf.gather_nd(v, [[1]]))) == [[1.0], [2.0]]


def test_rows_of_a_variable_that_cannot_be_brought_together_are_refused(strategy):
    v = made(strategy, "ON_READ", "NONE", [0.0, 0.0])
    with pytest.raises(ValueError, match=r"Could not convert from `tf\.VariableAggregation`"):
        tf.gather(v, [1])


def test_a_variable_synchronised_on_reading_is_given_to_another_as_a_whole(strategy):
    v = made(strategy, "ON_READ", "SUM")
    strategy.run(lambda: v.assign(number()))
    w = made(strategy, "ON_READ", "MEAN")
    assert w.assign_add(v).numpy() == 13.0
    assert held(w) == [13, 13]


@pytest.mark.parametrize("sync", ["ON_WRITE", "ON_READ"])
def test_a_variable_is_broadcast_as_its_value(strategy, sync):
    v = made(strategy, sync, "SUM")
    strategy.run(lambda: v.assign(number()))
    given = strategy.extended.broadcast_to(v, v)
    assert not isinstance(given, tf.Variable)
    assert held(given) == [3.0, 3.0]


def test_a_variable_of_another_strategy_may_be_computed_with(strategy):
    v = made(strategy)
    with tf.distribute.OneDeviceStrategy("CPU:0").scope():
        assert (v + 1.0).numpy() == 11.0


@dataclasses.dataclass
class Pair:
    """Two values, of which one is no tensor."""

    x: Any
    times: int

    def __tf_flatten__(self):
        return (self.times,), (self.x,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(components[0], metadata[0])


@pytest.mark.parametrize("as_function", [False, True])
def test_replicas_are_handed_their_parts_of_dataclasses(strategy, as_function):
    def run(x):
        return strategy.run(lambda pair: pair.x * pair.times, args=(Pair(x, 3),))

    x = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant(c.replica_id_in_sync_group + 1)
    )
    assert held((tf.function(run) if as_function else run)(x)) == [3, 6]
    given = strategy.run(lambda pair: Pair(pair.x + 1, 4), args=(Pair(x, 3),))
    assert [(each.x.numpy(), each.times) for each in given.values] == [(2, 4), (3, 4)]


def test_replicas_that_return_other_structures_below_the_first_level_are_refused(strategy):
    def returned():
        return [[1.0] * (context()._replica_id_in_sync_group + 1)]

    with pytest.raises(AssertionError, match="Replicas must return values of one structure"):
        strategy.run(returned)


def test_a_signature_may_hold_the_spec_of_values_of_replicas(strategy):
    x = strategy.experimental_distribute_values_from_function(
        lambda c: tf.ones([c.replica_id_in_sync_group + 1])
    )

    @tf.function(input_signature=[x._type_spec])
    def step(x):
        return strategy.run(lambda part: part * 2.0, args=(x,))

    assert held(step(x)) == [[2.0], [2.0, 2.0]]
    wanted = type(x._type_spec)(tf.TensorSpec([None]), tf.TensorSpec([None]))
    assert wanted.is_compatible_with(x)
    other = type(x._type_spec)(tf.TensorSpec([2]), tf.TensorSpec([None]))
    assert not other.is_compatible_with(x)


def test_a_value_for_one_replica_is_distributed_too():
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    x = strategy.experimental_distribute_values_from_function(lambda c: tf.constant(3.0))
    assert held(x) == [3.0]
    assert strategy.run(lambda part: part + 1.0, args=(x,)).numpy() == 4.0
    assert strategy.reduce("SUM", x, axis=None).numpy() == 3.0
