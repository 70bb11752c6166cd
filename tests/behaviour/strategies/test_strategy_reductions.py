"""How values are reduced, and what is told about it: the lines of TensorFlow 2.21."""

from __future__ import annotations

import logging

import pytest

import emplace.tensorflow as tf
from emplace.distribute.reductions import cross_device

CPU = "/job:localhost/replica:0/task:0/device:CPU:"
BOTH = f"('{CPU}0', '{CPU}1')"
REDUCED = f"Reduce to {CPU}0 then broadcast to {BOTH}."
TO_2 = f"Reduce to CPU:2 then broadcast to {BOTH}."
GATHERED = f"Gather to {CPU}0 then broadcast to {BOTH}."
COLLECTIVE = (
    "Collective all_reduce tensors: {} all_reduces, num_devices = 2, group_size = 2, "
    "implementation = CommunicationImplementation.RING, num_packs = 1"
)
SLICES = (
    "Collective all_reduce IndexedSlices: 1 all_reduces, num_devices =2, group_size = 2, "
    "implementation = CommunicationImplementation.RING"
)
GATHERS = (
    "Collective batch_all_gather: 1 all-gathers, num_devices = 2, group_size = 2, "
    "implementation = CommunicationImplementation.RING, "
)


@pytest.fixture(autouse=True)
def three_cpus(monkeypatch):
    device = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(device, [tf.config.LogicalDeviceConfiguration()] * 3)
    monkeypatch.setattr(cross_device, "_TOLD", {})


@pytest.fixture
def told(caplog):
    logger = tf.get_logger()
    before = logger.level
    logger.setLevel(logging.INFO)
    others = ("overhead", "retracing")  # which warn of eager replicas, and of functions in loops
    yield lambda: [x for x in caplog.messages if not any(each in x for each in others)]
    logger.setLevel(before)


def context():
    return tf.distribute.get_replica_context()


def number():
    return tf.cast(context().replica_id_in_sync_group, tf.float32) + 1


def slices():
    place = tf.reshape(context().replica_id_in_sync_group, [1])
    return tf.IndexedSlices(tf.reshape(number(), [1, 1]), place, tf.constant([3, 1]))


STEPS = {
    "tensors": lambda: context().all_reduce("SUM", [number(), number()]),
    "integers": lambda: context().all_reduce("SUM", context().replica_id_in_sync_group),
    "slices": lambda: context().all_reduce("SUM", [slices(), number()])[1],
    "gather": lambda: context().all_gather(tf.reshape(number(), [1]), 0),
}
WAYS = {
    "default": lambda: None,
    "one": tf.distribute.ReductionToOneDevice,
    "third": lambda: tf.distribute.ReductionToOneDevice("CPU:2"),
    "copies": tf.distribute.HierarchicalCopyAllReduce,
}
LINES = {
    ("default", "tensors"): [COLLECTIVE.format(2)],
    ("default", "integers"): [REDUCED],
    ("default", "slices"): [COLLECTIVE.format(1), SLICES],
    ("default", "gather"): [GATHERS],
    ("one", "tensors"): [REDUCED, REDUCED],
    ("one", "gather"): [GATHERED],
    ("third", "tensors"): [TO_2, TO_2],
    ("third", "integers"): [REDUCED],
    ("copies", "tensors"): [REDUCED, REDUCED],
    ("copies", "gather"): [GATHERED],
}


@pytest.mark.parametrize(("way", "step"), LINES)
def test_what_is_told_of_a_reduction(way, step, told):
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"], WAYS[way]())
    first = f"Using MirroredStrategy with devices {BOTH}"
    tf.function(lambda: strategy.run(STEPS[step]), autograph=False)()
    assert told() == [first, *LINES[way, step]]


def test_a_value_for_the_host_is_reduced_there(told):
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"], WAYS["third"]())
    strategy.reduce("SUM", strategy.run(number), axis=None)
    assert told()[1:] == [f"Reduce to {CPU}0 then broadcast to ('{CPU}0',)."]


def test_a_line_is_told_ten_times(told):
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    values = strategy.run(number)
    for _ in range(12):
        strategy.reduce("SUM", values, axis=None)
    assert len(told()) == 1 + 10


@pytest.mark.parametrize("kind", ["HierarchicalCopyAllReduce", "NcclAllReduce"])
def test_a_negative_number_of_packs_is_refused(kind):
    with pytest.raises(ValueError, match="requires num_packs >= 0, but -1 is specified"):
        getattr(tf.distribute, kind)(num_packs=-1)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("as_function", [False, True], ids=["eager", "function"])
def test_every_way_finds_the_same_sums(way, as_function):
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"], WAYS[way]())

    def step():
        return strategy.run(lambda: [fn() for fn in STEPS.values()])

    tensors, integers, beside, gathered = (tf.function(step) if as_function else step)()
    for each in tensors:
        assert [x.numpy() for x in each.values] == [3.0, 3.0]
    assert [x.numpy() for x in integers.values] == [1, 1]
    assert [x.numpy() for x in beside.values] == [3.0, 3.0]
    assert [x.numpy().tolist() for x in gathered.values] == [[1.0, 2.0]] * 2


@pytest.mark.gpus(0)
def test_devices_are_named_in_full_and_once():
    strategy = tf.distribute.MirroredStrategy(["/cpu:9"])  # TensorFlow does not look either
    assert strategy.extended.worker_devices == (f"{CPU}9",)
    with pytest.raises(AssertionError, match="No duplicates allowed in `devices` argument"):
        tf.distribute.MirroredStrategy(["CPU:0", "cpu:0"])
    with pytest.raises(ValueError, match="Unknown attribute 'C' is encountered"):
        tf.distribute.MirroredStrategy("CPU:0")
    assert tf.distribute.MirroredStrategy().num_replicas_in_sync == 3
    with pytest.raises(RuntimeError, match="In-graph multi-worker training with"):
        tf.distribute.MirroredStrategy(["/job:worker/task:1/device:CPU:0"])
