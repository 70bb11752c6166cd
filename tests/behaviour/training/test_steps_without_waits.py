"""Training steps written with TensorFlow's ops alone do not make the host wait for the GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.devices.known import MOST
from emplace.testing import assert_no_waits, fresh_runtime

# More examples than a batch may have for the host to go on knowing its labels.
BATCH, CLASSES, WARM, STEPS = MOST + 1, 3, 2, 3
Step = Callable[[Any, Any], Any]


class Weights:
    """The variables of a model, made when they are first asked for."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(5)
        self.all: dict[str, tf.Variable] = {}
        self.trainable: list[Any] = []

    def __call__(self, name: str, *shape: int) -> Any:
        if name not in self.all:
            scale = 1.0 / np.sqrt(max(1, int(np.prod(shape[:-1]))))
            start = (self.random.normal(size=shape) * scale).astype(np.float32)
            self.all[name] = tf.Variable(start)
            self.trainable.append(self.all[name])
        return self.all[name]

    def state(self, name: str, value: Any) -> Any:
        if name not in self.all:
            self.all[name] = tf.Variable(value, trainable=False)
        return self.all[name]


def normalised(w: Weights, name: str, x: Any, axes: Sequence[int]) -> Any:
    """Batch or layer norm; a batch norm goes on with its averages."""
    mean, variance = tf.nn.moments(x, axes, keepdims=True)
    if 0 in axes:
        average = w.state(f"{name}/average", np.zeros(x.shape[-1], np.float32))
        average.assign_add(0.1 * (tf.reshape(mean, [-1]) - average))
    scale, offset = w(f"{name}/scale", x.shape[-1]), w(f"{name}/offset", x.shape[-1])
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-5)


def dense(w: Weights, name: str, x: Any, units: int) -> Any:
    product = tf.tensordot(x, w(f"{name}/w", x.shape[-1], units), [[-1], [0]])
    return tf.nn.bias_add(product, w(f"{name}/b", units))


def mlp(w: Weights, x: Any) -> Any:
    h = tf.nn.relu(dense(w, "in", tf.reshape(x, [tf.shape(x)[0], -1]), 8))
    return dense(w, "out", tf.nn.dropout(h, 0.2, seed=3), CLASSES)


def cnn(w: Weights, x: Any) -> Any:
    h = tf.nn.relu(normalised(w, "bn", tf.nn.conv2d(x, w("k", 3, 3, 1, 4), 1, "SAME"), [0, 1, 2]))
    h = tf.nn.local_response_normalization(tf.nn.max_pool2d(h, 2, 2, "VALID"))
    return dense(w, "out", tf.reshape(h, [-1, 4 * 4 * 4]), CLASSES)


def transformer(w: Weights, tokens: Any) -> Any:
    counter = w.state("counter", np.array([7, 0], np.int64))
    counter.assign_add([0, 1])
    x = tf.nn.embedding_lookup(w("tokens", 11, 8), tokens)
    x += tf.gather(w("places", 6, 8), tf.range(tf.shape(tokens)[1]))
    q, k, v = (dense(w, name, x, 8) for name in "qkv")
    causal = tf.linalg.band_part(tf.ones([6, 6]), -1, 0)
    scores = tf.matmul(q, k, transpose_b=True) / 8.0**0.5 + (1.0 - causal) * -1e9
    attended = tf.matmul(tf.nn.softmax(scores), v)
    attended = tf.nn.experimental.stateless_dropout(attended, 0.1, seed=counter)
    x = normalised(w, "first", x + attended, [-1])
    x = normalised(w, "second", x + dense(w, "down", tf.nn.gelu(dense(w, "up", x, 16)), 8), [-1])
    return dense(w, "out", tf.reduce_mean(x, 1), CLASSES)


def lstm(w: Weights, x: Any) -> Any:
    weights, bias = w("w", 4 + 6, 24), w("b", 24)
    rows = tf.transpose(x, [1, 0, 2])
    outputs = tf.TensorArray(tf.float32, size=tf.shape(rows)[0])

    def body(time: Any, h: Any, c: Any, outputs: Any) -> Any:
        gates = tf.matmul(tf.concat([rows[time], h], 1), weights) + bias
        i, f, g, o = tf.split(gates, 4, 1)
        c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
        h = tf.sigmoid(o) * tf.tanh(c)
        return time + 1, h, c, outputs.write(time, h)

    start = tf.zeros([tf.shape(x)[0], 6])
    looped = tf.while_loop(
        lambda time, *_: time < tf.shape(rows)[0], body, (0, start, start, outputs)
    )
    return dense(w, "out", tf.reduce_max(looped[3].stack(), 0), CLASSES)


