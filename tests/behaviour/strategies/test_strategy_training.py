"""Training on several replicas gives what one device gives: every number of replicas, every size of
the last batch.
"""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1
pytestmark = pytest.mark.gpus(8, memory="16MB")
WAYS = pytest.mark.parametrize("as_function", [False, True], ids=["eager", "function"])
OPTIMIZERS = {
    "sgd": lambda: v1.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: v1.train.MomentumOptimizer(0.1, 0.9),
    "adam": lambda: v1.train.AdamOptimizer(0.1),
    "adagrad": lambda: v1.train.AdagradOptimizer(0.1),
    "rmsprop": lambda: v1.train.RMSPropOptimizer(0.1),
}
RANDOM = np.random.RandomState(0)
X = RANDOM.normal(size=(40, 3)).astype("float32")
Y = RANDOM.normal(size=(40, 1)).astype("float32")


def mirrored(count):
    return tf.distribute.MirroredStrategy([f"GPU:{i}" for i in range(count)])


def trained(strategy, optimizer, batches, as_function=False):
    """The variables and the losses after a pass through batches of those sizes."""
    with strategy.scope():
        w, b = tf.Variable([[0.5], [-0.3], [0.1]]), tf.Variable([0.0])
        step_of = OPTIMIZERS[optimizer]()
        steps = tf.Variable(
            0, dtype=tf.int64, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA
        )

    def replica(x, y, size):
        with tf.GradientTape() as tape:
            errors = tf.reduce_sum(tf.square(tf.matmul(x, w) + b - y), axis=1)
            loss = tf.nn.compute_average_loss(errors, global_batch_size=size)
        step_of.apply_gradients(list(zip(tape.gradient(loss, [w, b]), [w, b], strict=True)), steps)
        return loss

    def step(x, y, size):
        return strategy.reduce("SUM", strategy.run(replica, args=(x, y, size)), axis=None)

    if as_function:
        step = tf.function(step, reduce_retracing=True)
    losses, start = [], 0
    for size in batches:
        rows = slice(start, start + size)
        data = tf.data.Dataset.from_tensors((X[rows], Y[rows]))
        x, y = next(iter(strategy.experimental_distribute_dataset(data)))
        losses.append(float(step(x, y, tf.constant(size))))
        start += size
    assert int(steps.numpy()) == len(batches)
    for variable in (w, b) if strategy.num_replicas_in_sync > 1 else ():
        for copy in variable.values[1:]:
            assert copy.numpy().tolist() == variable.values[0].numpy().tolist()
    return np.concatenate([w.numpy().ravel(), b.numpy(), losses])


@WAYS
@pytest.mark.parametrize("count", [1, 2, 3, 4, 8])
def test_every_size_of_the_last_batch_trains_as_on_one_device(count, as_function):
    one = tf.distribute.OneDeviceStrategy("GPU:0")
    for last in range(1, count + 1):
        batches = [8, 8, last]
        expected = trained(one, "sgd", batches)
        found = trained(mirrored(count), "sgd", batches, as_function)
        assert np.abs(found - expected).max() < 1e-5, f"last batch of {last}"


@WAYS
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_optimizers_of_tf1_step_by_the_sums_of_gradients(optimizer, as_function):
    batches = [6] * 5
    expected = trained(tf.distribute.OneDeviceStrategy("GPU:0"), optimizer, batches)
    found = trained(mirrored(3), optimizer, batches, as_function)
    assert np.abs(found - expected).max() < 1e-5


def test_central_storage_trains_as_one_device():
    strategy = tf.distribute.experimental.CentralStorageStrategy(["GPU:0", "GPU:1"])
    expected = trained(tf.distribute.OneDeviceStrategy("GPU:0"), "momentum", [4, 4, 3])
    with strategy.scope():
        w = tf.Variable([[0.5], [-0.3], [0.1]])
    assert w.device.endswith("CPU:0")
    found = trained_centrally(strategy, [4, 4, 3])
    assert np.abs(found - expected).max() < 1e-5


