"""Variables of several replicas: what is read and written, by whom, as TensorFlow 2.21 answered.

Two replicas; a variable begins as 10; replica r gives r + 1, and all of them together 8.
"""

from __future__ import annotations

import copy

import pytest

import emplace.tensorflow as tf

SYNC, AGGREGATION = tf.VariableSynchronization, tf.VariableAggregation
OPS = ("assign", "assign_add", "assign_sub")
# What the components hold after each of OPS.
BY_REPLICAS = {
    ("ON_WRITE", "NONE"): ([1, 2], [11, 12], [9, 8]),
    ("ON_WRITE", "SUM"): ([3, 3], [13, 13], [7, 7]),
    ("ON_WRITE", "MEAN"): ([1.5, 1.5], [11.5, 11.5], [8.5, 8.5]),
    ("ON_WRITE", "ONLY_FIRST_REPLICA"): ([1, 1], [11, 11], [9, 9]),
    ("ON_READ", "SUM"): ([1, 2], [11, 12], [9, 8]),
    ("ON_READ", "MEAN"): ([1, 2], [11, 12], [9, 8]),
    ("ON_READ", "ONLY_FIRST_REPLICA"): ([1, 2], [11, 12], [9, 8]),
}
READS = {
    "SUM": (3, 23, 17), "MEAN": (1.5, 11.5, 8.5), "ONLY_FIRST_REPLICA": (1, 11, 9),
}  # fmt: skip
TOGETHER = {"assign": [8, 8], "assign_add": [18, 18], "assign_sub": [2, 2]}
CASES = [
    (sync, aggregation, op, expected[i])
    for (sync, aggregation), expected in BY_REPLICAS.items()
    for i, op in enumerate(OPS)
]


def number():
    return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)


def made(strategy, sync="AUTO", aggregation="NONE", value=10.0, **options):
    with strategy.scope():
        return tf.Variable(
            value, synchronization=SYNC[sync], aggregation=AGGREGATION[aggregation], **options
        )


def held(variable):
    return [float(each.numpy()) for each in variable.values]


@pytest.fixture
def strategy(two_cpus):
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


@pytest.fixture
def two_cpus():
    device = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(device, [tf.config.LogicalDeviceConfiguration()] * 2)


