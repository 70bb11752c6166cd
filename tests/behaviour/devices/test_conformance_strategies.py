"""The part of the conformance list about strategies, one short test per fact, on virtual GPUs.

The answers of TensorFlow to every case are in tests/contract/device_cases; here one sees that no
line of the list is missing.
"""

from __future__ import annotations

import logging

import pytest

import emplace.tensorflow as tf
from emplace.distribute.reductions import cross_device

FULL = "/job:localhost/replica:0/task:0/device:"
NONE = "NONE"


def number() -> tf.Tensor:
    context = tf.distribute.get_replica_context()
    return tf.cast(context.replica_id_in_sync_group, tf.float32) + 1


@pytest.fixture
def two_cpus() -> tf.distribute.MirroredStrategy:
    device = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(device, [tf.config.LogicalDeviceConfiguration()] * 2)
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


@pytest.mark.gpus(4, memory="16MB")
def test_28_there_is_a_replica_for_each_logical_gpu() -> None:
    assert tf.distribute.MirroredStrategy().num_replicas_in_sync == 4


@pytest.mark.gpus(0)
def test_28_without_gpus_there_is_a_replica_for_each_logical_cpu() -> None:
    device = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(device, [tf.config.LogicalDeviceConfiguration()] * 3)
    assert tf.distribute.MirroredStrategy([]).num_replicas_in_sync == 3


@pytest.mark.gpus(2, memory="16MB")
def test_28_a_device_stands_in_the_list_once() -> None:
    text = r"No duplicates allowed in `devices` argument: \('/job:localhost/replica:0/task:0/dev"
    with pytest.raises(AssertionError, match=text):
        tf.distribute.MirroredStrategy(["GPU:0", "/gpu:0"])


def test_29_components_have_the_names_and_the_text_of_their_replicas(two_cpus) -> None:
    with two_cpus.scope():
        v = tf.Variable(1.0, name="v")
    assert repr(v) == (
        "MirroredVariable:{\n"
        "  0: <tf.Variable 'v:0' shape=() dtype=float32, numpy=1.0>,\n"
        "  1: <tf.Variable 'v/replica_1:0' shape=() dtype=float32, numpy=1.0>\n}"
    )


# (sync, aggregation): assign in replicas and what is read then, assign_add, assign(8) of all.
MATRIX = {
    ("AUTO", NONE): ([1, 2], 1, [11, 12], [8, 8]),
    ("ON_WRITE", NONE): ([1, 2], 1, [11, 12], [8, 8]),
    ("ON_READ", NONE): ([1, 2], None, [11, 12], None),
    ("AUTO", "SUM"): ([3, 3], 3, [13, 13], [8, 8]),
    ("ON_READ", "SUM"): ([1, 2], 3, [11, 12], [4, 4]),
    ("AUTO", "MEAN"): ([1.5, 1.5], 1.5, [11.5, 11.5], [8, 8]),
    ("ON_READ", "MEAN"): ([1, 2], 1.5, [11, 12], [8, 8]),
    ("AUTO", "ONLY_FIRST_REPLICA"): ([1, 1], 1, [11, 11], [8, 8]),
    ("ON_READ", "ONLY_FIRST_REPLICA"): ([1, 2], 1, [11, 12], [8, 8]),
}


@pytest.mark.parametrize(("sync", "aggregation"), MATRIX)
def test_29_an_assignment_is_brought_together_by_the_matrix(two_cpus, sync, aggregation) -> None:
    def made() -> tf.Variable:
        with two_cpus.scope():
            return tf.Variable(
                10.0,
                synchronization=tf.VariableSynchronization[sync],
                aggregation=tf.VariableAggregation[aggregation],
            )

    def held(variable) -> list[float]:
        return [float(each.numpy()) for each in variable.values]

    assigned, read, added, together = MATRIX[sync, aggregation]
    v, w, x = made(), made(), made()
    two_cpus.run(lambda: (v.assign(number()), w.assign_add(number())))
    assert (held(v), held(w)) == (assigned, added)
    if read is None or together is None:
        with pytest.raises(ValueError, match=r"Could not convert from `tf.VariableAggregation`"):
            v.numpy()
    else:
        assert v.numpy() == read
        x.assign(8.0)
        assert held(x) == together


@pytest.mark.gpus(3, memory="16MB")
@pytest.mark.parametrize(
    ("rows", "parts"),
    [(6, [2, 2, 2]), (4, [2, 2, 0]), (7, [3, 3, 1]), (5, [2, 2, 1]), (1, [1, 0, 0]),
     (2, [1, 1, 0])],
)  # fmt: skip
def test_30_a_batch_is_cut_into_parts_of_a_third_rounded_up(rows: int, parts: list[int]) -> None:
    strategy = tf.distribute.MirroredStrategy()
    dataset = tf.data.Dataset.range(rows).batch(rows)
    (element,) = strategy.experimental_distribute_dataset(dataset)
    assert [len(part) for part in element.values] == parts


@pytest.mark.gpus(2, memory="16MB")
def test_30_a_short_last_batch_is_cut_anew() -> None:
    strategy = tf.distribute.MirroredStrategy()
    dataset = tf.data.Dataset.range(9).batch(6)
    parts = [
        [len(part) for part in element.values]
        for element in strategy.experimental_distribute_dataset(dataset)
    ]
    assert parts == [[3, 3], [2, 1]]


def test_31_a_value_that_is_not_distributed_has_a_mean_and_no_sum(two_cpus) -> None:
    assert two_cpus.reduce("MEAN", 2.0, axis=None) == 2.0
    text = r"A non-DistributedValues value tf.Tensor\(2.0, shape=\(\), dtype=float32\) cannot be re"
    with pytest.raises(ValueError, match=text):
        two_cpus.reduce("SUM", tf.constant(2.0), axis=None)


def test_31_the_axis_of_a_reduction_must_be_said(two_cpus) -> None:
    with pytest.raises(TypeError, match="axis"):
        two_cpus.reduce("SUM", two_cpus.run(number))


def test_31_a_mean_over_an_axis_weighs_elements(two_cpus) -> None:
    parts = iter([[1.0, 2.0, 3.0], [10.0]])
    values = two_cpus.experimental_distribute_values_from_function(
        lambda context: tf.constant(next(parts))
    )
    assert two_cpus.reduce("MEAN", values, axis=0).numpy() == 4.0


@pytest.mark.parametrize(("level", "lines"), [("WARNING", 0), ("INFO", 10)])
def test_32_a_reduction_is_told_ten_times_and_at_info_only(
    two_cpus, level, lines, caplog, monkeypatch
) -> None:
    monkeypatch.setattr(cross_device, "_TOLD", {})
    logger = tf.get_logger()
    before = logger.level
    logger.setLevel(level)
    try:
        values = two_cpus.run(number)
        for _ in range(12):
            two_cpus.reduce("SUM", values, axis=None)
    finally:
        logger.setLevel(before)
    told = [record.getMessage() for record in caplog.records if record.levelno == logging.INFO]
    assert told == [f"Reduce to {FULL}CPU:0 then broadcast to ('{FULL}CPU:0',)."] * lines
