"""Trains models on one device and on several replicas, and prints how far they are apart.

    emplace run --gpus 8x64MB replica_program.py '[["mlp", "sgd", "fit", false, [[2, 1]]]]'

The argument is a list of cases. Each names a model, an optimizer, a loop ("fit" or "custom"),
whether it is eager, and pairs (number of replicas, examples of the last batch). Each training is 20
steps: 4 passes through 4 batches of 8 examples and a last one. What is compared are the losses (of
each step, and with `fit` of each epoch), accuracies and predictions with `fit`, and all weights at
the end. It prints a JSON object with the largest difference for each case and pair.

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


class Program:
    """A model of a strategy that is trained again and again from the same start."""

    def __init__(self, strategy, kind, optimizer, is_eager):
        self.strategy, self.kind, self.is_eager = strategy, kind, is_eager
        with strategy.scope():
            self.model = build(kind)
            self.optimizer = OPTIMIZERS[optimizer]()
            self.optimizer.build(self.model.trainable_variables)
        self.prepare()
        self.variables = [*self.model.variables, *self.optimizer.variables]
        self.start = [np.array(each) for each in self.variables]

    def trained(self, last):
        """What a training finds whose last batches have so many examples."""
        for variable, value in zip(self.variables, self.start, strict=True):
            variable.assign(value)
        return [*self.train(last), *self.model.get_weights()]


class Fitted(Program):
    """Trained by `fit`."""

    def prepare(self):
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        with self.strategy.scope():
            self.model.compile(
                self.optimizer, loss, metrics=["accuracy"], run_eagerly=self.is_eager
            )

    def train(self, last):
        x, y = data(self.kind, last)
        losses, model = Losses(), self.model
        told = model.fit(
            x, y, batch_size=BATCH, epochs=EPOCHS, verbose=0, shuffle=False, callbacks=[losses]
        ).history
        found = [*losses.found, *told["loss"], *told["accuracy"]]
        found += model.evaluate(x, y, batch_size=BATCH, verbose=0)
        return [np.array(found), model.predict(x, batch_size=BATCH, verbose=0)]


class Looped(Program):
    """Trained by a loop of the program's own."""

    def prepare(self):
        loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
        model, strategy = self.model, self.strategy

        def replica(x, y, size):
            with tf.GradientTape() as tape:
                loss = tf.nn.compute_average_loss(
                    loss_of(y, model(x, training=True)), global_batch_size=size
                )
                for each in model.losses:
                    loss += tf.nn.scale_regularization_loss(each)
            gradients = tape.gradient(loss, model.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            return loss

        def step(x, y, size):
            return strategy.reduce("SUM", strategy.run(replica, args=(x, y, size)), axis=None)

        self.step = step if self.is_eager else tf.function(step, reduce_retracing=True)

    def train(self, last):
        x, y = data(self.kind, last)
        batches = self.strategy.experimental_distribute_dataset(
            tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH)
        )
        losses = []
        for _ in range(EPOCHS):
            for i, (part, labels) in enumerate(batches):
                size = tf.constant(BATCH if i < FULL else last)
                losses.append(float(self.step(part, labels, size)))
        assert len(losses) == EPOCHS * (FULL + 1)
        return [np.array(losses)]


LOOPS = {"fit": Fitted, "custom": Looped}


def differences(kind, optimizer, loop, is_eager, pairs):
    """(what was trained, the largest difference from one device) for each pair."""
    # One device is asked in functions, and the other forms compared with them.
    one = LOOPS[loop](tf.distribute.get_strategy(), kind, optimizer, False)
    expected = functools.cache(one.trained)

    @functools.cache
    def replicas(count):
        strategy = tf.distribute.MirroredStrategy([f"GPU:{i}" for i in range(count)])
        return LOOPS[loop](strategy, kind, optimizer, is_eager)

    for count, last in pairs:
        found = replicas(count).trained(last)
        apart = [float(np.abs(a - b).max()) for a, b in zip(expected(last), found, strict=True)]
        how = f"{loop}{', eager' if is_eager else ''}"
        yield f"{kind}, {optimizer}, {how}, {count} replicas, last {last}", float(np.max(apart))


def main():
    print(json.dumps(dict(pair for case in json.loads(sys.argv[1]) for pair in differences(*case))))


if __name__ == "__main__":
    main()
