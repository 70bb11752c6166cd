"""`emplace.explain` of Keras models: where the variables are and why, what a step copies."""

from __future__ import annotations

import json

import programs
import pytest

PROGRAM = """
import json
import numpy as np
import tensorflow as tf
import emplace
from tensorflow.keras import Input, Model, Sequential, layers

def kept(name, x):
    shown[name] = {"text": str(x), **x.to_dict()}

shown = {}
x, y = np.ones((8, 4), "float32"), np.zeros((8, 2), "float32")
with tf.device("GPU:1"):
    near = Sequential([Input((4,)), layers.Dense(2)])
    near.compile("adam", "mse")
    near.fit(x, y, batch_size=4, verbose=0)
    kept("near", emplace.explain(near))

inputs = Input((4,))
with tf.device("GPU:1"):
    hidden = layers.BatchNormalization(name="norm")(layers.Dense(3, name="far")(inputs))
mixed = Model(inputs, layers.Dense(2, name="first")(hidden), name="mixed")
kept("unused", emplace.explain(mixed))
mixed.compile("sgd", "mse")
mixed.predict(x, verbose=0)
kept("mixed", emplace.explain(mixed))

class Mine(Model):
    def __init__(self):
        super().__init__(name="mine")
        self.inner = mixed
        self.late = layers.Dense(1, name="late")
        self.scale = self.add_weight(shape=(), name="scale")

    def call(self, x):
        return self.late(self.inner(x)) * self.scale

kept("mine", emplace.explain(Mine()))
eager = Sequential([Input((4,)), layers.Dense(2)])
eager.compile("sgd", "mse", run_eagerly=True)
eager.fit(x, y, verbose=0)
kept("eager", emplace.explain(eager))
tf.config.set_soft_device_placement(True)
with tf.device("GPU:7"):
    kept("layer", emplace.explain(near.layers[0]))
    soft = layers.Dense(2, name="soft")
    soft.build((None, 4))
    kept("soft", emplace.explain(soft))
kept("kernel", emplace.explain(near.layers[0].kernel))
with tf.device("GPU:1"):
    kept("output", emplace.explain(near.layers[0](x)))
try:
    emplace.explain(inputs)
except TypeError as error:
    shown["symbolic"] = str(error)
print(json.dumps(shown))
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    path = tmp_path_factory.mktemp("explained") / "program.py"
    path.write_text(PROGRAM)
    done = programs.keras("run", "--gpus", "2x256MB", path)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def layer(explained, name):
    """The one row of a layer."""
    (row,) = [each for each in explained["layers"] if each["name"] == name]
    return row


def run(explained, what):
    (found,) = [each for each in explained["runs"] if each["what"] == what]
    return found


def test_a_model_on_a_gpu_copies_nothing_but_its_data(shown):
    assert {row["device"] for row in shown["near"]["layers"]} == {"GPU:1"}
    fit = run(shown["near"], "fit")
    assert {copy["what"] for copy in fit["copies"]} == {"the data"}
    assert fit["operations"] > 20


def test_a_row_tells_bytes_device_and_reason(shown):
    assert layer(shown["mixed"], "norm") == {
        "name": "norm", "kind": "BatchNormalization", "device": "GPU:1",
        "reason": "the program asked for this device",
        "trained_bytes": 24, "other_bytes": 24, "depth": 0,
    }  # fmt: skip
    assert layer(shown["mixed"], "first")["device"] == "GPU:0"
    assert layer(shown["mixed"], "first")["reason"].startswith("no device was asked for")


def test_the_slots_of_the_optimizer_are_a_row(shown):
    row = layer(shown["near"], "adam")
    assert (row["kind"], row["trained_bytes"]) == ("Adam", 0)
    assert row["other_bytes"] == 8 + 4 + 2 * (4 * 2 + 2) * 4, "a counter, a rate, two slots each"


def test_what_has_not_run_is_said(shown):
    assert run(shown["unused"], "predict")["state"] == "has not run yet"
    assert "\n  fit has not run yet\n" in shown["unused"]["text"]
    assert run(shown["mixed"], "fit")["state"] == "has not run yet"


def test_a_step_on_two_devices_lists_the_variables_that_it_copies(shown):
    copies = {copy["what"]: copy for copy in run(shown["mixed"], "predict")["copies"]}
    assert copies["far/kernel"] == {
        "what": "far/kernel", "source": "GPU:1", "target": "GPU:0", "count": 1, "nbytes": 48,
    }  # fmt: skip
    assert "copies far/kernel from GPU:1 to GPU:0, 48 B" in shown["mixed"]["text"]


def test_a_model_without_a_function_says_so(shown):
    assert run(shown["eager"], "fit")["state"] == "runs without a tf.function"


def test_a_subclassed_model_shows_its_own_weights_and_the_models_inside(shown):
    rows = [(row["name"], row["depth"], row["device"]) for row in shown["mine"]["layers"]]
    assert rows[0] == ("mine", 0, "GPU:0")
    assert ("mixed", 0, None) in rows
    assert ("far", 1, "GPU:1") in rows
    assert "not built yet" in layer(shown["mine"], "late")["reason"]


def test_a_missing_device_is_named(shown):
    assert layer(shown["soft"], "soft")["reason"] == (
        "the program asked for GPU:7, which does not exist; soft placement is on"
    )


def test_a_layer_its_variable_and_its_output_are_explained_too(shown):
    assert len(shown["layer"]["layers"]) == 1
    assert shown["kernel"]["what"] == "variable 'sequential/dense/kernel' float32 (4, 2)"
    assert shown["kernel"]["device"] == "GPU:1"
    assert shown["output"]["op"] == "BiasAdd"
    assert shown["output"]["reason"] == "the program asked for this device"


def test_a_symbolic_tensor_of_keras_is_no_value(shown):
    assert "got KerasTensor; it takes a tensor" in shown["symbolic"]
