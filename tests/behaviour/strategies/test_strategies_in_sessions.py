"""Replicas in the graph of a session, as TensorFlow 2.21 answered on logical CPUs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from replica_numbers import number_of_replica

import emplace.tensorflow.compat.v1 as tf1

pytestmark = pytest.mark.gpus(2, memory="64MB")
DEVICES = ("/gpu:0", "/gpu:1")
Aggregation, Synchronization = tf1.VariableAggregation, tf1.VariableSynchronization


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    with tf1.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def strategy(graph):
    return tf1.distribute.MirroredStrategy(DEVICES)


def number() -> Any:
    """1 in the first replica, 2 in the second."""
    place = tf1.distribute.get_replica_context().replica_id_in_sync_group
    return tf1.cast(place, tf1.float32) + 1.0


def started(*more: Any) -> Any:
    session = tf1.Session()
    session.run([tf1.global_variables_initializer(), tf1.local_variables_initializer(), *more])
    return session


def names(variables: Any) -> list[str]:
    return [each.name for each in variables]


def floats(values: Any) -> list[Any]:
    return [np.asarray(each).tolist() for each in values]


# -- variables -------------------------------------------------------------------------------------


def test_variables_are_mirrored_and_listed_once(strategy):
    with strategy.scope():
        v = tf1.Variable(1.0, name="v")
        with tf1.variable_scope("a"):
            w = tf1.get_variable("w", [2], initializer=tf1.ones_initializer())
        tf1.Variable(0, name="own", trainable=False, collections=[tf1.GraphKeys.LOCAL_VARIABLES])
    assert repr(v) == (
        "MirroredVariable:{\n  0: <tf.Variable 'v:0' shape=() dtype=float32>,\n"
        "  1: <tf.Variable 'v/replica_1:0' shape=() dtype=float32>\n}"
    )
    assert names(w.values) == ["a/w:0", "a/w/replica_1:0"]
    assert [each.device[-5:] for each in w.values] == ["GPU:0", "GPU:1"]
    assert names(tf1.global_variables()) == ["v:0", "a/w:0"]
    assert names(tf1.trainable_variables()) == ["v:0", "a/w:0"]
    assert names(tf1.local_variables()) == ["own:0"]
    with started() as session:
        assert session.run(v) == 1.0
        assert floats(session.run([v, w, *w.values])) == [1.0, [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]
        assert session.run(tf1.report_uninitialized_variables()).tolist() == []


def test_random_first_values_are_the_same_in_all_replicas(strategy):
    with strategy.scope():
        v = tf1.get_variable("v", [3])
    with started() as session:
        first, second = session.run(list(v.values))
    assert first.tolist() == second.tolist()
    assert len(set(first.tolist())) == 3


def test_a_variable_without_a_value_in_one_replica_is_reported(strategy):
    with strategy.scope():
        v = tf1.get_variable("v", initializer=1.0)
    with tf1.Session() as session:
        session.run(v.values[0].initializer)
        assert session.run(tf1.report_uninitialized_variables()).tolist() == [b"v"]
        session.run(v.initializer)
        assert session.run(tf1.report_uninitialized_variables()).tolist() == []


# (aggregation, on read): the components and what is read, after each replica r assigned, added and
# subtracted r + 1 to 10, and after all together assigned, added and subtracted 8.
BOTH = {"assign": [8, 8, 8], "assign_add": [18, 18, 18], "assign_sub": [2, 2, 2]}
NO_REDUCTION, NO_ADDING = "Could not convert from", "does not support `assign_"
MATRIX: dict[tuple[str, bool], tuple[dict[str, Any], dict[str, Any]]] = {
    ("NONE", False): (
        {"assign": [1, 2, 1], "assign_add": [11, 12, 11], "assign_sub": [9, 8, 9]}, BOTH,
    ),
    ("NONE", True): (
        {"assign": [1, 2], "assign_add": [11, 12], "assign_sub": [9, 8]},
        dict.fromkeys(BOTH, NO_REDUCTION),
    ),
    ("SUM", False): (
        {"assign": [3, 3, 3], "assign_add": [13, 13, 13], "assign_sub": [7, 7, 7]}, BOTH,
    ),
    ("SUM", True): (
        {"assign": [1, 2, 3], "assign_add": [11, 12, 23], "assign_sub": [9, 8, 17]},
        {"assign": [4, 4, 8], "assign_add": NO_ADDING, "assign_sub": NO_ADDING},
    ),
    ("MEAN", False): (
        {"assign": [1.5] * 3, "assign_add": [11.5] * 3, "assign_sub": [8.5] * 3}, BOTH,
    ),
    ("MEAN", True): (
        {"assign": [1, 2, 1.5], "assign_add": [11, 12, 11.5], "assign_sub": [9, 8, 8.5]}, BOTH,
    ),
    ("ONLY_FIRST_REPLICA", False): (
        {"assign": [1, 1, 1], "assign_add": [11, 11, 11], "assign_sub": [9, 9, 9]}, BOTH,
    ),
    ("ONLY_FIRST_REPLICA", True): (
        {"assign": [1, 2, 1], "assign_add": [11, 12, 11], "assign_sub": [9, 8, 9]}, BOTH,
    ),
}  # fmt: skip


@pytest.mark.parametrize("method", list(BOTH))
@pytest.mark.parametrize(("aggregation", "on_read"), list(MATRIX))
def test_changes_by_replicas_and_by_all_are_brought_together(
    strategy, aggregation, on_read, method
):
    for by_all in (False, True):
        wanted = MATRIX[aggregation, on_read][by_all][method]
        kind = Synchronization.ON_READ if on_read else Synchronization.AUTO
        with tf1.Graph().as_default(), strategy.scope():
            v = tf1.get_variable(
                "v", initializer=10.0, aggregation=Aggregation[aggregation], synchronization=kind
            )
            if isinstance(wanted, str):
                with pytest.raises(ValueError, match=wanted):
                    getattr(v, method)(8.0)
                continue
            if by_all:
                changed = getattr(v, method)(8.0)
            else:
                made = strategy.run(lambda v=v: getattr(v, method)(number()))
                changed = strategy.group(made)
            with started() as session:
                session.run(changed)
                found = session.run(list(v.values))
                if len(wanted) > 2:
                    found.append(session.run(v))
        assert found == wanted


def test_who_fetches_one_change_gets_all_of_them(strategy):
    with strategy.scope():
        v = tf1.get_variable("v", initializer=1.0)
        changed = v.assign(3.0)
    with started() as session:
        assert session.run(changed) == 3.0
        assert session.run(list(v.values)) == [3.0, 3.0]
        v.load(5.0, session)
        assert session.run(list(v.values)) == [5.0, 5.0]
        assert v.eval(session) == 5.0


def test_a_variable_that_is_read_as_a_sum_is_given_parts_of_one(strategy):
    with strategy.scope():
        v = tf1.get_variable(
            "v", initializer=1.0, synchronization=Synchronization.ON_READ,
            aggregation=Aggregation.SUM,
        )  # fmt: skip
    with started() as session:
        assert session.run([v, v]) == [2.0, 2.0]
        v.load(5.0, session)
        assert session.run(list(v.values)) == [2.5, 2.5]
        assert v.eval(session) == 5.0


def test_the_global_step_counts_steps_and_not_replicas(strategy):
    with strategy.scope():
        step = tf1.train.get_or_create_global_step()
        counted = strategy.group(strategy.run(lambda: tf1.assign_add(step, 1)))
    with started() as session:
        session.run(counted)
        session.run(counted)
        assert session.run(list(step.values)) == [2, 2]
        assert tf1.train.global_step(session, step) == 2


def test_names_follow_the_scopes_of_the_program(strategy):
    def step():
        with tf1.variable_scope("inner"):
            w = tf1.get_variable("w", [2])
            y = tf1.layers.dense(tf1.layers.dense(tf1.expand_dims(w, 0), 3), 3)
        with tf1.name_scope("ns"):
            tf1.Variable(1.0, name="u")
            return tf1.identity(y, name="y")

    with strategy.scope(), tf1.variable_scope("outer"):
        made = strategy.run(step)
    assert names(tf1.global_variables()) == [
        "outer/inner/w:0", "outer/inner/dense/kernel:0", "outer/inner/dense/bias:0",
        "outer/inner/dense_1/kernel:0", "outer/inner/dense_1/bias:0", "outer/ns/u:0",
    ]  # fmt: skip
    assert names(made.values) == ["outer/ns/y:0", "outer/replica_1/ns/y:0"]
    assert names(tf1.global_variables()[-1].values) == ["outer/ns/u:0", "outer/ns/u/replica_1:0"]


def test_variables_with_and_without_a_name_of_their_own_are_not_mixed_up(strategy):
    def step():
        first = tf1.get_variable("w", initializer=1.0)
        second = tf1.Variable(2.0, name="v")
        third = tf1.Variable(3.0, name="v")
        return first, second, third

    with strategy.scope():
        made = strategy.run(step)
    assert [type(each).__name__ for each in made] == ["MirroredVariable"] * 3
    with started() as session:
        assert session.run([list(each.values) for each in made]) == [[1, 1], [2, 2], [3, 3]]


def test_a_variable_that_only_a_later_replica_makes_is_refused(strategy):
    def step():
        place = number_of_replica()
        tf1.Variable(1.0, name="v" if place == 0 else "w")

    text = "Tried to create variable w with mismatching name on device 1: replica 0 has made 1 'v'"
    with strategy.scope(), pytest.raises(RuntimeError, match=text):
        strategy.run(step)


# -- inputs ----------------------------------------------------------------------------------------


def until_the_end(session: Any, fetches: Any) -> list[Any]:
    found = []
    while True:
        try:
            found.append(session.run(fetches))
        except tf1.errors.OutOfRangeError:
            return found


def test_an_iterator_over_a_dataset_shares_each_batch(strategy):
    data = tf1.data.Dataset.range(10).map(lambda x: tf1.cast(x, tf1.float32)).batch(4)
    with strategy.scope():
        iterator = strategy.make_dataset_iterator(data)
        made = strategy.experimental_run(lambda x: tf1.reduce_sum(x) * 2.0, iterator)
        total = strategy.reduce("SUM", made)
    assert iterator.output_types is tf1.float32
    assert iterator.output_shapes.as_list() == [None]
    parts = strategy.experimental_local_results(made)
    with started() as session:
        with pytest.raises(tf1.errors.FailedPreconditionError, match="has not been initialized"):
            session.run(total)
        for _ in range(2):
            session.run(iterator.initialize())
            found = until_the_end(session, (parts, total))
            assert found == [((2, 10), 12), ((18, 26), 44), ((16, 18), 34)]


def test_an_iterator_over_a_function_gives_each_replica_an_element(strategy):
    seen = []

    def data(context):
        seen.append((str(context), context.num_replicas_in_sync))
        return tf1.data.Dataset.range(7).batch(context.get_per_replica_batch_size(4))

    with strategy.scope():
        iterator = strategy.make_input_fn_iterator(data)
        made = strategy.experimental_run(lambda x: x * 2, iterator)
    assert seen == [("tf.distribute.InputContext(input pipeline id 0, total: 1)", 2)]
    with started(iterator.initialize()) as session:
        found = until_the_end(session, strategy.experimental_local_results(made))
    assert [floats(each) for each in found] == [[[0, 2], [4, 6]], [[8, 10], [12]]]


def test_elements_that_do_not_suffice_for_all_replicas_are_the_end(strategy):
    with strategy.scope():
        iterator = strategy.make_input_fn_iterator(lambda _: tf1.data.Dataset.range(5).batch(2))
        made = strategy.experimental_run(lambda x: x + 0, iterator)
    with started(iterator.initialize()) as session:
        found = until_the_end(session, strategy.experimental_local_results(made))
    assert [floats(each) for each in found] == [[[0, 1], [2, 3]]]


def test_an_input_function_may_return_a_function(strategy):
    with strategy.scope():
        iterator = strategy.make_input_fn_iterator(lambda _: lambda: tf1.constant(3.0))
        made = strategy.experimental_run(lambda x: x * number(), iterator)
    with started(iterator.initialize()) as session:
        assert session.run(strategy.experimental_local_results(made)) == (3.0, 6.0)


def test_what_is_no_dataset_and_no_function_is_refused(strategy):
    text = "input_fn must return a tf.data.Dataset or a callable."
    with strategy.scope(), pytest.raises(ValueError, match=text):
        strategy.make_input_fn_iterator(lambda _: 3)


def test_a_distributed_dataset_makes_iterators_for_sessions(strategy):
    with strategy.scope():
        data = strategy.experimental_distribute_dataset(tf1.data.Dataset.range(10).batch(4))
        iterator = tf1.data.make_initializable_iterator(data)
        also = data.make_initializable_iterator()
        parts = strategy.experimental_local_results(iterator.get_next())
        others = strategy.experimental_local_results(also.get_next())
        for make in (data.make_one_shot_iterator, lambda: tf1.data.make_one_shot_iterator(data)):
            with pytest.raises(ValueError, match=r"Cannot create a one shot iterator\. Please"):
                make()
        with pytest.raises(RuntimeError, match="__iter__\\(\\) is only supported inside of"):
            iter(data)
    assert repr(iterator.element_spec) == (
        "PerReplicaSpec(TensorSpec(shape=(None,), dtype=tf.int64, name=None), "
        "TensorSpec(shape=(None,), dtype=tf.int64, name=None))"
    )
    with started(iterator.initializer, also.initializer) as session:
        assert floats(session.run(parts)) == [[0, 1], [2, 3]]
        assert floats(session.run(others)) == [[0, 1], [2, 3]]
        found = until_the_end(session, parts)
        assert [floats(each) for each in found] == [[[4, 5], [6, 7]], [[8], [9]]]
        session.run(iterator.initializer)
        assert floats(session.run(parts)) == [[0, 1], [2, 3]]


def test_a_dataset_that_a_function_makes_is_distributed_for_sessions(strategy):
    with strategy.scope():
        data = strategy.distribute_datasets_from_function(
            lambda context: tf1.data.Dataset.range(8).batch(context.get_per_replica_batch_size(4))
        )
        iterator = data.make_initializable_iterator()
        parts = strategy.experimental_local_results(iterator.get_next())
    with started(iterator.initializer) as session:
        found = until_the_end(session, parts)
    assert [floats(each) for each in found] == [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]


def test_arrays_become_a_dataset(strategy):
    arrays = {"a": np.arange(6.0), "b": np.arange(12).reshape(6, 2)}
    with strategy.scope(), tf1.Session() as session:
        data = strategy.experimental_make_numpy_dataset(arrays, session=session)
        iterator = strategy.make_dataset_iterator(data.batch(4))
        parts = strategy.experimental_local_results(iterator.get_next())
        session.run(iterator.initialize())
        found = session.run(parts)
    assert [each["a"].tolist() for each in found] == [[0, 1], [2, 3]]
    assert found[1]["b"].tolist() == [[4, 5], [6, 7]]


def test_fed_values_choose_the_data(strategy):
    size = tf1.placeholder(tf1.int64, [])
    with strategy.scope():
        iterator = strategy.make_dataset_iterator(tf1.data.Dataset.range(size).batch(4))
        parts = strategy.experimental_local_results(iterator.get_next())
    with tf1.Session() as session:
        for count, wanted in ((2, [[0], [1]]), (3, [[0, 1], [2]])):
            session.run(iterator.initialize(), {size: count})
            assert floats(session.run(parts)) == wanted


# -- values ----------------------------------------------------------------------------------------


def test_a_session_fetches_no_values_of_several_replicas(strategy):
    with strategy.scope():
        made = strategy.run(number)
    text = 'has invalid type "PerReplica" must be a string or Tensor. \\(Can not convert a PerRep'
    with tf1.Session() as session, pytest.raises(TypeError, match=text):
        session.run(made)


def test_replicas_run_on_their_devices_and_reduce(strategy):
    with strategy.scope():
        made = strategy.run(lambda: number() * [1.0, 2.0])
        total, mean = strategy.reduce("SUM", made), strategy.reduce("MEAN", made, 0)
        joined = strategy.gather(made, 0)
    assert [each.device[-5:] for each in made.values] == ["GPU:0", "GPU:1"]
    with tf1.Session() as session:
        assert floats(session.run([total, mean, joined])) == [[3.0, 6.0], 2.25, [1, 2, 2, 4]]


def test_replicas_reduce_among_themselves(strategy):
    def step():
        return tf1.distribute.get_replica_context().all_reduce("SUM", number())

    with strategy.scope():
        parts = strategy.experimental_local_results(strategy.run(step))
    with tf1.Session() as session:
        assert session.run(parts) == (3.0, 3.0)


def test_what_any_replica_waits_for_happens_before_they_meet(strategy):
    with strategy.scope():
        v = tf1.get_variable("v", initializer=0.0)

        def step():
            with tf1.control_dependencies([v.assign_add(number())]):
                return tf1.distribute.get_replica_context().merge_call(
                    lambda strategy: tf1.constant(1.0)
                )

        made = strategy.run(step)
    assert made.op.name.endswith("Const")
    with started() as session:
        session.run(made)
        assert session.run(list(v.values)) == [1.0, 2.0]


def test_metrics_are_those_of_all_replicas(strategy):
    def step(x):
        return (*tf1.metrics.mean(x), *tf1.metrics.accuracy(tf1.zeros_like(x), x))

    with strategy.scope():
        iterator = strategy.make_dataset_iterator(tf1.data.Dataset.range(6).batch(4))
        mean, mean_update, accuracy, accuracy_update = strategy.experimental_run(step, iterator)
    assert isinstance(mean, tf1.Tensor)
    assert {type(each).__name__ for each in tf1.local_variables()} == {"SyncOnReadVariable"}
    updates = [each for part in (mean_update, accuracy_update) for each in part.values]
    with started(iterator.initialize()) as session:
        assert session.run(updates) == [0.5, 2.5, 0.5, 0.0]
        assert session.run([mean, accuracy]) == [1.5, 0.25]
        session.run(updates)
        assert session.run([mean, accuracy]) == pytest.approx([2.5, 1 / 6])


SHARED_METRICS = {
    "root_mean_squared_error": lambda m, a, b: m.root_mean_squared_error(tf1.ones_like(b), b),
    "precision": lambda m, a, b: m.precision(a, b),
    "true_positives": lambda m, a, b: m.true_positives(a, b),
    "precision_at_thresholds": lambda m, a, b: m.precision_at_thresholds(a, b, [0.5]),
    "true_negatives_at_thresholds": lambda m, a, b: m.true_negatives_at_thresholds(a, b, [0.5]),
    "auc": lambda m, a, b: m.auc(a, b),
    "sensitivity_at_specificity": lambda m, a, b: m.sensitivity_at_specificity(a, b, 0.5),
    "mean_iou": lambda m, a, b: m.mean_iou(a, b, 2),
    "mean_per_class_accuracy": lambda m, a, b: m.mean_per_class_accuracy(a, b, 3),
    "average_precision_at_k": lambda m, a, b: m.average_precision_at_k(
        a, tf1.stack([b, 1.0 - b], 1), 2
    ),
}


@pytest.mark.parametrize("name", SHARED_METRICS)
def test_a_metric_of_all_replicas_is_one_tensor_and_that_of_all_they_saw(strategy, name):
    seen = np.float32([[1, 0.0], [0, 1.0], [1, 1.0], [0, 0.0]])

    def step(x):
        return SHARED_METRICS[name](tf1.metrics, tf1.cast(x[:, 0], tf1.int64), x[:, 1])

    with strategy.scope():
        dataset = tf1.data.Dataset.from_tensor_slices(seen).batch(4, drop_remainder=True)
        iterator = strategy.make_dataset_iterator(dataset)
        value, update = strategy.experimental_run(step, iterator)
    alone, alone_update = step(tf1.constant(seen))
    assert isinstance(value, tf1.Tensor)
    with started(iterator.initialize()) as session:
        session.run([*update.values, alone_update])
        assert session.run(value) == pytest.approx(session.run(alone))


def test_the_first_replica_alone_writes_summaries(strategy):
    def step():
        tf1.summary.scalar("a", number())
        return tf1.summary.histogram("b", [1.0])

    with strategy.scope():
        made = strategy.run(step)
    assert names(tf1.get_collection(tf1.GraphKeys.SUMMARIES)) == ["a:0", "b:0"]
    with tf1.Session(config=tf1.ConfigProto(allow_soft_placement=True)) as session:
        found = tf1.Summary.FromString(session.run(tf1.summary.merge_all()))
        assert session.run(made.values[1]) == b""
    assert [(each.tag, each.simple_value) for each in found.value] == [("a", 1.0), ("b", 0.0)]


def test_a_replica_finds_its_own_losses(strategy):
    def step():
        w = tf1.get_variable("w", initializer=2.0, regularizer=lambda v: v * v)
        tf1.losses.absolute_difference([0.0], [w * number()])
        total = tf1.losses.get_total_loss()
        return total, tf1.gradients(total, [w])[0]

    with strategy.scope():
        totals, grads = strategy.run(step)
    assert len(tf1.losses.get_losses()) == 2
    assert len(tf1.losses.get_regularization_losses()) == 1
    with started() as session:
        assert session.run([*totals.values, *grads.values]) == [6.0, 8.0, 5.0, 6.0]


def test_the_scope_of_a_strategy_is_of_one_graph(strategy, graph):
    with strategy.scope():
        with tf1.Graph().as_default():
            assert not tf1.distribute.has_strategy()
            with tf1.distribute.OneDeviceStrategy("/cpu:0").scope(), graph.as_default():
                assert not tf1.distribute.has_strategy()
        with graph.as_default():
            assert tf1.distribute.get_strategy() is strategy


def test_losses_are_added_up_unless_an_estimator_says_otherwise(strategy):
    with strategy.scope():
        assert tf1.distribute.get_loss_reduction() is tf1.distribute.ReduceOp.SUM


def test_the_config_of_a_session_is_copied(strategy):
    config = tf1.ConfigProto(log_device_placement=True)
    made = strategy.update_config_proto(config)
    assert made.isolate_session_state
    assert made.log_device_placement
    assert not config.isolate_session_state
    assert strategy.configure(config) is None


# -- variables on one device -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["gradient descent", "adam"])
def test_replicas_train_variables_of_central_storage(kind):
    """TensorFlow's losses, w and learning rates' powers of four steps."""
    make, losses, w = {
        "gradient descent": (
            tf1.train.GradientDescentOptimizer, [5.0, 30.375, 126.528763, 33.05328], 5.923499,
        ),
        "adam": (tf1.train.AdamOptimizer, [5.0, 60.014999, 4.220346, 48.396637], 1.681463),
    }[kind]  # fmt: skip
    strategy = tf1.distribute.experimental.CentralStorageStrategy(DEVICES, "/cpu:0")
    with strategy.scope():
        count = tf1.train.get_or_create_global_step()
        data = tf1.data.Dataset.range(8).map(lambda x: tf1.cast(x, tf1.float32)).batch(4).repeat()
        data = strategy.experimental_distribute_dataset(data)
        iterator = data.make_initializable_iterator()
        optimizer = make(0.1)

        def step(x):
            w = tf1.Variable(2.0, name="w")
            loss = tf1.reduce_mean((w * x - 3.0) ** 2) / 2
            with tf1.control_dependencies([optimizer.minimize(loss, global_step=count)]):
                return tf1.identity(loss)

        parts = strategy.run(step, args=(iterator.get_next(),))
        loss = strategy.reduce("SUM", parts, axis=None)
    assert names(tf1.trainable_variables()) == ["w:0"]
    assert {type(variable).__name__ for variable in tf1.global_variables()} == {
        "AggregatingVariable"
    }
    assert tf1.trainable_variables()[0].device[-5:] == "CPU:0"
    config = tf1.ConfigProto(allow_soft_placement=True)
    with tf1.Session(config=config) as session:
        session.run([tf1.global_variables_initializer(), iterator.initializer])
        assert [session.run(loss) for _ in range(4)] == pytest.approx(losses, rel=1e-5)
        assert session.run(tf1.trainable_variables()) == pytest.approx([w], rel=1e-5)
        assert session.run(count) == 4