@pytest.mark.parametrize("as_function", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize(("sync", "aggregation", "op", "expected"), CASES)
def test_replicas_change_a_variable(strategy, sync, aggregation, op, expected, as_function):
    v = made(strategy, sync, aggregation)

    def step():
        strategy.run(lambda: getattr(v, op)(number() + 1))

    (tf.function(step) if as_function else step)()
    assert held(v) == expected
    if sync == "ON_READ":
        assert v.numpy() == READS[aggregation][OPS.index(op)]
    else:
        assert v.numpy() == expected[0]


@pytest.mark.parametrize("as_function", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("aggregation", ["NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"])
def test_a_mirrored_variable_changes_everywhere_at_once(strategy, aggregation, op, as_function):
    v = made(strategy, "ON_WRITE", aggregation)
    step = tf.function(lambda: getattr(v, op)(8.0)) if as_function else lambda: getattr(v, op)(8.0)
    step()
    assert held(v) == TOGETHER[op]


def test_a_variable_synchronised_on_reading_is_written_as_a_whole(strategy):
    v = made(strategy, "ON_READ", "SUM")
    assert v.assign(8.0).numpy() == 8.0
    assert held(v) == [4.0, 4.0]
    for op in ("assign_add", "assign_sub"):
        with pytest.raises(
            ValueError, match=f"SyncOnReadVariable does not support `{op}` in cross"
        ):
            getattr(v, op)(8.0)
    for aggregation in ("MEAN", "ONLY_FIRST_REPLICA"):
        for op in OPS:
            v = made(strategy, "ON_READ", aggregation)
            getattr(v, op)(8.0)
            assert held(v) == TOGETHER[op]


def test_without_an_aggregation_a_variable_cannot_be_read_as_a_whole(strategy):
    v = made(strategy, "ON_READ", "NONE")
    strategy.run(lambda: v.assign(number()))
    text = "Could not convert from `tf.VariableAggregation` VariableAggregationV2.NONE to`tf.dist"
    for use in (v.numpy, v.read_value, lambda: v.assign(1.0), lambda: v + 1.0):
        with pytest.raises(ValueError, match=text):
            use()


def test_the_same_python_number_of_all_replicas_has_no_sum(strategy):
    v = made(strategy, "ON_WRITE", "SUM")
    with pytest.raises(
        ValueError, match=r"value 8.0 cannot be reduced with the given reduce op Red"
    ):
        strategy.run(lambda: v.assign(8.0))
    assert held(v) == [10.0, 10.0]
    for aggregation in ("MEAN", "ONLY_FIRST_REPLICA"):
        v = made(strategy, "ON_WRITE", aggregation)
        strategy.run(lambda v=v: v.assign_add(8.0))
        assert held(v) == [18.0, 18.0]


@pytest.mark.parametrize("sync", ["ON_WRITE", "ON_READ"])
@pytest.mark.parametrize("count", [1, 2])
def test_a_change_that_nobody_is_to_read_is_an_operation_of_a_graph(two_cpus, count, sync):
    devices, ops = [f"CPU:{i}" for i in range(count)], OPS if sync == "ON_WRITE" else OPS[:1]
    v = made(tf.distribute.MirroredStrategy(devices), sync, "SUM")
    for op in ops:
        assert getattr(v, op)(4.0, read_value=False) is None
    found = []
    tf.function(lambda: found.extend(getattr(v, op)(4.0, read_value=False) for op in ops))()
    with tf.Graph().as_default():
        strategy = tf.distribute.MirroredStrategy(devices)
        v = made(strategy, sync, "SUM")
        changes = [getattr(v, op)(4.0, read_value=False) for op in ops]
        with tf.compat.v1.Session() as session:
            session.run(v.initializer)
            for change, value in zip(changes, (4.0, 8.0, 4.0), strict=False):
                assert session.run(change) is None
                assert session.run(v) == value
    assert {type(each) for each in found + changes} == {tf.Operation}


def test_what_changed_the_variable_of_one_replica_changes_it_again(two_cpus):
    v = made(tf.distribute.MirroredStrategy(["CPU:0"]))
    v.assign(1.0).assign_add(2.0).assign_sub(0.5)
    assert held(v) == [2.5]
    tf.function(lambda: v.assign_add(1.0).assign_add(1.0))()
    assert held(v) == [4.5]


def test_components_are_called_after_their_replicas(strategy):
    v = made(strategy, value=1.0, name="v")
    assert [each.name for each in v.values] == ["v:0", "v/replica_1:0"]
    assert v.name == "v:0"
    assert [each.device[-5:] for each in v.values] == ["CPU:0", "CPU:1"]
    assert repr(v) == (
        "MirroredVariable:{\n"
        "  0: <tf.Variable 'v:0' shape=() dtype=float32, numpy=1.0>,\n"
        "  1: <tf.Variable 'v/replica_1:0' shape=() dtype=float32, numpy=1.0>\n}"
    )
    assert v.synchronization is SYNC.ON_WRITE
    assert v.aggregation is AGGREGATION.NONE
    assert isinstance(v, tf.Variable)
    assert isinstance(v, tf.distribute.DistributedValues)
    assert repr(made(strategy, "ON_READ", "SUM")).startswith("SyncOnReadVariable:{")


def test_random_initial_values_agree(strategy):
    v = made(strategy, value=lambda: tf.random.uniform([4]))
    assert v.values[0].numpy().tolist() == v.values[1].numpy().tolist()


def test_what_is_synchronised_on_reading_is_not_trainable_unless_asked(strategy):
    assert not made(strategy, "ON_READ", "SUM").trainable
    assert made(strategy, "ON_READ", "SUM", trainable=True).trainable
    assert made(strategy).trainable


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"synchronization": SYNC.NONE, "name": "n"},
            "`NONE` variable synchronization mode is not",
        ),
        ({"aggregation": "SUM"}, "Invalid variable aggregation mode: SUM for variable: None"),
        ({"synchronization": "ON_READ"}, "Invalid variable synchronization mode: ON_READ for vari"),
    ],
)
def test_modes_that_no_strategy_has_are_refused(strategy, options, text):
    with strategy.scope(), pytest.raises(ValueError, match=text):
        tf.Variable(1.0, **options)


def test_a_mean_of_integers_is_refused(strategy):
    with pytest.raises(
        ValueError, match="aggregation=MEAN and a non-floating dtype is not support"
    ):
        made(strategy, aggregation="MEAN", value=1)


