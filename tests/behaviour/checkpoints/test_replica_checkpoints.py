"""What was saved with one number of replicas is restored with another: values, slots, sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
import emplace.tensorflow.compat.v1 as tf1

pytestmark = pytest.mark.gpus(4, memory="64MB")
COUNTS = pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 4), (4, 1), (2, 3)])
ON_READ = tf.VariableSynchronization.ON_READ
SUM, MEAN = tf.VariableAggregation.SUM, tf.VariableAggregation.MEAN
FIRST = tf.VariableAggregation.ONLY_FIRST_REPLICA
X = np.arange(48, dtype=np.float32).reshape(12, 4) / 10


def strategy_of(count: int, one: Any = tf) -> Any:
    if count == 1:
        return one.distribute.OneDeviceStrategy("GPU:0")
    return one.distribute.MirroredStrategy([f"GPU:{i}" for i in range(count)])


class Model(tf.Module):
    """Weights, and variables of which replicas keep their own."""

    def __init__(self) -> None:
        super().__init__()
        self.w = tf.Variable(tf.ones([4, 1]), name="w")
        options: dict[str, Any] = {"synchronization": ON_READ, "trainable": False}
        self.total = tf.Variable(0.0, aggregation=SUM, name="total", **options)
        self.count = tf.Variable(0, aggregation=SUM, name="count", **options)
        self.mean = tf.Variable(0.0, aggregation=MEAN, name="mean", **options)
        self.first = tf.Variable(0.0, aggregation=FIRST, name="first", **options)


def place() -> Any:
    return tf.distribute.get_replica_context().replica_id_in_sync_group


def trained(strategy: Any, model: Model, optimizer: Any, steps: int = 3) -> None:
    data = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(X).batch(12))
    rows = next(iter(data))

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(tf.matmul(x, model.w) - 1.0)) / 12
        optimizer.apply_gradients([(tape.gradient(loss, model.w), model.w)])
        number = tf.cast(place(), tf.float32)
        model.total.assign_add(number + 1.5)
        model.count.assign_add(place() + 3)
        model.mean.assign_add(number * 2.0)
        model.first.assign_add(number + 7.0)

    for _ in range(steps):
        strategy.run(step, args=(rows,))


def seen(model: Model, optimizer: Any) -> dict[str, Any]:
    """What everybody outside of replicas sees."""
    found = {name: getattr(model, name) for name in ("w", "total", "count", "mean", "first")}
    for name in optimizer.get_slot_names():
        found[name] = optimizer.get_slot(model.w, name)
    found |= {each.name: each for each in optimizer.own_variables().values()}
    return {name: each.numpy() for name, each in found.items()}


def built(count: int) -> tuple[Any, Model, Any]:
    strategy = strategy_of(count)
    with strategy.scope():
        return strategy, Model(), tf1.train.AdamOptimizer(0.1)


def checkpoint_of(model: Model, optimizer: Any) -> tf.train.Checkpoint:
    return tf.train.Checkpoint(model=model, optimizer=optimizer)


def same(found: Any, expected: Any) -> None:
    assert list(found) == list(expected)
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-5, err_msg=name)


@COUNTS
@pytest.mark.parametrize("when", ["in the scope", "outside", "before the slots", "before all"])
def test_a_checkpoint_is_restored_on_another_number_of_replicas(tmp_path, before, after, when):
    strategy, model, optimizer = built(before)
    trained(strategy, model, optimizer)
    path = checkpoint_of(model, optimizer).save(str(tmp_path / "saved"))
    expected = seen(model, optimizer)
    trained(strategy, model, optimizer, 1)
    weights = model.w.numpy()

    strategy, model, optimizer = built(after)
    if when == "before all":
        empty = tf.train.Checkpoint()
        status = empty.restore(path)
        empty.model, empty.optimizer = model, optimizer
        assert status
    elif when == "in the scope":
        with strategy.scope():
            checkpoint_of(model, optimizer).restore(path).assert_existing_objects_matched()
    else:
        if when == "outside":
            trained(strategy, model, optimizer, 1)
        checkpoint_of(model, optimizer).restore(path).assert_existing_objects_matched()
    restored = seen(model, optimizer)  # what belongs to no variable comes with the first step
    same(restored, {name: expected[name] for name in restored})
    assert len(restored) >= 7 or when == "before the slots"
    trained(strategy, model, optimizer, 1)
    np.testing.assert_allclose(model.w.numpy(), weights, rtol=1e-4)
    if after > 1:
        for variable in (model.w, *optimizer.variables()):
            parts = [copy.numpy().tolist() for copy in variable.values]
            assert parts == parts[:1] * after, variable.name


@COUNTS
def test_a_manager_goes_on_with_another_number_of_replicas(tmp_path, before, after):
    expected = None
    for count in (before, after):
        strategy, model, optimizer = built(count)
        step = tf.Variable(0, dtype=tf.int64)
        checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, step=step)
        manager = tf.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=2)
        manager.restore_or_initialize()
        if expected is not None:
            assert step.numpy() == 3
            found = seen(model, optimizer)
            same(found, {name: expected[name] for name in found})
        trained(strategy, model, optimizer, 3)
        step.assign_add(3)
        manager.save()
        expected = seen(model, optimizer)


@COUNTS
def test_a_saver_of_eager_mode_restores_another_number_of_replicas(tmp_path, before, after):
    strategy, model, optimizer = built(before)
    trained(strategy, model, optimizer)
    path = tf1.train.Saver(list(model.variables)).save(None, str(tmp_path / "saved"))
    expected = seen(model, tf1.train.GradientDescentOptimizer(1.0))
    strategy, model, optimizer = built(after)
    tf1.train.Saver(list(model.variables)).restore(None, path)
    same(seen(model, tf1.train.GradientDescentOptimizer(1.0)), expected)


def test_whole_numbers_that_replicas_add_up_stay_what_they_were(tmp_path):
    _, model, optimizer = built(2)
    model.count.assign(7)
    assert [each.numpy() for each in model.count.values] == [4, 3]
    path = checkpoint_of(model, optimizer).save(str(tmp_path / "saved"))
    _, other, optimizer = built(4)
    checkpoint_of(other, optimizer).restore(path)
    assert other.count.numpy() == 7


# -- in sessions -----------------------------------------------------------------------------------


def in_graph(count: int) -> tuple[Any, Any, Any]:
    """A strategy, its step, and the operation that starts its data."""
    strategy = strategy_of(count, tf1)
    with strategy.scope():
        steps = tf1.train.get_or_create_global_step()
        optimizer = tf1.train.AdamOptimizer(0.1)

        def step(x):
            w = tf1.get_variable("w", initializer=np.ones([4, 1], np.float32))
            options: dict[str, Any] = {"synchronization": ON_READ, "trainable": False}
            total = tf1.get_variable("total", initializer=0.0, aggregation=SUM, **options)
            mean = tf1.get_variable("mean", initializer=0.0, aggregation=MEAN, **options)
            loss = tf1.reduce_sum(tf1.square(tf1.matmul(x, w) - 1.0)) / 12
            number = tf1.cast(place(), tf1.float32)
            with tf1.control_dependencies([total.assign_add(number), mean.assign_add(number)]):
                return optimizer.minimize(loss, global_step=steps)

        data = tf1.data.Dataset.from_tensor_slices(X).batch(12).repeat()
        iterator = strategy.make_dataset_iterator(data)
        done = strategy.group(strategy.experimental_run(step, iterator))
    return strategy, done, iterator.initialize()


def values(session: Any) -> dict[str, Any]:
    variables = tf1.global_variables()
    return dict(zip([each.name for each in variables], session.run(variables), strict=True))


@COUNTS
def test_a_saver_restores_another_number_of_replicas(tmp_path, before, after):
    with tf1.Graph().as_default(), tf1.Session() as session:
        _, done, start = in_graph(before)
        session.run([tf1.global_variables_initializer(), start])
        for _ in range(3):
            session.run(done)
        path = tf1.train.Saver().save(session, str(tmp_path / "saved"))
        expected = values(session)
        session.run(done)
        further = values(session)["w:0"]
    with tf1.Graph().as_default(), tf1.Session() as session:
        _, done, start = in_graph(after)
        tf1.train.Saver().restore(session, path)
        same(values(session), expected)
        session.run(start)
        session.run(done)
        np.testing.assert_allclose(values(session)["w:0"], further, rtol=1e-4)
        for variable in tf1.trainable_variables():
            parts = [each.tolist() for each in session.run(list(getattr(variable, "values", [])))]
            assert parts == parts[:1] * len(parts)


def seen_by(variables: Any) -> Any:
    return lambda step_context: step_context.session.run(variables)


@COUNTS
def test_a_monitored_session_goes_on_with_another_number_of_replicas(tmp_path, before, after):
    expected = None
    for count in (before, after):
        with tf1.Graph().as_default():
            _, done, start = in_graph(count)
            tf1.add_to_collection(tf1.GraphKeys.TABLE_INITIALIZERS, start)
            variables = {each.name: each for each in tf1.global_variables()}
            with tf1.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path)) as session:
                if expected is not None:
                    same(session.run_step_fn(seen_by(variables)), expected)
                for _ in range(3):
                    session.run(done)
                expected = session.run_step_fn(seen_by(variables))
    assert expected["global_step:0"] == 6


@COUNTS
def test_first_values_come_from_a_checkpoint_of_another_number_of_replicas(tmp_path, before, after):
    with tf1.Graph().as_default(), tf1.Session() as session:
        _, done, start = in_graph(before)
        session.run([tf1.global_variables_initializer(), start])
        session.run([done])
        session.run([done])
        path = tf1.train.Saver().save(session, str(tmp_path / "saved"))
        expected = values(session)
    with tf1.Graph().as_default(), tf1.Session() as session:
        in_graph(after)
        tf1.train.init_from_checkpoint(path, {"/": "/"})
        session.run(tf1.global_variables_initializer())
        same(values(session), expected)
