"""Ten models that train on larger and larger batches until a GPU has no room for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import emplace.tensorflow as tf

MOST_EXAMPLES = 1 << 16


def until_full(step: Callable[[int], Any]) -> None:
    """Steps with twice as many examples each time."""
    count = 8
    while count <= MOST_EXAMPLES:
        step(count)
        count *= 2


def fit(model: Any, inputs: Callable[[int], Any], outputs: int, optimizer: str = "adam") -> None:
    """Trains a model of Keras."""
    model.compile(optimizer, "mse")

    def step(count: int) -> None:
        y = np.ones([count, outputs], np.float32)
        model.fit(inputs(count), y, batch_size=count, epochs=1, verbose=0)

    until_full(step)


def images(count: int) -> Any:
    """Small pictures."""
    return np.ones([count, 16, 16, 3], np.float32)


def mlp() -> None:
    """Dense layers."""
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        layers.Input((64,)), layers.Dense(128, "relu"), layers.Dense(128, "relu"), layers.Dense(1),
    ])  # fmt: skip
    fit(model, lambda count: np.ones([count, 64], np.float32), 1)


def cnn() -> None:
    """Convolutions and pooling."""
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        layers.Input((16, 16, 3)), layers.Conv2D(16, 3, activation="relu"), layers.MaxPooling2D(),
        layers.Conv2D(32, 3, activation="relu"), layers.Flatten(), layers.Dense(10),
    ])  # fmt: skip
    fit(model, images, 10)


def resnet() -> None:
    """ResNet-20, of few channels."""
    layers = tf.keras.layers

    def unit(x: Any, channels: int, stride: int) -> Any:
        y = layers.Conv2D(channels, 3, stride, "same", use_bias=False)(x)
        y = layers.ReLU()(layers.BatchNormalization()(y))
        y = layers.BatchNormalization()(layers.Conv2D(channels, 3, 1, "same", use_bias=False)(y))
        if stride != 1:
            x = layers.Conv2D(channels, 1, stride, use_bias=False)(x)
        return layers.ReLU()(layers.Add()([x, y]))

    given = layers.Input((16, 16, 3))
    x = layers.Conv2D(8, 3, padding="same")(given)
    for channels in (8, 16, 32):
        for i in range(3):
            x = unit(x, channels, 2 if channels > 8 and i == 0 else 1)
    model = tf.keras.Model(given, layers.Dense(10)(layers.GlobalAveragePooling2D()(x)))
    fit(model, images, 10)


def lstm() -> None:
    """A recurrent layer."""
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Input((12, 8)), layers.LSTM(32), layers.Dense(1)])
    fit(model, lambda count: np.ones([count, 12, 8], np.float32), 1)


def transformer() -> None:
    """Attention."""
    layers = tf.keras.layers
    given = layers.Input((16, 32))
    x = layers.LayerNormalization()(given + layers.MultiHeadAttention(2, 16)(given, given))
    x = layers.LayerNormalization()(x + layers.Dense(32)(layers.Dense(64, "gelu")(x)))
    model = tf.keras.Model(given, layers.Dense(1)(layers.GlobalAveragePooling1D()(x)))
    fit(model, lambda count: np.ones([count, 16, 32], np.float32), 1)


def autoencoder() -> None:
    """From pictures to pictures."""
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        layers.Input((16, 16, 3)), layers.Conv2D(8, 3, 2, "same", activation="relu"),
        layers.Conv2DTranspose(3, 3, 2, "same"), layers.Flatten(),
    ])  # fmt: skip
    fit(model, images, 16 * 16 * 3)


def embedding() -> None:
    """Most of it is one table."""
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        layers.Input((10,), dtype="int32"), layers.Embedding(20_000, 32), layers.Flatten(),
        layers.Dense(1),
    ])  # fmt: skip
    fit(model, lambda count: np.ones([count, 10], np.int32), 1, "sgd")


def custom_loop() -> None:
    """A tape and its gradients, eagerly."""
    w = tf.Variable(tf.random.normal([64, 64]), name="w")
    b = tf.Variable(tf.zeros([64]), name="b")

    def step(count: int) -> None:
        x = tf.ones([count, 64])
        with tf.GradientTape() as tape:
            for _ in range(3):
                x = tf.tanh(tf.matmul(x, w) + b)
            loss = tf.reduce_mean(x * x)
        for variable, gradient in zip([w, b], tape.gradient(loss, [w, b]), strict=True):
            variable.assign_sub(0.1 * gradient)

    until_full(step)


def session() -> None:
    """A graph of TF 1."""
    v1 = tf.compat.v1
    with v1.Graph().as_default(), tf.device("/GPU:0"):
        x = v1.placeholder(tf.float32, [None, 64])
        with v1.variable_scope("layer", use_resource=True):
            w = v1.get_variable("w", [64, 128])
        loss = tf.reduce_mean(tf.square(tf.nn.relu(tf.matmul(x, w))))
        train = v1.train.AdamOptimizer(0.1).minimize(loss)
        with v1.Session() as running:
            running.run(v1.global_variables_initializer())
            until_full(lambda n: running.run(train, {x: np.ones([n, 64], np.float32)}))


def towers() -> None:
    """Two halves of a batch on two GPUs, in a function."""
    weights = []
    for i in range(2):
        with tf.device(f"/GPU:{i}"):
            weights.append(tf.Variable(tf.ones([64, 64]) * 0.01, name=f"tower_{i}"))

    @tf.function
    def train(x: Any) -> Any:
        losses = []
        for i, w in enumerate(weights):
            with tf.device(f"/GPU:{i}"):
                with tf.GradientTape() as tape:
                    y = tf.nn.relu(tf.matmul(x, w))
                    loss = tf.reduce_sum(tf.tanh(tf.matmul(y, w)))
                w.assign_sub(0.01 * tape.gradient(loss, w))
                losses.append(loss)
        return losses

    def step(count: int) -> None:
        with tf.device("/GPU:0"):
            x = tf.ones([count, 64])
        train(x)

    until_full(step)


MODELS = (
    mlp, cnn, resnet, lstm, transformer, autoencoder, embedding, custom_loop, session, towers,
)  # fmt: skip
