"""Keras models, what their steps are estimated to hold, and what they held; as JSON lines."""

from __future__ import annotations

import gc
import json
import sys
from typing import Any

import keras
import numpy as np
from keras import Input, Model, Sequential, layers

import emplace
from emplace.devices.inventory import find_devices

LOSS = keras.losses.SparseCategoricalCrossentropy
CLASSES = 10


def mlp() -> Any:
    parts = [Input((784,)), layers.Dense(512, "relu"), layers.Dense(256, "relu"), layers.Dense(10)]
    return Sequential(parts), "adam", (784,)


def cnn() -> Any:
    parts = [
        Input((32, 32, 3)), layers.Conv2D(32, 3, activation="relu"), layers.MaxPooling2D(),
        layers.Conv2D(64, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten(),
        layers.Dense(10),
    ]  # fmt: skip
    return Sequential(parts), "adam", (32, 32, 3)


def resnet() -> Any:
    x = start = Input((32, 32, 3))
    x = layers.Conv2D(16, 3, padding="same")(x)
    for filters, strides in [(16, 1)] * 3 + [(32, 2)] + [(32, 1)] * 2 + [(64, 2)] + [(64, 1)] * 2:
        y = layers.Conv2D(filters, 3, strides, padding="same", use_bias=False)(x)
        y = layers.ReLU()(layers.BatchNormalization()(y))
        y = layers.Conv2D(filters, 3, padding="same", use_bias=False)(y)
        y = layers.BatchNormalization()(y)
        if strides != 1:
            x = layers.Conv2D(filters, 1, strides)(x)
        x = layers.ReLU()(layers.Add()([x, y]))
    out = layers.Dense(10)(layers.GlobalAveragePooling2D()(x))
    return Model(start, out), keras.optimizers.SGD(0.1, momentum=0.9), (32, 32, 3)


def lstm() -> Any:
    parts = [Input((20, 16)), layers.LSTM(64, return_sequences=True), layers.LSTM(32)]
    return Sequential([*parts, layers.Dense(10)]), "rmsprop", (20, 16)


def transformer() -> Any:
    x = start = Input((32, 128))
    for _ in range(2):
        seen = layers.MultiHeadAttention(4, 32, dropout=0.1)(x, x)
        x = layers.LayerNormalization()(x + seen)
        y = layers.Dropout(0.1)(layers.Dense(128)(layers.Dense(512, "gelu")(x)))
        x = layers.LayerNormalization()(x + y)
    out = layers.Dense(10)(layers.GlobalAveragePooling1D()(x))
    return Model(start, out), "adamw", (32, 128)


def autoencoder() -> Any:
    how = {"strides": 2, "padding": "same", "activation": "relu"}
    parts = [
        Input((28, 28, 1)), layers.Conv2D(16, 3, **how), layers.Conv2D(32, 3, **how),
        layers.Conv2DTranspose(16, 3, **how), layers.Conv2DTranspose(1, 3, **how),
    ]  # fmt: skip
    return Sequential(parts), "adam", (28, 28, 1)


def embedding() -> Any:
    parts = [Input((40,), dtype="int32"), layers.Embedding(20000, 64)]
    return Sequential([*parts, layers.GlobalAveragePooling1D(), layers.Dense(10)]), "adam", (40,)


MODELS = [mlp, cnn, resnet, lstm, transformer, autoencoder, embedding]


def shown(make: Any, count: int) -> dict[str, Any]:
    """What one model's step is estimated to hold, and what it held."""
    keras.backend.clear_session()
    model, optimizer, shape = make()
    model.compile(optimizer, "mse" if make is autoencoder else LOSS(from_logits=True))
    if make is embedding:
        x = np.random.randint(0, 20000, (2 * count, *shape)).astype("int32")
    else:
        x = np.random.rand(2 * count, *shape).astype("float32")
    y = x[::-1].copy() if make is autoencoder else np.random.randint(0, CLASSES, (2 * count,))
    budget = find_devices(short_name="GPU:0")[0].budget
    assert budget is not None
    before = budget.usage().in_use
    estimate = emplace.estimate(model, batch_size=count)
    found = estimate.devices["GPU:0"]
    gc.collect()
    own = budget.usage().in_use  # nothing but parameters: slots are supposed
    others = own - found.parts["parameters"]
    mark = budget.mark()
    model.fit(x, y, batch_size=count, verbose=0)
    measured = budget.peak_since(mark) - others
    again = emplace.estimate(model, batch_size=count).devices["GPU:0"].peak_bytes
    return {
        "name": make.__name__, "grew": own - before, "estimated": found.peak_bytes,
        "again": again, "measured": measured, "slots": found.parts["slots"],
        "parts": sum(found.parts.values()), "notes": list(estimate.notes), "line": found.line,
    }  # fmt: skip


def largest() -> dict[str, Any]:
    """The largest batch within 40 MB, and what steps of so many and of one more hold."""
    model, optimizer, _ = cnn()
    model.compile(optimizer, LOSS(from_logits=True))
    limit = 40 << 20
    count = emplace.largest_batch(model, limit)
    peaks = [
        emplace.estimate(model, batch_size=n).devices["GPU:0"].peak_bytes
        for n in (count, count + 1)
    ]
    return {"name": "largest", "count": count, "peaks": peaks, "limit": limit}


if __name__ == "__main__":
    names = sys.argv[1:]
    for each in MODELS:
        if each.__name__ in names:
            print(json.dumps(shown(each, 32)))
    if "largest" in names:
        print(json.dumps(largest()))
