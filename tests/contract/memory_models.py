"""Models that are trained: on larger and larger batches until a GPU has no room for them, and on
one of which was said before what it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf

MOST_EXAMPLES = 1 << 16


class Training(NamedTuple):
    """`step` trains on so many examples; `estimate` says what that holds."""

    step: Callable[[int], Any]
    estimate: Callable[[int], emplace.Estimate]

    def until_full(self) -> None:
        """Steps with twice as many examples each time."""
        count = 8
        while count <= MOST_EXAMPLES:
            self.step(count)
            count *= 2


def fit(
    model: Any, inputs: Callable[[int], Any], outputs: int, optimizer: str = "adam"
) -> Training:
    """Trains a model of Keras."""
    model.compile(optimizer, "mse")

    def step(count: int) -> None:
        y = np.ones([count, outputs], np.float32)
        model.fit(inputs(count), y, batch_size=count, epochs=1, verbose=0)

    return Training(step, lambda count: emplace.estimate(model, batch_size=count))


def images(count: int) -> Any:
    """Small pictures."""
    return np.ones([count, 16, 16, 3], np.float32)


def mlp() -> Training:
    """Dense layers."""
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        layers.Input((64,)), layers.Dense(128, "relu"), layers.Dense(128, "relu"), layers.Dense(1),
    ])  # fmt: skip
    return fit(model, lambda count: np.ones([count, 64], np.float32), 1)


def cnn() -> Training:
    """Convolutions and pooling."""
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        layers.Input((16, 16, 3)), layers.Conv2D(16, 3, activation="relu"), layers.MaxPooling2D(),
        layers.Conv2D(32, 3, activation="relu"), layers.Flatten(), layers.Dense(10),
    ])  # fmt: skip
    return fit(model, images, 10)


def resnet() -> Training:
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
    return fit(model, images, 10)


def lstm() -> Training:
    """A recurrent layer."""
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Input((12, 8)), layers.LSTM(32), layers.Dense(1)])
    return fit(model, lambda count: np.ones([count, 12, 8], np.float32), 1)


def transformer() -> Training:
    """Attention."""
    layers = tf.keras.layers
    given = layers.Input((16, 32))
    x = layers.LayerNormalization()(given + layers.MultiHeadAttention(2, 16)(given, given))
    x = layers.LayerNormalization()(x + layers.Dense(32)(layers.Dense(64, "gelu")(x)))
    model = tf.keras.Model(given, layers.Dense(1)(layers.GlobalAveragePooling1D()(x)))
    return fit(model, lambda count: np.ones([count, 16, 32], np.float32), 1)


def autoencoder() -> Training:
    """From pictures to pictures."""
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        layers.Input((16, 16, 3)), layers.Conv2D(8, 3, 2, "same", activation="relu"),
        layers.Conv2DTranspose(3, 3, 2, "same"), layers.Flatten(),
    ])  # fmt: skip
    return fit(model, images, 16 * 16 * 3)


def embedding() -> Training:
    """Most of it is one table."""
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        layers.Input((10,), dtype="int32"), layers.Embedding(20_000, 32), layers.Flatten(),
        layers.Dense(1),
    ])  # fmt: skip
    return fit(model, lambda count: np.ones([count, 10], np.int32), 1, "sgd")


def loop(decorate: Callable[[Any], Any]) -> Training:
    """A tape and its gradients."""
    w = tf.Variable(tf.random.normal([64, 64]), name="w")
    b = tf.Variable(tf.zeros([64]), name="b")

    @decorate
    def train(x: Any) -> None:
        with tf.GradientTape() as tape:
            for _ in range(3):
                x = tf.tanh(tf.matmul(x, w) + b)
            loss = tf.reduce_mean(x * x)
        for variable, gradient in zip([w, b], tape.gradient(loss, [w, b]), strict=True):
            variable.assign_sub(0.1 * gradient)

    return Training(
        lambda count: train(tf.ones([count, 64])),
        lambda count: emplace.estimate(train, tf.TensorSpec([count, 64])),
    )


def custom_loop() -> Training:
    """A loop of one's own over steps that are functions."""
    return loop(tf.function)


