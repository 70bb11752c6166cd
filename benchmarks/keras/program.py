"""The models and their training, as written for Keras; which backend runs it was said before."""

import functools

from keras import Input, Model, Sequential, layers, losses

from .inputs import SIZES, data

EPOCHS = 2


def mlp():
    hidden = [layers.Dense(512, activation="relu") for _ in range(2)]
    return Sequential([*hidden, layers.Dense(10)])


def cnn():
    return Sequential([
        layers.Conv2D(32, 3, activation="relu"), layers.MaxPooling2D(),
        layers.Conv2D(64, 3, activation="relu"), layers.MaxPooling2D(),
        layers.Flatten(), layers.Dense(10),
    ])  # fmt: skip


def lstm():
    return Sequential([layers.LSTM(32), layers.Dense(10)])


def transformer():
    inputs = Input((32, 64))
    attended = layers.MultiHeadAttention(4, 16)(inputs, inputs)
    x = layers.LayerNormalization()(attended + inputs)
    inner = layers.Dense(64)(layers.Dense(128, activation="relu")(x))
    x = layers.LayerNormalization()(x + inner)
    return Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling1D()(x)))


MODELS = {"mlp": mlp, "cnn": cnn, "lstm": lstm, "transformer": transformer}


@functools.cache
def compiled(name):
    model = MODELS[name]()
    model.compile("adam", losses.SparseCategoricalCrossentropy(from_logits=True))
    return model, data(name)


def fit(name, epochs=EPOCHS):
    model, (x, y) = compiled(name)
    model.fit(x, y, batch_size=SIZES[name][1], epochs=epochs, verbose=0)


ROWS = {f"{name} step": f"fit({name!r})" for name in MODELS}
# How many steps one repetition of a row is.
PARTS = {f"{name} step": EPOCHS * steps for name, (_, _, steps) in SIZES.items()}
