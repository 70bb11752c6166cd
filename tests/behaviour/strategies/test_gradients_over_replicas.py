"""Gradients of what replicas reduce and gather: the same by tapes and by `tf.gradients`, eager, in
functions and in sessions.
"""

from __future__ import annotations

from typing import Any

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1
pytestmark = pytest.mark.gpus(2, memory="64MB")
DEVICES = ["/gpu:0", "/gpu:1"]


def strategy_of(kind: str) -> Any:
    if kind == "mirrored":
        return tf.distribute.MirroredStrategy(DEVICES)
    return tf.distribute.experimental.CentralStorageStrategy(DEVICES)


def number() -> Any:
    """1 in the first replica, 2 in the second."""
    return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group + 1, tf.float32)


def reduced(op: str) -> Any:
    def compute(x: Any) -> Any:
        c = number()
        return tf.distribute.get_replica_context().all_reduce(op, x * c) * c * c

    return compute


def gathered(x: Any) -> Any:
    return tf.distribute.get_replica_context().all_gather(tf.identity(x), 0) * number()


# The gradient of a sum is the sum of gradients: 1 and 4 come together, then each has its factor.
CASES = [
    (reduced("SUM"), [[5.0], [10.0]]),
    (reduced("MEAN"), [[2.5], [5.0]]),
    (gathered, [[3.0], [3.0]]),
]


def by_tape(compute: Any) -> Any:
    x = tf.constant([3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = compute(x)
    return tape.gradient(y, x)


def by_gradients(compute: Any) -> Any:
    x = tf.constant([3.0])
    return tf.gradients(compute(x), [x])[0]


@pytest.mark.parametrize("kind", ["mirrored", "central"])
@pytest.mark.parametrize(("compute", "wanted"), CASES, ids=["sum", "mean", "gathered"])
def test_all_ways_give_the_same(compute: Any, wanted: list[list[float]], kind: str) -> None:
    strategy = strategy_of(kind)
    for way, in_function in [(by_tape, False), (by_tape, True), (by_gradients, True)]:

        def step(way: Any = way) -> Any:
            return way(compute)

        found = strategy.run(tf.function(step) if in_function else step)
        results = strategy.experimental_local_results(found)
        assert [each.numpy().tolist() for each in results] == wanted, (way, in_function)
    if kind == "central":
        return
    with tf.Graph().as_default(), v1.Session() as session:
        strategy = v1.distribute.MirroredStrategy(DEVICES)
        with strategy.scope():
            found = strategy.extended.call_for_each_replica(lambda: by_gradients(compute))
        results = session.run(strategy.experimental_local_results(found))
        assert [each.tolist() for each in results] == wanted


def test_indexed_slices_are_not_gathered() -> None:
    slices = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([2]), tf.constant([5, 2]))

    def in_replica() -> Any:
        return tf.distribute.get_replica_context().all_gather(slices, 0)

    for strategy in (
        tf.distribute.MirroredStrategy(DEVICES),
        tf.distribute.OneDeviceStrategy("/gpu:0"),
        tf.distribute.get_strategy(),
    ):
        with pytest.raises(NotImplementedError, match=r"^gather does not support IndexedSlices"):
            strategy.gather(slices, 0)
        with pytest.raises(NotImplementedError, match="all_gather does not support IndexedSlices"):
            strategy.run(in_replica)


def test_a_variable_of_replicas_may_stop_gradients() -> None:
    with tf.Graph().as_default():
        strategy = v1.distribute.MirroredStrategy(DEVICES)
        with strategy.scope():
            x = tf.Variable(2.0)
            y = x * tf.constant(3.0)
            assert v1.gradients(x, y, stop_gradients=x) == [None]


def test_strategies_of_tf_2_have_the_iterators_of_tf_1() -> None:
    strategy = tf.distribute.MirroredStrategy(DEVICES)
    data = tf.data.Dataset.range(4)
    by_function = strategy.make_input_fn_iterator(lambda context: data)
    by_dataset = strategy.make_dataset_iterator(data.batch(4))
    with pytest.raises(AssertionError, match="values of one structure"):
        strategy.run(lambda: list(range(int(number()))))
    for iterator, wanted in ((by_function, [[0, 1], [2, 3]]), (by_dataset, [[[0, 1], [2, 3]]])):
        for values in wanted:
            found = strategy.experimental_local_results(iterator.get_next())
            assert [each.numpy().tolist() for each in found] == values


@pytest.mark.parametrize("kind", ["mirrored", "central"])
@pytest.mark.parametrize("in_function", [False, True], ids=["eager", "function"])
def test_moving_averages_follow_in_replicas(kind: str, in_function: bool) -> None:
    strategy = strategy_of(kind)
    with strategy.scope():
        w = tf.Variable([1.0])
        average = tf.train.ExponentialMovingAverage(0.5)

    def step() -> Any:
        average.apply([w])
        return tf.identity(average.average(w))

    run = tf.function(lambda: strategy.run(step)) if in_function else lambda: strategy.run(step)
    run()
    w.assign([3.0])
    found = strategy.experimental_local_results(run())
    assert [each.numpy().tolist() for each in found] == [[2.0], [2.0]]


def test_an_average_follows_in_a_function() -> None:
    w = tf.Variable(1.0)
    average = tf.train.ExponentialMovingAverage(0.5)

    @tf.function
    def follow() -> None:
        average.apply([w])

    follow()
    w.assign(3.0)
    follow()
    assert average.average(w).numpy() == 2.0


def test_first_values_come_from_files_wherever_the_variable_is(tmp_path: Any) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        saved = v1.get_variable("saved", initializer=[1.0, 2.0])
        session.run(saved.initializer)
        path = v1.train.Saver().save(session, str(tmp_path / "first"))
    hard = v1.ConfigProto(allow_soft_placement=False)
    with tf.Graph().as_default(), v1.Session(config=hard) as session:
        with tf.device("/gpu:1"):
            v = v1.get_variable("v", [2])
            v1.train.init_from_checkpoint(path, {"saved": v})
        session.run(v1.global_variables_initializer())
        assert session.run(v).tolist() == [1.0, 2.0]
