"""Keras models that some replicas trained are loaded on another number of them, and go on."""

from __future__ import annotations

import json
from pathlib import Path

import programs
import pytest

PROGRAM = """
import json, sys, tempfile
import numpy as np
import tensorflow as tf
import keras

L = keras.layers
HOW, PAIRS = json.loads(sys.argv[1])
X = np.random.RandomState(0).normal(size=(24, 6)).astype("float32")
Y = np.random.RandomState(1).randint(0, 3, 24)


def build():
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [L.Input((6,)), L.Dense(8, use_bias=False), L.BatchNormalization(synchronized=True),
         L.Dense(3)]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    return model


def strategy_of(count):
    if count == 1:
        return tf.distribute.OneDeviceStrategy("GPU:0")
    return tf.distribute.MirroredStrategy([f"GPU:{i}" for i in range(count)])


def fit(model, epochs):
    model.fit(X, Y, batch_size=8, epochs=epochs, shuffle=False, verbose=0)


def state(model):
    values = [*model.weights, *model.optimizer.variables]
    return [np.array(each) for each in values] + [model.predict(X, batch_size=8, verbose=0)]


def saved(model, folder):
    if HOW == ".keras":
        model.save(folder + "/model.keras")
    elif HOW == "weights":
        model.save_weights(folder + "/model.weights.h5")
    else:
        checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
        tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1).save()


def loaded(strategy, folder):
    with strategy.scope():
        if HOW == ".keras":
            return keras.models.load_model(folder + "/model.keras")
        model = build()
        model.optimizer.build(model.trainable_variables)
        if HOW == "weights":
            model.load_weights(folder + "/model.weights.h5")
            return model
    checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
    checkpoint.restore(tf.train.latest_checkpoint(folder)).assert_consumed()
    return model


def worst(found, expected):
    assert len(found) == len(expected)
    return max(float(np.abs(a - b).max()) for a, b in zip(found, expected, strict=True))


found = {}
for before, after in PAIRS:
    folder = tempfile.mkdtemp()
    with strategy_of(before).scope():
        model = build()
    fit(model, 2)
    saved(model, folder)
    strategy = strategy_of(after)
    other = loaded(strategy, folder)
    found[f"{before} -> {after}"] = worst(state(other), state(model))
    fit(model, 1)
    fit(other, 1)
    found[f"{before} -> {after}, then"] = worst(state(other), state(model))
    parts = [strategy.experimental_local_results(each.value) for each in other.weights]
    assert all(len(each) == after for each in parts)
print(json.dumps(found))
"""


@pytest.mark.parametrize(
    "how",
    [".keras", *[pytest.param(name, marks=pytest.mark.slow) for name in ("weights", "checkpoint")]],
)
def test_a_model_is_loaded_on_another_number_of_replicas(tmp_path, how):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    case = json.dumps([how, [[1, 2], [2, 4], [4, 1]]])
    done = programs.keras("run", "--gpus", "4x64MB", path, case)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found) == 6
    assert max(value for name, value in found.items() if "then" not in name) < 1e-6
    assert max(found.values()) < 2e-5


def test_the_digits_are_predicted_as_on_one_device():
    root = Path(__file__).resolve().parents[2]
    example = root / "examples" / "digits_strategy.py"
    done = programs.keras("run", "--gpus", "4x256MB", example, "--epochs", "4")
    assert done.returncode == 0, done.stderr[-3000:]
    said = done.stdout
    assert "1347 digits to learn from, 4 replicas" in said
    assert "they predict the same: True" in said
    kinds = ("MirroredStrategy", "one device", "hand-made towers")
    accuracies = [float(said.split(f"{kind}: test accuracy ")[1].split()[0]) for kind in kinds]
    assert accuracies[0] == accuracies[1]
    assert min(accuracies) > 0.8
