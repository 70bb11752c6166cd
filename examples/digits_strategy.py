"""Handwritten digits with a Keras CNN under MirroredStrategy, beside the hand-made towers.

Keras's `fit` gives every GPU a part of each batch; the strategy keeps a copy of the weights on each
and adds the gradients up. The same model on one device is to predict the same, but for roundings:
its functions are smooth, as a `relu` or a largest of four that is decided by one rounding would
make a gradient, and all that is learned from it, another one. The towers of digits.py, which have
another network, do by hand what a strategy does. Run it on any machine:

    emplace run --gpus 4x256MB examples/digits_strategy.py
"""

import argparse

import digits
import numpy as np
import tensorflow as tf
from tensorflow import keras

BATCH = 128


def make_model():
    """Two smooth convolutions and a linear layer; the same first weights every time."""
    keras.utils.set_random_seed(0)
    return keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            keras.layers.Conv2D(16, 3, padding="same", activation="tanh"),
            keras.layers.AveragePooling2D(2),
            keras.layers.Conv2D(32, 3, padding="same", activation="tanh"),
            keras.layers.AveragePooling2D(2),
            keras.layers.Flatten(),
            keras.layers.Dense(10),
        ]
    )


def learn(strategy, x, y, epochs):
    """The model that a strategy's replicas learn."""
    with strategy.scope():
        model = make_model()
        model.compile(
            keras.optimizers.SGD(0.3, momentum=0.9),
            keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        )
    model.fit(x, y, batch_size=BATCH, epochs=epochs, shuffle=False, verbose=0)
    return model


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--epochs", type=int, default=20)
    epochs = options.parse_args().epochs
    x_train, x_test, y_train, y_test = digits.load()
    pictures, unseen = (each.reshape(-1, 8, 8, 1) for each in (x_train, x_test))

    def accuracy(scores):
        return np.mean(np.argmax(scores, axis=1) == y_test)

    strategy = tf.distribute.MirroredStrategy()
    count = strategy.num_replicas_in_sync
    print(f"{len(x_train)} digits to learn from, {count} replicas")
    scores = learn(strategy, pictures, y_train, epochs).predict(unseen, verbose=0)
    print(f"MirroredStrategy: test accuracy {accuracy(scores):.4f}")

    first = strategy.extended.worker_devices[0]
    one = learn(tf.distribute.OneDeviceStrategy(first), pictures, y_train, epochs)
    expected = one.predict(unseen, verbose=0)
    print(f"one device: test accuracy {accuracy(expected):.4f}")
    difference = np.abs(scores - expected).max() / np.abs(expected).max()
    print(f"largest difference of predictions: {difference:.0e} of the largest score")
    print(f"they predict the same: {difference < 1e-4}")

    gpus = tf.config.list_logical_devices("GPU") or tf.config.list_logical_devices("CPU")
    weights, _ = digits.learn(gpus, x_train, y_train, epochs)
    by_hand = digits.model(weights, tf.constant(x_test)).numpy()
    print(f"hand-made towers: test accuracy {accuracy(by_hand):.4f}")


if __name__ == "__main__":
    main()
