"""TF 1: `tf.contrib.distribute`, with the names and arguments of TF 1.10 to 1.15."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow.compat.v1 as tf1
from emplace.v1 import contrib

pytestmark = pytest.mark.gpus(2, memory="64MB")
distribute = contrib.distribute


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    with tf1.Graph().as_default() as graph:
        yield graph


def places(strategy: Any) -> list[str]:
    return [each[-5:] for each in strategy.worker_devices]


@pytest.mark.parametrize(
    ("options", "devices"),
    [
        ({}, ["GPU:0", "GPU:1"]),
        ({"num_gpus": 1}, ["GPU:0"]),
        ({"num_gpus_per_worker": 2}, ["GPU:0", "GPU:1"]),
        ({"num_gpus": 0}, ["CPU:0"]),
        ({"devices": ["/gpu:1", "/gpu:0"]}, ["GPU:1", "GPU:0"]),
    ],
    ids=str,
)
def test_devices_are_said_by_name_or_number(options, devices):
    strategy = distribute.MirroredStrategy(**options)
    assert places(strategy) == devices
    assert strategy.num_towers == strategy.num_replicas == len(devices)
    assert strategy.is_single_tower == (len(devices) == 1)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"num_gpus": 1, "num_gpus_per_worker": 1}, "You cannot specify both `num_gpus` and"),
        ({"devices": ["/gpu:0"], "num_gpus": 1}, "Must only specify one of `devices` and"),
    ],
    ids=["two numbers", "names and a number"],
)
def test_devices_are_said_once(options, text):
    with pytest.raises(ValueError, match=text):
        distribute.MirroredStrategy(**options)


def test_each_replica_gets_a_whole_batch_of_a_dataset():
    strategy = distribute.MirroredStrategy(num_gpus=2)
    with strategy.scope():
        iterator = strategy.make_dataset_iterator(tf1.data.Dataset.range(8).batch(2))
        made = strategy.distribute_dataset(lambda: tf1.data.Dataset.range(8).batch(2))
        other = made.make_initializable_iterator()
        parts = strategy.unwrap(iterator.get_next())
        others = strategy.unwrap(other.get_next())
    with tf1.Session() as session:
        session.run([iterator.initialize(), other.initializer])
        for wanted in ([[0, 1], [2, 3]], [[4, 5], [6, 7]]):
            assert np.asarray(session.run(parts)).tolist() == wanted
            assert np.asarray(session.run(others)).tolist() == wanted


@pytest.mark.parametrize("call", ["call_for_each_tower", "call_for_each_replica"])
def test_towers_run_and_reduce(call):
    ops = distribute.AllReduceCrossTowerOps("hierarchical_copy", num_packs=1)
    strategy = distribute.MirroredStrategy(num_gpus=2, cross_tower_ops=ops)

    def tower(x, scale=1.0):
        place = distribute.get_tower_context().replica_id_in_sync_group
        return x * scale * (tf1.cast(place, tf1.float32) + 1.0)

    with strategy.scope():
        v = tf1.get_variable("v", initializer=0.0)
        made = getattr(strategy, call)(tower, 2.0, scale=3.0)
        kind = tf1.VariableAggregation
        total = strategy.reduce(kind.SUM, made, destinations="/cpu:0")
        mean = strategy.reduce(kind.MEAN, made, "/gpu:1")
        both = strategy.batch_reduce("SUM", [(made, v), (made, v)])
        changed = strategy.group(strategy.update(v, lambda part, x: part.assign(x), total))
    assert mean.device[-5:] == "GPU:1"
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        assert session.run([total, mean]) == [18.0, 9.0]
        assert session.run([list(each.values) for each in both]) == [[18.0, 18.0]] * 2
        session.run(changed)
        assert session.run(list(v.values)) == [18.0, 18.0]


def test_contexts_are_told_apart():
    strategy = distribute.OneDeviceStrategy("/gpu:1")
    assert not distribute.has_distribution_strategy()
    assert distribute.get_cross_tower_context() is None

    def tower():
        distribute.require_tower_context(distribute.get_tower_context())
        assert distribute.get_cross_tower_context() is None

    with strategy.scope():
        assert distribute.get_cross_tower_context() is strategy
        assert distribute.get_distribution_strategy() is strategy
        strategy.call_for_each_tower(tower)
        with pytest.raises(RuntimeError, match="Need to be inside `call_for_each_replica"):
            distribute.require_tower_context(strategy._replicas[0].replica)


def test_there_are_two_ways_to_reduce_all_at_once():
    with pytest.raises(ValueError, match=r"all_reduce_alg='ring'; there are \['hierarchical_copy'"):
        distribute.AllReduceCrossDeviceOps("ring")
