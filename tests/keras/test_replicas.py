"""Models on several replicas learn what they learn on one device, whatever the last batch is."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys
import numpy as np
import tensorflow as tf
import keras

L = keras.layers
KIND, OPTIMIZER, COUNTS, ROWS, EAGER = json.loads(sys.argv[1])
SHAPES = {"mlp": (6,), "cnn": (6, 6, 1), "lstm": (5, 4), "embedding": (5,)}
LAYERS = {
    "mlp": lambda: [L.Dense(8, activation="relu", kernel_regularizer="l2"), L.Dense(3)],
    "cnn": lambda: [L.Conv2D(4, 3, use_bias=False), L.BatchNormalization(synchronized=True),
                    L.ReLU(), L.Flatten(), L.Dense(3)],
    "lstm": lambda: [L.LSTM(6), L.Dense(3)],
    "embedding": lambda: [L.Embedding(11, 4), L.GlobalAveragePooling1D(), L.Dense(3)],
}
OPTIMIZERS = {
    "sgd": lambda: keras.optimizers.SGD(0.05),
    "momentum": lambda: keras.optimizers.SGD(0.05, momentum=0.9),
    "adam": lambda: keras.optimizers.Adam(0.01),
}


def build():
    keras.utils.set_random_seed(1)
    dtype = "int32" if KIND == "embedding" else "float32"
    model = keras.Sequential([L.Input(SHAPES[KIND], dtype=dtype), *LAYERS[KIND]()])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(OPTIMIZERS[OPTIMIZER](), loss, metrics=["accuracy"], run_eagerly=EAGER)
    return model


def trained(model, rows):
    random = np.random.RandomState(0)
    shape = (rows, *SHAPES[KIND])
    x = random.randint(0, 11, shape) if KIND == "embedding" else random.normal(size=shape)
    y = random.randint(0, 3, rows)
    told = model.fit(x, y, batch_size=8, epochs=2, verbose=0, shuffle=False).history
    found = [*told["loss"], *told["accuracy"], *model.evaluate(x, y, batch_size=8, verbose=0)]
    return [np.array(found), model.predict(x, batch_size=8, verbose=0), *model.get_weights()]


expected = {}
for rows in ROWS:
    again = build()
    expected[rows] = trained(again, rows)
worst = {}
for count in COUNTS:
    strategy = tf.distribute.MirroredStrategy([f"GPU:{i}" for i in range(count)])
    for rows in ROWS:
        with strategy.scope():
            model = build()
        found = trained(model, rows)
        differences = [float(np.abs(a - b).max()) for a, b in zip(expected[rows], found)]
        worst[f"{count} replicas, {rows} rows"] = max(differences)
print(json.dumps(worst))
"""


def differences(tmp_path, *case) -> dict[str, float]:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    command = [sys.executable, "-m", "emplace", "run", "--gpus", "8x64MB", str(path)]
    env = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*command, json.dumps(case)], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("kind", "optimizer", "counts", "rows", "is_eager"),
    [
        ("mlp", "sgd", [1, 2, 3, 4, 8], [16], False),
        ("mlp", "momentum", [2, 3], [9, 10, 11], False),
        ("mlp", "adam", [4], [12, 13], True),
        ("cnn", "adam", [2, 4], [13], False),
        ("lstm", "momentum", [2], [12], False),
        ("embedding", "adam", [2, 4], [11], False),
    ],
)
def test_replicas_learn_what_one_device_learns(tmp_path, kind, optimizer, counts, rows, is_eager):
    found = differences(tmp_path, kind, optimizer, counts, rows, is_eager)
    assert {case: worst for case, worst in found.items() if not worst <= 1e-5} == {}
