"""Trains one model on one device and on several replicas, and prints how far they are apart.

    python -m emplace run --gpus 8x64MB replica_program.py '["mlp", "sgd", "fit", false, [[2, 1]]]'

The argument names a model, an optimizer, a loop ("fit" or "custom"), whether it is eager, and pairs
(number of replicas, examples of the last batch). Each training is 20 steps: 4 passes through 4
batches of 8 examples and a last one. What is compared are the losses (of each step, and with `fit`
of each epoch), accuracies and predictions with `fit`, and all weights at the end. It prints a JSON
object with the largest difference for each pair.

Batch norm is synchronised: a plain one has the moments of its replica's part, so that one device's
are others. Its convolution has no bias: a bias before a batch norm has a gradient of 0, which float
noise makes ±1e-9, and Adam a whole step of that.
"""

import functools
import json
import sys

import keras
import numpy as np
import tensorflow as tf

L = keras.layers
BATCH, FULL, EPOCHS = 8, 4, 4
SHAPES = {"mlp": (6,), "cnn": (6, 6, 1), "lstm": (5, 4), "embedding": (5,)}
LAYERS = {
    "mlp": lambda: [L.Dense(8, activation="relu", kernel_regularizer="l2"), L.Dense(3)],
    "cnn": lambda: [
        L.Conv2D(4, 3, use_bias=False), L.BatchNormalization(synchronized=True),
        L.ReLU(), L.Flatten(), L.Dense(3),
    ],
    "lstm": lambda: [L.LSTM(6), L.Dense(3)],
    "embedding": lambda: [L.Embedding(11, 4), L.GlobalAveragePooling1D(), L.Dense(3)],
}  # fmt: skip
OPTIMIZERS = {
    "sgd": lambda: keras.optimizers.SGD(0.05),
    "momentum": lambda: keras.optimizers.SGD(0.05, momentum=0.9),
    "adam": lambda: keras.optimizers.Adam(0.01),
}


def data(kind, last):
    random = np.random.RandomState(0)
    rows = BATCH * FULL + last
    shape = (rows, *SHAPES[kind])
    x = random.randint(0, 11, shape) if kind == "embedding" else random.normal(size=shape)
    return x.astype("int32" if kind == "embedding" else "float32"), random.randint(0, 3, rows)


def build(kind):
    keras.utils.set_random_seed(1)
    dtype = "int32" if kind == "embedding" else "float32"
    return keras.Sequential([L.Input(SHAPES[kind], dtype=dtype), *LAYERS[kind]()])


class Losses(keras.callbacks.Callback):
    """The loss after each step: `fit` tells the mean of the epoch so far."""

    def __init__(self):
        super().__init__()
        self.found = []

    def on_train_batch_end(self, batch, logs=None):
        self.found.append(logs["loss"])


def fitted(strategy, kind, optimizer, is_eager, last):
    """What a training by `fit` finds."""
    with strategy.scope():
        model = build(kind)
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(OPTIMIZERS[optimizer](), loss, metrics=["accuracy"], run_eagerly=is_eager)
    x, y = data(kind, last)
    losses = Losses()
    told = model.fit(
        x, y, batch_size=BATCH, epochs=EPOCHS, verbose=0, shuffle=False, callbacks=[losses]
    ).history
    found = [*losses.found, *told["loss"], *told["accuracy"]]
    found += model.evaluate(x, y, batch_size=BATCH, verbose=0)
    return [np.array(found), model.predict(x, batch_size=BATCH, verbose=0), *model.get_weights()]


def looped(strategy, kind, optimizer, is_eager, last):
    """What a loop of the program's own finds."""
    with strategy.scope():
        model = build(kind)
        step_of = OPTIMIZERS[optimizer]()
        step_of.build(model.trainable_variables)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")

    def replica(x, y, size):
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss(
                loss_of(y, model(x, training=True)), global_batch_size=size
            )
            for each in model.losses:
                loss += tf.nn.scale_regularization_loss(each)
        gradients = tape.gradient(loss, model.trainable_variables)
        step_of.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    def step(x, y, size):
        return strategy.reduce("SUM", strategy.run(replica, args=(x, y, size)), axis=None)

    if not is_eager:
        step = tf.function(step, reduce_retracing=True)
    x, y = data(kind, last)
    batches = strategy.experimental_distribute_dataset(
        tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH)
    )
    losses = []
    for _ in range(EPOCHS):
        for i, (part, labels) in enumerate(batches):
            losses.append(float(step(part, labels, tf.constant(BATCH if i < FULL else last))))
    assert len(losses) == EPOCHS * (FULL + 1)
    return [np.array(losses), *model.get_weights()]


LOOPS = {"fit": fitted, "custom": looped}


def main():
    kind, optimizer, loop, is_eager, pairs = json.loads(sys.argv[1])
    one = tf.distribute.get_strategy()

    @functools.cache
    def expected(last):  # one device is asked in functions, and its other forms compared with them
        return LOOPS[loop](one, kind, optimizer, False, last)

    worst = {}
    for count, last in pairs:
        strategy = tf.distribute.MirroredStrategy([f"GPU:{i}" for i in range(count)])
        found = LOOPS[loop](strategy, kind, optimizer, is_eager, last)
        differences = [
            float(np.abs(a - b).max()) for a, b in zip(expected(last), found, strict=True)
        ]
        worst[f"{count} replicas, last batch of {last}"] = float(np.max(differences))
    print(json.dumps(worst))


if __name__ == "__main__":
    main()
