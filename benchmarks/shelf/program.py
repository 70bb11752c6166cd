"""The networks, as written for Keras; which backend runs them was said before."""

import functools

import numpy as np
from keras import Input, Model, applications, layers

CLASSES = 10


def _application(name):
    return getattr(applications, name)(weights=None, input_shape=(96, 96, 3), classes=CLASSES)


def transformer(width=256, heads=4, depth=4, length=128, words=5000):
    inputs = Input((length,), dtype="int32")
    places = layers.Embedding(length, width)(np.arange(length)[None])
    x = layers.Embedding(words, width)(inputs) + places
    for _ in range(depth):
        attended = layers.MultiHeadAttention(heads, width // heads, dropout=0.1)(x, x)
        x = layers.LayerNormalization()(x + attended)
        inner = layers.Dense(width)(layers.Dense(4 * width, activation="gelu")(x))
        x = layers.LayerNormalization()(x + layers.Dropout(0.1)(inner))
    pooled = layers.GlobalAveragePooling1D()(x)
    return Model(inputs, layers.Dense(CLASSES, activation="softmax")(pooled))


def lstm(length=60, words=5000):
    inputs = Input((length,), dtype="int32")
    x = layers.Embedding(words, 64)(inputs)
    x = layers.Bidirectional(layers.LSTM(96, return_sequences=True))(x)
    x = layers.Bidirectional(layers.LSTM(96))(x)
    return Model(inputs, layers.Dense(CLASSES, activation="softmax")(x))


def _twice(x, width):
    for _ in range(2):
        x = layers.Conv2D(width, 3, padding="same", use_bias=False)(x)
        x = layers.ReLU()(layers.BatchNormalization()(x))
    return x


def unet(size=64, widths=(16, 32, 64)):
    inputs = Input((size, size, 3))
    x, passed = inputs, []
    for width in widths:
        x = _twice(x, width)
        passed.append(x)
        x = layers.MaxPooling2D()(x)
    x = _twice(x, 2 * widths[-1])
    for width, across in zip(reversed(widths), reversed(passed), strict=True):
        up = layers.Conv2DTranspose(width, 2, strides=2)(x)
        x = _twice(layers.concatenate([up, across]), width)
    return Model(inputs, layers.Conv2D(CLASSES, 1, activation="softmax")(x))


MODELS = {
    "resnet50": lambda: _application("ResNet50"),
    "mobilenet": lambda: _application("MobileNetV2"),
    "efficientnet": lambda: _application("EfficientNetB0"),
    "densenet": lambda: _application("DenseNet121"),
    "transformer": transformer, "lstm": lstm, "unet": unet,
}  # fmt: skip
_SENTENCES = {"transformer": (16, 128), "lstm": (32, 60)}


def _data(name):
    random = np.random.default_rng(0)
    if name in _SENTENCES:
        x = random.integers(0, 5000, _SENTENCES[name]).astype(np.int32)
        return x, random.integers(0, CLASSES, len(x))
    size = 64 if name == "unet" else 96
    x = random.normal(size=(8, size, size, 3)).astype(np.float32)
    return x, random.integers(0, CLASSES, (8, size, size) if name == "unet" else 8)


@functools.cache
def compiled(name):
    model = MODELS[name]()
    model.compile("adam", "sparse_categorical_crossentropy")
    return model, *_data(name)


def train(name):
    model, x, y = compiled(name)
    model.train_on_batch(x, y)


def predict(name):
    model, x, _ = compiled(name)
    model.predict_on_batch(x)


first_step = train

ROWS = {
    f"{name} {what}{where}": f"{what}({name!r})"
    for name in MODELS
    for what in ("train", "predict")
    for where in ("", " on all cores")
}
