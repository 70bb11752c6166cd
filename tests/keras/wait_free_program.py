"""Trains small models in every way and prints what made the host wait for the GPU, and the losses.

    EMPLACE_GPUS=1x1GB:strict emplace run wait_free_program.py cnn mlp

By hand, a step is a `GradientTape`, eagerly and in a `tf.function`; `fit` is Keras's own. What is
printed is a JSON object with the lines of the waits, by model and way, and the losses of the steps
by hand. Without virtual GPUs it prints the losses alone.
"""

import contextlib
import functools
import io
import json
import sys

import keras
import numpy as np
import tensorflow as tf

import emplace
from emplace.devices.known import MOST

L = keras.layers
# More examples than a batch may have for the host to go on knowing its labels.
BATCH, WARM, STEPS, EPOCH = MOST + 1, 2, 3, (4, 12)


def transformer():
    tokens = keras.Input((6,), dtype="int32")
    x = L.Embedding(11, 8)(tokens) + L.Embedding(6, 8)(keras.ops.arange(6))
    x = L.LayerNormalization()(x + L.MultiHeadAttention(2, 4, dropout=0.1)(x, x))
    x = L.LayerNormalization()(x + L.Dense(8)(L.Dense(16, activation="gelu")(x)))
    return keras.Model(tokens, L.Dense(3)(L.GlobalAveragePooling1D()(x)))


def resnet20():
    image = keras.Input((8, 8, 3))
    x = L.ReLU()(L.BatchNormalization()(L.Conv2D(2, 3, padding="same")(image)))
    for filters in (2, 3, 4):
        for block in range(3):
            strides = 2 if filters > 2 and block == 0 else 1
            y = L.Conv2D(filters, 3, strides, "same", use_bias=False)(x)
            y = L.ReLU()(L.BatchNormalization()(y))
            y = L.BatchNormalization()(L.Conv2D(filters, 3, padding="same", use_bias=False)(y))
            x = L.Conv2D(filters, 1, strides)(x) if strides > 1 else x
            x = L.ReLU()(x + y)
    return keras.Model(image, L.Dense(3)(L.GlobalAveragePooling2D()(x)))


def sequential(*layers):
    return lambda: keras.Sequential([keras.Input(layers[0]), *[make() for make in layers[1:]]])


MODELS = {
    "cnn": sequential(
        (8, 8, 1), lambda: L.Conv2D(4, 3, activation="relu"), L.BatchNormalization,
        L.MaxPooling2D, L.Flatten, lambda: L.Dropout(0.3), lambda: L.Dense(3),
    ),
    "mlp": sequential(
        (16,), lambda: L.Dense(8, activation="relu"), lambda: L.Dropout(0.2), lambda: L.Dense(3)
    ),
    "transformer": transformer,
    "lstm": sequential((5, 4), lambda: L.LSTM(6), lambda: L.Dense(3)),
    "masked lstm": lambda: keras.Sequential([
        keras.Input((5,), dtype="int32"), L.Embedding(11, 4, mask_zero=True), L.LSTM(6), L.Dense(3)
    ]),
    "resnet20": resnet20,
}  # fmt: skip


def examples(model, count):
    random, shape = np.random.default_rng(0), (count, *model.input_shape[1:])
    if "int" not in model.inputs[0].dtype:
        return random.normal(size=shape).astype("float32"), random.integers(0, 3, count)
    x = random.integers(1, 11, shape).astype("int32")
    x[::2, -2:] = 0  # sequences are of two lengths
    return x, random.integers(0, 3, count)


def waits(run):
    """What made the host wait while `run` ran."""
    with emplace.watch() as seen:
        run()
    return [
        f"{w['count']} x {w['op']} {w['what']} {w['line']}"
        for w in seen.report().to_dict()["waits"]
    ]


def by_hand(model, loss_of, x, y):
    """(step, what keeps its losses): the program's own loop."""
    optimizer, losses = keras.optimizers.Adam(1e-3), []

    def step(images, labels):
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(images, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    def steps(function, count):
        for i in range(count):
            batch = slice(i * BATCH, (i + 1) * BATCH)
            losses.append(function(x[batch], y[batch]))

    return step, steps, losses


def trained(name):
    keras.utils.set_random_seed(1)
    model = MODELS[name]()
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    x, y = examples(model, EPOCH[1] * BATCH)
    step, steps, losses = by_hand(model, loss_of, x, y)
    found = {}
    for way, function in (("eagerly", step), ("in a function", tf.function(step))):
        steps(function, WARM)
        found[way] = waits(lambda f=function: steps(f, STEPS))
    found["losses"] = [float(loss) for loss in losses]
    if tf.config.list_physical_devices("GPU"):
        model.compile("adam", loss_of, metrics=["accuracy"])
        model.fit(x[: 2 * BATCH], y[: 2 * BATCH], batch_size=BATCH, verbose=0)
        for verbose, count in ((0, EPOCH[0]), (2, EPOCH[1])):
            data, how = (x[: count * BATCH], y[: count * BATCH]), {"verbose": verbose}
            with contextlib.redirect_stdout(io.StringIO()):
                fit = functools.partial(model.fit, *data, batch_size=BATCH, **how)
                found[f"by fit, {count} steps"] = waits(fit)
    return found


if __name__ == "__main__":
    print(json.dumps({name: trained(name) for name in sys.argv[1:] or MODELS}))
