"""What workers do in `test_workers.py`: collectives of all kinds, and training.

Run in several workers, or in one process without a cluster; writes what it found to the file that
is named.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from emplace.distribute.workers.processes import shared
from emplace.distribute.workers.processes.link import link

FACTS: dict[str, Any] = {}
strategy = tf.distribute.MultiWorkerMirroredStrategy()
extended = strategy.extended
me = strategy.cluster_resolver.task_id or 0


def plain(value: Any) -> Any:
    """A value as lists."""
    parts = strategy.experimental_local_results(value)
    return [np.asarray(part).tolist() for part in parts]


def error_of(function: Any) -> str:
    """The error of a call."""
    try:
        function()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def reduce_and_gather() -> None:
    """What strategies and replicas bring together."""
    context = tf.distribute.get_replica_context
    FACTS["replicas"] = strategy.num_replicas_in_sync
    FACTS["chief"] = [
        extended.should_checkpoint, extended.should_save_summary, extended._in_multi_worker_mode()
    ]  # fmt: skip
    FACTS["ids"] = plain(strategy.run(lambda: context().replica_id_in_sync_group))
    FACTS["values"] = plain(
        strategy.experimental_distribute_values_from_function(
            lambda c: [c.replica_id_in_sync_group, c.num_replicas_in_sync]
        )[0]
    )
    own = tf.constant(float(me + 1))
    FACTS["reduce"] = [float(strategy.reduce(kind, own, axis=None)) for kind in ("SUM", "MEAN")]
    ranges = strategy.run(lambda: tf.range(context().replica_id_in_sync_group + 1))
    floats = strategy.run(lambda x: tf.cast(x, tf.float32), args=(ranges,))
    FACTS["mean along"] = float(strategy.reduce("MEAN", floats, axis=0))
    FACTS["gather"] = np.asarray(strategy.gather(ranges, axis=0)).tolist()

    @tf.function
    def in_function() -> Any:
        def step() -> Any:
            number = tf.cast(context().replica_id_in_sync_group, tf.float32)
            total, mean = context().all_reduce("SUM", [number, tf.fill([2], number)])
            whole = tf.cast(tf.range(context().replica_id_in_sync_group), tf.int64)
            return total, mean, context().all_gather(whole, 0)

        return strategy.run(step)

    FACTS["function"] = [plain(part) for part in in_function()]
    kinds = (tf.float16, tf.bfloat16, tf.float64, tf.int16, tf.int32, tf.int64, tf.uint8,
             tf.complex64)  # fmt: skip
    FACTS["dtypes"] = {
        kind.name: str(np.asarray(strategy.reduce("SUM", tf.cast(me + 1, kind), axis=None)))
        for kind in kinds
    }
    FACTS["large"] = large_sums(extended, me)
    if strategy.cluster_resolver.cluster_spec().jobs:
        FACTS["ways"] = [type(link()._sums).__name__]
        link()._sums = None
        if me == 1:
            shared._PLACE = Path("not there")  # as on a machine of its own
        FACTS["large"] += large_sums(extended, me)
        FACTS["ways"].append(type(link()._sums).__name__)
    slices = tf.IndexedSlices(tf.ones([me + 1, 2]), tf.range(me + 1), tf.constant([4, 2]))
    mean_slices = extended.reduce_to("MEAN", slices, "/device:CPU:0")
    FACTS["slices"] = [mean_slices.indices.numpy().tolist(), mean_slices.values.numpy().tolist()]
    FACTS["gradient"] = plain(strategy.run(gradient_of_gather))
    FACTS["scalar"] = error_of(lambda: strategy.gather(tf.constant(1.0), axis=0))
    FACTS["nested"] = error_of(
        lambda: strategy.run(lambda: strategy.reduce("SUM", tf.constant(1.0), axis=None))
    )


def large_sums(extended: Any, me: int) -> list[bool]:
    """Whether sums are right of more than fits into a piece at a time, and of parts that end
    elsewhere.
    """
    sizes = (9_000_001, 5, 1_048_576, 700_000)
    large = [tf.range(size, dtype=tf.float32) % 1000.0 * (me + 1) for size in sizes]
    sums = extended.batch_reduce_to("SUM", [(value, "/device:CPU:0") for value in large])
    return [
        bool(np.array_equal(value, np.arange(size, dtype="float32") % 1000 * 6))
        for value, size in zip(sums, sizes, strict=True)
    ]


def gradient_of_gather() -> Any:
    """What a replica's part of a gathered value gets of its gradient."""
    x = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)[None]
    with tf.GradientTape() as tape:
        tape.watch(x)
        whole = tf.distribute.get_replica_context().all_gather(x, 0)
        y = tf.reduce_sum(whole**2)
    return tape.gradient(y, x)


def variables() -> None:
    """Where their first values come from, and how changes come together."""
    with strategy.scope():
        v = tf.Variable(float(me + 5))
        added = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
        count = tf.Variable(
            0, synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )  # fmt: skip

    def step() -> None:
        number = tf.distribute.get_replica_context().replica_id_in_sync_group
        added.assign_add(tf.cast(number, tf.float32))
        count.assign_add(number + 1)

    strategy.run(step)
    FACTS["variables"] = [float(v), float(added), int(count.read_value())]
    made = tf.function(lambda: strategy.run(lambda: v * 2.0))
    FACTS["read"] = plain(made())


def training() -> None:
    """Keras and a loop of one's own, with batches that do not divide."""
    keras.utils.set_random_seed(3)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 6)).astype("float32")
    y = rng.integers(0, 3, 50)
    with strategy.scope():
        model = keras.Sequential(
            [keras.Input((6,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(3)]
        )
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(optimizer=keras.optimizers.Adam(1e-2), loss=loss, metrics=["accuracy"])
    history = model.fit(
        x, y, batch_size=16, epochs=2, shuffle=False, verbose=0, validation_data=(x[:13], y[:13])
    )
    FACTS["history"] = history.history
    FACTS["evaluate"] = model.evaluate(x, y, batch_size=21, verbose=0)
    FACTS["predict"] = model.predict(x[:17], batch_size=7, verbose=0).tolist()
    FACTS["weights"] = [each.tolist() for each in model.get_weights()]
    FACTS["loop"] = loop(x, y)


def loop(x: Any, y: Any) -> Any:
    """Losses of a loop, eagerly and in a function, and the weights at its end."""
    with strategy.scope():
        v = tf.Variable(tf.ones([6, 3]) * 0.1)
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(16)

    def step(batch: Any) -> Any:
        def replica(xs: Any, ys: Any) -> Any:
            with tf.GradientTape() as tape:
                each = tf.nn.sparse_softmax_cross_entropy_with_logits(ys, tf.matmul(xs, v))
                value = tf.nn.compute_average_loss(each, global_batch_size=16)
            (g,) = tape.gradient(value, [v])
            v.assign_sub(0.1 * tf.distribute.get_replica_context().all_reduce("SUM", g))
            return value

        return strategy.reduce("SUM", strategy.run(replica, args=batch), axis=None)

    losses = []
    for taken in (step, tf.function(step)):
        losses += [float(taken(batch)) for batch in strategy.experimental_distribute_dataset(data)]
    return [losses, v.numpy().tolist()]


def main() -> None:
    """Finds everything, and writes it."""
    reduce_and_gather()
    variables()
    training()
    with open(sys.argv[1], "w") as file:
        json.dump(FACTS, file)


main()
