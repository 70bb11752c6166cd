"""Keras models live and run where `tf.device` says."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import numpy as np
import tensorflow as tf
import emplace

with tf.device("GPU:1"):
    model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3)])
    model.compile("adam", "mse")
    with emplace.watch() as seen:
        model.fit(np.ones((8, 4)), np.zeros((8, 3)), batch_size=4, epochs=1, verbose=0)
        made = model.predict(np.ones((2, 4)), verbose=0)
places = {v.value.device.rsplit("/", 1)[-1] for v in model.variables}
print("variables", sorted(places))
rows = seen.report().to_dict()["ops"]
print("products", {row["device"] for row in rows if row["op"] == "MatMul"})
print("made", made.shape)
"""

MIRRORED = """
import tensorflow as tf

gpus = tf.config.list_logical_devices("GPU")
strategy = tf.distribute.MirroredStrategy(gpus)
with strategy.scope():
    inputs = tf.keras.layers.Input(shape=(1,))
    predictions = tf.keras.layers.Dense(1)(inputs)
    model = tf.keras.models.Model(inputs=inputs, outputs=predictions)
    model.compile(loss="mse", optimizer=tf.keras.optimizers.SGD(learning_rate=0.2))
print("built", model.count_params())
"""


def run(program: str, tmp_path, *options: str) -> str:
    path = tmp_path / "program.py"
    path.write_text(program)
    command = [sys.executable, "-m", "emplace", "run", *options, str(path)]
    env = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def placed(tmp_path_factory):
    return run(PROGRAM, tmp_path_factory.mktemp("placed"), "--gpus", "2x256MB")


def test_the_variables_of_a_model_are_where_it_was_built(placed):
    assert "variables ['device:GPU:1']" in placed


def test_the_products_of_fit_and_predict_run_there(placed):
    assert "products {'GPU:1'}" in placed
    assert "made (2, 3)" in placed


def test_the_guides_mirrored_strategy_builds_and_compiles_its_model(tmp_path):
    assert "built 2" in run(MIRRORED, tmp_path, "--gpus", "2x256MB")
