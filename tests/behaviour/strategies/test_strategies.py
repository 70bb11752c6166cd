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


@pytest.mark.parametrize("kind", ["default", "one device"])
def test_a_list_is_reduced_along_an_axis_as_one_tensor(kind):
    one = tf.distribute.OneDeviceStrategy("CPU:0")
    strategy = tf.distribute.get_strategy() if kind == "default" else one
    values = [tf.constant([1, 2]), tf.constant([3, 5])]
    assert strategy.reduce("SUM", values, axis=0).numpy().tolist() == [4, 7]
    found = strategy.reduce("MEAN", values[1], axis=0)
    assert (found.dtype, found.numpy()) == (tf.float64, 4.0)


def test_the_scope_of_the_default_strategy_changes_nothing():
    default = tf.distribute.get_strategy()
    other = tf.distribute.MirroredStrategy(["CPU:0"])
    with other.scope():
        v = tf.Variable(1.0)
    with default.scope() as strategy:
        assert strategy is default
        assert not tf.distribute.in_cross_replica_context()
        assert tf.distribute.get_replica_context().num_replicas_in_sync == 1
        assert tf.distribute.get_replica_context().merge_call(lambda s: s) is default
        assert v.assign_add(2.0).numpy() == 3.0
        made = tf.Variable(1.0, synchronization=tf.VariableSynchronization.NONE)
        assert made.synchronization is tf.VariableSynchronization.NONE
    for use in (default.scope().__enter__, lambda: default.run(lambda: 1)):
        with other.scope(), pytest.raises(RuntimeError, match=r"Must not nest tf\.distribute"):
            use()


def test_outside_of_strategies_the_number_of_the_replica_is_a_plain_one():
    number = tf.distribute.get_replica_context().replica_id_in_sync_group
    assert (type(number), number) == (int, 0)


def test_the_default_strategy_converts_what_it_runs_in_a_function():
    def step(x):
        if x > 0.0:
            x = x * 2.0
        return x

    @tf.function
    def run(x):
        return tf.distribute.get_strategy().run(step, args=(x,))

    assert run(tf.constant(3.0)).numpy() == 6.0


def test_an_update_speaks_of_all_replicas_and_of_one_strategy():
    strategy = tf.distribute.OneDeviceStrategy("CPU:0")
    with strategy.scope():
        v = tf.Variable(1.0)
    update = strategy.extended.update
    found = update(v, lambda v: [tf.distribute.in_cross_replica_context(), 2], group=False)
    assert found == [(True,), (2,)]
    call = strategy.extended.call_for_each_replica
    with tf.distribute.OneDeviceStrategy("CPU:0").scope():
        for use in (lambda: update(v, lambda v: 1), lambda: call(lambda: 1)):
            with pytest.raises(RuntimeError, match="Mixing different"):
                use()


@pytest.mark.gpus(1, memory="64MB")
def test_replicas_scatter_into_a_shared_variable_in_turn():
    strategy = tf.distribute.experimental.CentralStorageStrategy(["CPU:0", "GPU:0"])
    for aggregation in tf.VariableAggregation:
        for synchronization in ("NONE", "AUTO", "ON_WRITE"):
            with strategy.scope():
                v = tf.Variable(
                    [1.0, 2.0], aggregation=aggregation,
                    synchronization=tf.VariableSynchronization[synchronization],
                )  # fmt: skip
            slices = tf.IndexedSlices(tf.constant([5.0]), tf.constant([1]))
            strategy.run(lambda v, slices: v.scatter_add(slices), args=(v, slices))
            assert v.numpy().tolist() == [1.0, 12.0]
            assert not tf.distribute.get_strategy().extended.variable_created_in_scope(v)
    with strategy.scope():
        tf.Variable([1], aggregation=tf.VariableAggregation.MEAN)


@pytest.mark.gpus(2, memory="64MB")
def test_a_strategy_of_a_device_puts_variables_there():
    with tf.distribute.OneDeviceStrategy("GPU:1").scope():
        v = tf.Variable([1.0])
    assert v.device.endswith("GPU:1")


def test_strategies_that_are_not_there_say_what_to_use():
    with pytest.raises(NotImplementedError, match=r"no tf.distribute.TPUStrategy. Use"):
        tf.distribute.TPUStrategy()


def test_the_default_strategy_lets_tapes_see_what_it_runs():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.distribute.get_strategy().run(lambda z: z * z, args=(x,))
    assert tape.gradient(y, x).numpy() == 6.0


def test_the_default_replica_meets_itself():
    # TensorFlow: inside, all replicas are spoken of and there is no replica's context.
    context = tf.distribute.get_replica_context()
    assert context.merge_call(
        lambda s, x: (tf.distribute.in_cross_replica_context(), x), args=(4,)
    ) == (True, 4)
    assert context.all_reduce("SUM", [1.0, tf.constant(2)])[1].numpy() == 2


def test_a_scope_that_is_entered_and_left_to_itself_stays_open():
    strategy = tf.distribute.OneDeviceStrategy("CPU:0")
    scope = strategy.scope()
    assert scope.__enter__() is strategy
    try:
        assert tf.distribute.get_strategy() is strategy
    finally:
        scope.__exit__(None, None, None)


def test_a_strategy_can_be_set_for_the_whole_program():
    strategy = tf.distribute.OneDeviceStrategy("CPU:0")
    tf.distribute.experimental_set_strategy(strategy)
    try:
        assert tf.distribute.get_strategy() is strategy
        assert tf.distribute.has_strategy()
        with tf.distribute.get_strategy().scope(), pytest.raises(RuntimeError, match="Must not be"):
            strategy.run(lambda: tf.distribute.experimental_set_strategy(None))
        mirrored = tf.distribute.MirroredStrategy(["CPU:0"])
        tf.distribute.experimental_set_strategy(mirrored)
        assert isinstance(tf.Variable(1.0), tf.distribute.DistributedValues)
    finally:
        tf.distribute.experimental_set_strategy(None)
    assert type(tf.Variable(1.0)) is tf.Variable
    assert not tf.distribute.has_strategy()


def test_positional_arguments_of_run_are_a_list_or_a_tuple():
    with pytest.raises(ValueError, match="positional args must be a list or tuple, got <class 'i"):
        tf.distribute.get_strategy().run(lambda x: x, args=3)


@pytest.mark.parametrize(
    ("losses", "weights", "size", "expected"),
    [([1.0, 2.0, 3.0], None, 6, 1.0), ([1.0, 2.0, 3.0], [1.0, 0.0, 1.0], 6, 2 / 3),
     ([1.0, 2.0, 3.0], None, None, 2.0)],
)  # fmt: skip
def test_a_loss_is_averaged_over_the_whole_batch(losses, weights, size, expected):
    found = tf.nn.compute_average_loss(losses, weights, size)
    assert found.numpy() == pytest.approx(expected)
    with pytest.raises(ValueError, match="Expected a tensor with at least rank 1"):
        tf.nn.compute_average_loss(1.0, global_batch_size=2)


def test_names_for_many_machines_say_what_to_use():
    with pytest.raises(NotImplementedError, match=r"no tf.distribute.cluster_resolver.GCEClusterR"):
        tf.distribute.cluster_resolver.GCEClusterResolver()


def test_logical_cpus_that_do_not_exist_are_left_out_of_a_mirrored_strategy(caplog):
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    assert strategy.num_replicas_in_sync == 1
    assert strategy.run(lambda: tf.constant(2.0)).numpy() == 2.0
    assert "leaves out ['/job:localhost/replica:0/task:0/device:CPU:1']" in caplog.text