def test_a_read_takes_the_component_on_the_current_device(strategy):
    v = made(strategy)
    strategy.run(lambda: v.assign(number()))
    assert v.numpy() == 0.0
    with tf.device("CPU:1"):
        assert v.numpy() == 1.0
    assert [x.numpy() for x in strategy.run(lambda: v + 1.0).values] == [1.0, 2.0]


def test_a_handle_is_a_replicas(strategy):
    v = made(strategy)
    with strategy.scope(), pytest.raises(ValueError, match="handle is not available outside the"):
        v.handle  # noqa: B018

    def own():
        place = int(tf.distribute.get_replica_context().replica_id_in_sync_group)
        return v.handle is v.values[place].handle

    assert strategy.run(own) is True


def test_a_variable_made_in_replicas_is_one(strategy):
    v = strategy.run(lambda: tf.Variable(number() + 1, name="made"))
    assert type(v).__name__ == "MirroredVariable"
    assert held(v) == [1.0, 1.0]
    assert [each.name for each in v.values] == ["made:0", "made/replica_1:0"]


def test_a_variable_made_in_replicas_of_a_function_is_one(strategy):
    kept = []

    @tf.function
    def step():
        def replica():
            if not kept:
                kept.append(tf.Variable(3.0, name="inside"))
            return kept[0] + number()

        return strategy.run(replica)

    assert [x.numpy() for x in step().values] == [3.0, 4.0]
    assert held(kept[0]) == [3.0, 3.0]


def test_a_variable_from_outside_is_changed_by_each_replica_in_turn(strategy):
    v = tf.Variable(1.0)
    strategy.run(lambda: v.assign_add(1.0))
    assert v.numpy() == 3.0


def test_variables_of_two_strategies_do_not_mix(strategy):
    v, other = made(strategy), tf.distribute.MirroredStrategy(["CPU:1"])
    for use in (lambda: v.assign(1.0), v.numpy):
        with other.scope(), pytest.raises(RuntimeError, match="Mixing different"):
            use()
    with pytest.raises(RuntimeError, match="Mixing different"):
        other.run(lambda: v.assign(1.0))


# By replicas: 2 to place 0, 4 to place 1 of [1, 2, 3]; TensorFlow's answers.
SCATTERED = {
    ("add", "SUM"): [[3, 6, 3], [3, 6, 3]],
    ("add", "ONLY_FIRST_REPLICA"): [[3, 2, 3], [3, 2, 3]],
    ("add", "NONE"): [[3, 2, 3], [1, 6, 3]],
    ("sub", "SUM"): [[-1, -2, 3], [-1, -2, 3]],
    ("sub", "ONLY_FIRST_REPLICA"): [[-1, 2, 3], [-1, 2, 3]],
    ("sub", "NONE"): [[-1, 2, 3], [1, -2, 3]],
    ("mul", "NONE"): [[2, 2, 3], [1, 8, 3]],
    ("max", "ONLY_FIRST_REPLICA"): [[2, 2, 3], [2, 2, 3]],
    ("max", "NONE"): [[2, 2, 3], [1, 4, 3]],
    ("update", "NONE"): [[2, 2, 3], [1, 4, 3]],
}


def slices():
    place = tf.distribute.get_replica_context().replica_id_in_sync_group
    return tf.IndexedSlices(tf.reshape(number() + 1, [1]) * 2, tf.reshape(place, [1]))