def trained_centrally(strategy, batches):
    class OneCopy:
        num_replicas_in_sync = 1  # of the variables

        def __getattr__(self, name):
            return getattr(strategy, name)

    return trained(OneCopy(), "momentum", batches)


@WAYS
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_one_replica_that_shares_variables_trains_as_one_device(optimizer, as_function):
    # Adam's powers have no aggregation, which a replica of such a strategy cannot change by itself.
    strategy = tf.distribute.experimental.CentralStorageStrategy(["GPU:0"])
    expected = trained(tf.distribute.OneDeviceStrategy("GPU:0"), optimizer, [4, 4, 3])
    found = trained(strategy, optimizer, [4, 4, 3], as_function)
    assert np.abs(found - expected).max() < 1e-5


def test_one_replica_meets_itself_in_a_function_of_its_own():
    strategy = mirrored(1)
    with strategy.scope():
        v, optimizer = tf.Variable(1.0), OPTIMIZERS["momentum"]()

    @tf.function
    def step():
        optimizer.apply_gradients([(tf.constant(1.0), v)])

    strategy.run(lambda: step())
    assert v.numpy() == pytest.approx(0.9)


def test_optimizers_of_tf1_step_in_replicas_only():
    strategy = mirrored(2)
    with strategy.scope():
        v, optimizer = tf.Variable(1.0), OPTIMIZERS["sgd"]()
        with pytest.raises(
            RuntimeError, match=r"instead of `apply_gradients\(\)` in a cross-replica"
        ):
            optimizer.apply_gradients([(tf.constant(1.0), v)])


def test_a_checkpoint_is_for_any_number_of_replicas(tmp_path):
    def made(strategy):
        with strategy.scope():
            v = tf.Variable([1.0, 2.0])
            total = tf.Variable(
                0.0, synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=tf.VariableAggregation.SUM,
            )  # fmt: skip
        return v, total, tf.train.Checkpoint(v=v, total=total)

    four = mirrored(4)
    v, total, checkpoint = made(four)
    v.assign([3.0, 4.0])
    four.run(lambda: total.assign_add(2.0))
    path = checkpoint.save(str(tmp_path / "ckpt"))
    for strategy in (mirrored(2), tf.distribute.OneDeviceStrategy("GPU:0"), mirrored(8)):
        v, total, checkpoint = made(strategy)
        checkpoint.restore(path)
        assert v.numpy().tolist() == [3.0, 4.0]
        assert total.numpy() == 8.0
        for each in strategy.experimental_local_results(v):
            assert each.numpy().tolist() == [3.0, 4.0]


def test_loops_on_tensors_run_in_replicas():
    strategy = mirrored(2)

    @tf.function
    def step(x):
        def replica(x):
            total = tf.zeros([])
            for row in x:
                total += row
            return tf.distribute.get_replica_context().all_reduce("SUM", total)

        return strategy.run(replica, args=(x,))

    data = tf.data.Dataset.from_tensors(np.arange(5, dtype="float32"))
    (x,) = strategy.experimental_distribute_dataset(data)
    assert [each.numpy() for each in step(x).values] == [10.0, 10.0]


def test_a_training_loop_runs_inside_of_a_function():
    strategy = mirrored(2)
    with strategy.scope():
        v = tf.Variable(1.0)

    @tf.function
    def train(dataset):
        for x in dataset:
            strategy.run(lambda x: step(x), args=(x,))
        return v.read_value()

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x) * v
        gradient = tape.gradient(loss, v)
        total = tf.distribute.get_replica_context().all_reduce("SUM", gradient)
        v.assign_sub(0.01 * total)

    data = tf.data.Dataset.from_tensor_slices(np.arange(1, 8, dtype="float32")).batch(4)
    assert train(strategy.experimental_distribute_dataset(data)).numpy() == pytest.approx(0.72)
    assert [each.numpy() for each in v.values] == pytest.approx([0.72, 0.72])
