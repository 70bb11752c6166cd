"""Training by replicas in a session's graph is one device's training, 20 steps of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import emplace
import emplace.tensorflow.compat.v1 as tf1

train = tf1.train
STEPS, BATCH = 20, 12
random = np.random.default_rng(0)
X = random.normal(size=(STEPS * BATCH, 6)).astype(np.float32)
Y = random.integers(0, 3, STEPS * BATCH).astype(np.int32)
ROWS = random.integers(0, 9, (STEPS * BATCH, 2)).astype(np.int32)
OPTIMIZERS = {
    "gradient descent": lambda: train.GradientDescentOptimizer(0.1),
    "momentum": lambda: train.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda: train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adam": lambda: train.AdamOptimizer(0.05),
    "adagrad": lambda: train.AdagradOptimizer(0.1),
    "adagrad da": lambda: train.AdagradDAOptimizer(0.1, tf1.train.get_global_step()),
    "adadelta": lambda: train.AdadeltaOptimizer(1.0),
    "rmsprop": lambda: train.RMSPropOptimizer(0.02, momentum=0.5, centered=True),
    "ftrl": lambda: train.FtrlOptimizer(0.1, l1_regularization_strength=0.001),
    "proximal": lambda: train.ProximalGradientDescentOptimizer(0.1, l2_regularization_strength=0.1),
}  # fmt: skip


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    with tf1.Graph().as_default() as graph:
        yield graph


def strategy_of(count: int) -> Any:
    if count == 1:
        return tf1.distribute.OneDeviceStrategy("/gpu:0")
    return tf1.distribute.MirroredStrategy([f"/gpu:{i}" for i in range(count)])


def loss_of(features: Any, labels: Any) -> Any:
    """The losses of examples: of two layers and an embedding."""
    x, rows = features
    with tf1.variable_scope("model", reuse=tf1.AUTO_REUSE):
        start = tf1.random_normal_initializer(seed=7)
        table = tf1.get_variable("table", [9, 4], initializer=start)
        x = tf1.concat([x, tf1.reduce_sum(tf1.nn.embedding_lookup(table, rows), 1)], 1)
        x = tf1.layers.dense(x, 5, tf1.nn.tanh, kernel_initializer=start, name="first")
        scores = tf1.layers.dense(x, 3, kernel_initializer=start, name="last")
    return tf1.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores)


def built(strategy: Any, make: Any) -> tuple[Any, Any, Any]:
    """The step's loss, the operation that starts the data, and the optimizer."""
    data = tf1.data.Dataset.from_tensor_slices(((X, ROWS), Y)).batch(BATCH)
    with strategy.scope():
        count = train.get_or_create_global_step()
        optimizer = make()
        iterator = strategy.make_dataset_iterator(data)

        def step(batch):
            loss = tf1.reduce_sum(loss_of(*batch)) / BATCH
            update = optimizer.minimize(loss, global_step=count)
            with tf1.control_dependencies([update]):
                return tf1.identity(loss)

        loss = strategy.reduce("SUM", strategy.experimental_run(step, iterator))
    return loss, iterator.initialize(), optimizer


def trained(count: int, make: Any, monitored: bool = False) -> tuple[list[float], dict[str, Any]]:
    """The losses of all steps, and the variables after them."""
    with tf1.Graph().as_default():
        tf1.set_random_seed(3)
        loss, start, _ = built(strategy_of(count), make)
        config = tf1.ConfigProto(allow_soft_placement=True)
        variables = {each.name: each for each in tf1.global_variables()}
        parts = [list(getattr(v, "values", [v])) for v in variables.values()]
        if monitored:
            tf1.add_to_collection(tf1.GraphKeys.TABLE_INITIALIZERS, start)
            with train.MonitoredTrainingSession(config=config) as session:
                losses = [session.run(loss) for _ in range(STEPS)]
                found = session.run(parts)
        else:
            with tf1.Session(config=config) as session:
                session.run([tf1.global_variables_initializer(), start])
                losses = [session.run(loss) for _ in range(STEPS)]
                found = session.run(parts)
        for each in found:
            for other in each[1:]:
                np.testing.assert_array_equal(each[0], other)
        return losses, dict(zip(variables, [each[0] for each in found], strict=True))


def same(one: Any, other: Any) -> None:
    np.testing.assert_allclose(one[0], other[0], rtol=1e-5, atol=1e-5)
    assert list(one[1]) == list(other[1])
    for name, value in one[1].items():
        np.testing.assert_allclose(value, other[1][name], rtol=1e-5, atol=1e-5, err_msg=name)


@pytest.mark.gpus(4, memory="64MB")
@pytest.mark.parametrize("kind", list(OPTIMIZERS))
def test_two_replicas_train_as_one_device_does(kind):
    same(trained(1, OPTIMIZERS[kind]), trained(2, OPTIMIZERS[kind]))


@pytest.mark.gpus(8, memory="64MB")
@pytest.mark.parametrize(
    "count", [4, *[pytest.param(count, marks=pytest.mark.slow) for count in (3, 8)]]
)
def test_any_number_of_replicas_trains_as_one_device_does(count):
    same(trained(1, OPTIMIZERS["adam"]), trained(count, OPTIMIZERS["adam"]))


@pytest.mark.gpus(2, memory="64MB")
def test_a_monitored_session_trains_replicas():
    same(trained(1, OPTIMIZERS["adam"]), trained(2, OPTIMIZERS["adam"], monitored=True))
    losses, variables = trained(2, OPTIMIZERS["adam"], monitored=True)
    assert variables["global_step:0"] == STEPS
    assert losses[-1] < losses[0]


@pytest.mark.gpus(2, memory="64MB")
def test_replicas_that_are_watched_train_as_others_do():
    expected = trained(2, OPTIMIZERS["adam"])
    with emplace.watch() as seen:
        found = trained(2, OPTIMIZERS["adam"])
    same(found, expected)
    rows = seen.report().to_dict()["ops"]
    assert {row["device"] for row in rows if row["op"] == "Tanh"} == {"GPU:0", "GPU:1"}
