"""A Keras model whose variables are on parameter servers, trained by workers of one process."""

from __future__ import annotations

import json

import programs

PROGRAM = """
import json
import numpy as np
import tensorflow as tf
import keras

cluster = {"worker": ["w:1", "w:2"], "ps": ["p:1", "p:2"]}
servers = [tf.distribute.Server(cluster, job, i) for job in cluster for i in range(2)]
resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec(cluster))
strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
keras.utils.set_random_seed(1)
with strategy.scope():
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8), keras.layers.Dense(1)])
    optimizer = keras.optimizers.Adam(0.05)
    optimizer.build(model.trainable_variables)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


x = np.random.default_rng(0).normal(size=(64, 4)).astype(np.float32)
y = x @ np.array([[1.0], [-1.0], [2.0], [0.0]], np.float32)
losses = [coordinator.schedule(step, args=(tf.constant(x), tf.constant(y))) for _ in range(150)]
coordinator.join()
print(json.dumps({
    "losses": [float(losses[0].fetch()), float(losses[-1].fetch())],
    "steps": int(optimizer.iterations.numpy()),
    "devices": sorted({v.value.device for v in [*model.variables, *optimizer.variables]}),
}))
"""


def test_a_keras_model_is_trained_by_workers(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = programs.keras("run", path)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    first, last = told["losses"]
    assert last < 0.1 * first
    assert 1 < told["steps"] <= 150  # Keras reads, adds and assigns: two workers may count as one
    assert told["devices"] == [f"/job:ps/replica:0/task:{i}/device:CPU:0" for i in range(2)]
