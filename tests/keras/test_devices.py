"""Keras models live and run where `tf.device` says."""

from __future__ import annotations

import re

import programs
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

# The cells of the guides about MirroredStrategy, as they stand there.
MIRRORED = {
    "tf2": """
tf.debugging.set_log_device_placement(True)
gpus = tf.config.list_logical_devices('GPU')
strategy = tf.distribute.MirroredStrategy(gpus)
with strategy.scope():
  inputs = tf.keras.layers.Input(shape=(1,))
  predictions = tf.keras.layers.Dense(1)(inputs)
  model = tf.keras.models.Model(inputs=inputs, outputs=predictions)
  model.compile(loss='mse',
                optimizer=tf.keras.optimizers.SGD(learning_rate=0.2))
""",
    "alpha": """
strategy = tf.distribute.MirroredStrategy()

with strategy.scope():
  inputs = tf.keras.layers.Input(shape=(1,))
  predictions = tf.keras.layers.Dense(1)(inputs)
  model = tf.keras.models.Model(inputs=inputs, outputs=predictions)
  model.compile(loss='mse',
                optimizer=tf.train.GradientDescentOptimizer(learning_rate=0.2))
""",
}

# What comes before in a guide: notebooks show INFO lines, and the log of placements is on.
BEFORE = """
import tensorflow as tf

tf.get_logger().setLevel("INFO")
tf.debugging.set_log_device_placement(True)
"""

# What the guides stop short of: the same model on one device, and data.
AFTER = """
tf.debugging.set_log_device_placement(False)
import numpy as np

print("built", model.count_params(), type(model.optimizer).__name__)
inputs = tf.keras.layers.Input(shape=(1,))
alone = tf.keras.models.Model(inputs=inputs, outputs=tf.keras.layers.Dense(1)(inputs))
alone.compile(loss="mse", optimizer=tf.keras.optimizers.SGD(learning_rate=0.2))
alone.set_weights(model.get_weights())
x = np.linspace(-1, 1, 30)[:, None]
for each in (model, alone):
    each.fit(x, 3 * x + 1, batch_size=8, epochs=3, shuffle=False, verbose=0)
x = np.linspace(-2, 2, 7)[:, None]
found = [each.predict(x, verbose=0) for each in (model, alone)]
print("differ by", np.abs(found[0] - found[1]).max() < 1e-5, found[0].shape)
"""

RECURRENT = """
import numpy as np
import tensorflow as tf

x = np.random.default_rng(0).normal(size=(3, 6, 4)).astype("float32")
for name in ("GRU", "LSTM"):
    steps, fused = (
        getattr(tf.keras.layers, name)(5, use_cudnn=use_cudnn, return_sequences=True)
        for use_cudnn in (False, True)
    )
    steps.build(x.shape)
    fused.build(x.shape)
    fused.set_weights(steps.get_weights())
    print(name, np.allclose(steps(x), fused(x), atol=1e-6))
"""

# TensorFlow 2.21's log of a variable that is made on four GPUs.
MADE = [
    "VarHandleOp 0", "AssignVariableOp 0",
    *[
        line
        for i in (1, 2, 3)
        for line in (
            "ReadVariableOp 0", f"Identity {i}", f"VarHandleOp {i}", f"AssignVariableOp {i}"
        )
    ],
    *["NoOp 0"] * 4,
]  # fmt: skip

# Of these kinds its log of both cells has nothing but six variables: kernel and bias, the steps and
# the learning rate of the optimizer, the sum and the count of losses.
KINDS = ("VarHandleOp", "AssignVariableOp", "ReadVariableOp", "Identity", "NoOp")


def run(program: str, tmp_path, *options: str) -> str:
    path = tmp_path / "program.py"
    path.write_text(program)
    done = programs.keras("run", *options, path)
    assert done.returncode == 0, done.stderr[-2000:]
    (tmp_path / "stderr").write_text(done.stderr)
    return done.stdout


@pytest.fixture(scope="module")
def placed(tmp_path_factory):
    return run(PROGRAM, tmp_path_factory.mktemp("placed"), "--gpus", "2x256MB")


def test_the_variables_of_a_model_are_where_it_was_built(placed):
    assert "variables ['device:GPU:1']" in placed


def test_the_products_of_fit_and_predict_run_there(placed):
    assert "products {'GPU:1'}" in placed
    assert "made (2, 3)" in placed


@pytest.mark.parametrize("guide", MIRRORED)
def test_the_guides_mirrored_strategy_trains_as_one_device_does(guide, tmp_path, monkeypatch):
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "0")
    printed = run(BEFORE + MIRRORED[guide] + AFTER, tmp_path, "--gpus", "4x64MB")
    assert "built 2 SGD" in printed
    assert "differ by True (7, 1)" in printed
    told = (tmp_path / "stderr").read_text()
    names = ", ".join(f"'/job:localhost/replica:0/task:0/device:GPU:{i}'" for i in range(4))
    assert told.count(f"INFO:tensorflow:Using MirroredStrategy with devices ({names})") == 1
    ops = re.findall(r"Executing op (\w+) in device \S+GPU:(\d)", told)
    assert [" ".join(each) for each in ops if each[0] in KINDS] == MADE * 6


def test_a_recurrent_layer_of_one_op_computes_what_its_steps_compute(tmp_path):
    printed = run(RECURRENT, tmp_path, "--gpus", "1x64MB")
    assert printed.split() == ["GRU", "True", "LSTM", "True"]