def resnet20(w: Weights, x: Any) -> Any:
    def conv(name: str, x: Any, filters: int, strides: int = 1, size: int = 3) -> Any:
        kernel = w(f"{name}/k", size, size, x.shape[-1], filters)
        return normalised(w, name, tf.nn.conv2d(x, kernel, strides, "SAME"), [0, 1, 2])

    x = tf.nn.relu(conv("stem", tf.tile(x, [1, 1, 1, 2]), 2))
    for filters in (2, 3, 4):
        for block in range(3):
            name, strides = f"{filters}/{block}", 2 if filters > 2 and block == 0 else 1
            y = conv(f"{name}/b", tf.nn.relu(conv(f"{name}/a", x, filters, strides)), filters)
            x = tf.nn.relu(y + (conv(f"{name}/c", x, filters, strides, 1) if strides > 1 else x))
    return dense(w, "out", tf.reduce_mean(x, [1, 2]), CLASSES)


SHAPES: dict[Any, tuple[int, ...]] = {
    mlp: (4, 4), cnn: (8, 8, 1), transformer: (6,), lstm: (5, 4), resnet20: (8, 8, 1),
}  # fmt: skip


def training(model: Any) -> tuple[Step, Any, Any]:
    """(A step of Adam with clipped gradients, examples, labels)."""
    random, w = np.random.default_rng(1), Weights()
    shape = (BATCH * (WARM + STEPS), *SHAPES[model])
    tokens = random.integers(0, 11, shape)
    x = tokens.astype(np.int32) if model is transformer else random.normal(size=shape)
    labels = random.integers(0, CLASSES, len(x))
    time = tf.Variable(0, dtype=tf.int64)

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = model(w, x)
            costs = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
            loss = tf.reduce_mean(costs) + 1e-4 * tf.nn.l2_loss(w.trainable[0])
        gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, w.trainable), 1.0)
        time.assign_add(1)
        rate = tf.where(time < 3, 0.01, 0.005) * tf.cast(time, tf.float32) ** -0.5
        for i, (v, g) in enumerate(zip(w.trainable, gradients, strict=True)):
            m = w.state(f"m{i}", np.zeros(v.shape, np.float32))
            n = w.state(f"n{i}", np.zeros(v.shape, np.float32))
            g = tf.convert_to_tensor(g)
            m.assign(0.9 * m + 0.1 * g)
            n.assign(0.99 * n + 0.01 * g * g)
            v.assign_sub(rate * m / (tf.sqrt(n) + 1e-3))
        hits = tf.math.in_top_k(y, logits, 1)
        w.state("hits", np.float32(0)).assign_add(tf.reduce_sum(tf.cast(hits, tf.float32)))
        if tf.equal(time % 4, 0):  # what a counter decides
            w.state("hits", np.float32(0)).assign(0.0)
        return loss

    return step, x.astype(np.float32) if model is not transformer else x, labels


def losses(model: Any, wrap: Callable[[Step], Step], quiet: Any) -> list[float]:
    tf.random.set_seed(2)
    step, x, y = training(model)
    step(x[:BATCH], y[:BATCH])  # makes the variables
    run, kept = wrap(step), []

    def steps(first: int, last: int) -> None:
        for i in range(first, last):
            rows = slice(i * BATCH, (i + 1) * BATCH)
            kept.append(run(x[rows], y[rows]))

    steps(0, WARM)
    with quiet():
        steps(WARM, WARM + STEPS)
    return [float(loss) for loss in kept]


class Nothing:
    def __enter__(self) -> None: ...

    def __exit__(self, *exc: object) -> None: ...


WAYS = {"eagerly": lambda step: step, "in a function": tf.function}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "model",
    [
        pytest.param(model, id=model.__name__, marks=[pytest.mark.slow] * (model is resnet20))
        for model in SHAPES
    ],
)
def test_a_step_makes_nobody_wait_and_learns_what_it_learns_on_the_cpu(
    model: Any, way: str
) -> None:
    with fresh_runtime(1, memory="1GB", strict=True):
        found = losses(model, WAYS[way], assert_no_waits)
    with fresh_runtime(0):
        wanted = losses(model, WAYS[way], Nothing)
    np.testing.assert_allclose(found, wanted, rtol=2e-4)