def eager_loop() -> Training:
    """The same where the steps run eagerly."""
    return loop(lambda train: train)


def session() -> Training:
    """A graph of TF 1."""
    v1 = tf.compat.v1
    with v1.Graph().as_default(), tf.device("/GPU:0"):
        x = v1.placeholder(tf.float32, [None, 64])
        with v1.variable_scope("layer", use_resource=True):
            w = v1.get_variable("w", [64, 128])
        loss = tf.reduce_mean(tf.square(tf.nn.relu(tf.matmul(x, w))))
        train = v1.train.AdamOptimizer(0.1).minimize(loss)
        running = v1.Session()
        running.run(v1.global_variables_initializer())

    def feeds(count: int) -> dict[Any, Any]:
        return {x: np.ones([count, 64], np.float32)}

    return Training(
        lambda count: running.run(train, feeds(count)),
        lambda count: emplace.estimate(running, train, feeds(count)),
    )


def towers() -> Training:
    """Two halves of a batch on two GPUs, in a function."""
    weights = []
    for i in range(2):
        with tf.device(f"/GPU:{i}"):
            weights.append(tf.Variable(tf.ones([64, 64]) * 0.01, name=f"tower_{i}"))

    @tf.function
    def train(x: Any) -> Any:
        losses = []
        for i, (half, w) in enumerate(zip(tf.split(x, 2), weights, strict=True)):
            with tf.device(f"/GPU:{i}"):
                with tf.GradientTape() as tape:
                    y = tf.nn.relu(tf.matmul(half, w))
                    loss = tf.reduce_sum(tf.tanh(tf.matmul(y, w)))
                w.assign_sub(0.01 * tape.gradient(loss, w))
                losses.append(loss)
        return losses

    def step(count: int) -> None:
        with tf.device("/GPU:0"):
            x = tf.ones([count, 64])
        train(x)

    return Training(step, lambda count: emplace.estimate(train, tf.TensorSpec([count, 64])))


def replicas() -> Training:
    """A loop of one's own over steps on the replicas of a strategy."""
    strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"])
    with strategy.scope():
        w = tf.Variable(tf.ones([64, 64]) * 0.01, name="w")

    def train_here(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.tanh(tf.matmul(tf.nn.relu(tf.matmul(x, w)), w)))
        w.assign_sub(0.01 * tape.gradient(loss, w))
        return loss

    @tf.function
    def train(x: Any) -> Any:
        parts = tf.split(x, 2)

        def part(context: Any) -> Any:
            return parts[context.replica_id_in_sync_group]

        here = strategy.experimental_distribute_values_from_function(part)
        return strategy.reduce("MEAN", strategy.run(train_here, [here]), axis=None)

    def examples(count: int) -> Any:
        with tf.device("/CPU:0"):
            return tf.ones([count, 64])

    return Training(
        lambda count: train(examples(count)),
        lambda count: emplace.estimate(train, examples(count)),
    )


def mirrored() -> Training:
    """A model of Keras on two GPUs."""
    layers = tf.keras.layers
    with tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"]).scope():
        model = tf.keras.Sequential([
            layers.Input((64,)), layers.Dense(128, "relu"), layers.Dense(1),
        ])  # fmt: skip
        return fit(model, lambda count: np.ones([count, 64], np.float32), 1)


MODELS = (
    mlp, cnn, resnet, lstm, transformer, autoencoder, embedding, custom_loop, eager_loop, session,
    towers, replicas,
)  # fmt: skip
LARGE = (resnet, lstm, transformer)
"""Of so many operations that their plans take seconds."""


def each_of(models: Iterable[Callable[[], Training]]) -> list[Any]:
    """What a test is parametrized with; those of large models are slow tests."""
    return [
        pytest.param(model, id=model.__name__, marks=[pytest.mark.slow] * (model in LARGE))
        for model in models
    ]