@pytest.mark.parametrize("as_function", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize(("op", "aggregation"), SCATTERED)
def test_replicas_scatter_into_a_variable(strategy, op, aggregation, as_function):
    v = made(strategy, aggregation=aggregation, value=[1.0, 2.0, 3.0])

    def step():
        strategy.run(lambda: getattr(v, f"scatter_{op}")(slices()))

    (tf.function(step) if as_function else step)()
    assert [each.numpy().tolist() for each in v.values] == SCATTERED[op, aggregation]


def test_scattering_that_cannot_be_brought_together_is_refused(strategy):
    v = made(strategy, aggregation="SUM", value=[1.0, 2.0, 3.0])
    with pytest.raises(
        NotImplementedError, match="scatter_min is only supported for mirrored varia"
    ):
        strategy.run(lambda: v.scatter_min(slices()))
    v = made(strategy, "ON_READ", "SUM", value=[1.0, 2.0, 3.0])
    with pytest.raises(
        NotImplementedError, match="`synchronization=ON_READ` doesn't support `scatt"
    ):
        strategy.run(lambda: v.scatter_add(slices()))
    with pytest.raises(NotImplementedError, match="has no scatter_nd_add"):
        v.scatter_nd_add([[0]], [1.0])


def test_a_copy_of_a_variable_has_components_of_its_own(strategy):
    v = made(strategy)
    copied = copy.deepcopy(v)
    strategy.run(lambda: v.assign(number()))
    assert held(copied) == [10.0, 10.0]
    assert type(copied) is type(v)


def test_an_update_runs_on_every_component(strategy):
    v = made(strategy)
    values = strategy.run(lambda: number() + 1)
    with strategy.scope():
        found = strategy.extended.update(v, lambda a, b: a.assign(b), args=(values,))
    assert held(v) == [1.0, 2.0]
    assert type(found).__name__ == "Mirrored"
    names = strategy.extended.update(v, lambda a: (a.name, a.device[-5:]), group=False)
    assert names == (("Variable:0", "Variable/replica_1:0"), ("CPU:0", "CPU:1"))


def test_an_update_in_a_replica_is_of_its_component(strategy):
    v = made(strategy, value=1.0)
    strategy.run(
        lambda: strategy.extended.update(v, lambda a, b: a.assign_add(b), args=(number() + 1,))
    )
    assert held(v) == [2.0, 3.0]


def test_variables_are_made_beside_others_of_the_strategy_only(strategy):
    v, other = made(strategy), tf.Variable(1.0)
    assert strategy.extended.variable_created_in_scope(v)
    assert not strategy.extended.variable_created_in_scope(other)
    with strategy.scope():
        with strategy.extended.colocate_vars_with(v):
            assert type(tf.Variable(2.0)).__name__ == "MirroredVariable"
        scope = strategy.extended.colocate_vars_with(other)
        with pytest.raises(ValueError, match="must only be passed a variable"), scope:
            pass


def test_central_storage_keeps_one_variable(two_cpus):
    strategy = tf.distribute.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"])
    v, alone = made(strategy, aggregation="SUM", value=1.0), made(strategy, value=1.0)
    assert type(v).__name__ == "AggregatingVariable"
    assert repr(v) == "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>"
    strategy.run(lambda: v.assign_add(number() + 1))
    assert v.numpy() == 4.0
    assert [x.numpy() for x in strategy.run(lambda: v + 1.0).values] == [5.0, 5.0]
    with pytest.raises(
        ValueError, match="You must specify an aggregation method to update a Aggre"
    ):
        strategy.run(lambda: alone.assign_add(1.0))
    assert alone.assign(2.0).numpy() == 2.0


@pytest.mark.gpus(0)
def test_central_storage_keeps_what_each_replica_counts(two_cpus):
    # As Keras's metrics count.
    strategy = tf.distribute.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"])
    total = made(strategy, "ON_READ", "SUM", value=0.0)
    strategy.run(lambda: total.assign(total + number() + 1))
    strategy.run(lambda: total.assign(total + number() + 1))
    assert total.numpy() == 6.0
    assert [each.device[-5:] for each in total.values] == ["CPU:0", "CPU:0"]
    assert total.assign(0.0).numpy() == 0.0


@pytest.mark.gpus(2)
@pytest.mark.parametrize("kind", ["mirrored", "central"])
def test_a_module_finds_a_variable_of_all_replicas_once(kind):
    made = {
        "mirrored": tf.distribute.MirroredStrategy,
        "central": tf.distribute.experimental.CentralStorageStrategy,
    }[kind](["GPU:0", "GPU:1"])

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(1.0)
            self.steps = tf.Variable(0, trainable=False)

    with made.scope():
        model = Model()
    assert [id(each) for each in model.variables] == [id(model.steps), id(model.w)]
    assert [id(each) for each in model.trainable_variables] == [id(model.w)]
    assert model.submodules == ()


@pytest.mark.gpus(2)
@pytest.mark.parametrize("kind", ["mirrored", "central"])
def test_replicas_share_the_variables_that_they_make(kind):
    made = {
        "mirrored": tf.distribute.MirroredStrategy,
        "central": tf.distribute.experimental.CentralStorageStrategy,
    }[kind](["GPU:0", "GPU:1"])
    seen = []

    def step():
        seen.append([tf.Variable(1.0, name="a"), tf.Variable(2.0, name="b"), tf.Variable(3.0)])

    made.run(step)
    first, second = seen
    assert [id(each) for each in first] == [id(each) for each in second]
    assert [each.numpy() for each in first] == [1.0, 2.0, 3.0]
