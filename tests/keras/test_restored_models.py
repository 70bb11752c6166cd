"""Keras models and optimizers in `tf.train.Checkpoint`, restored before they are built."""

from __future__ import annotations

import programs
import pytest

PROGRAM = """
import sys, tempfile
import numpy as np
import tensorflow as tf
from tensorflow.keras import Model, Sequential, layers

X, Y = np.ones((4, 3), np.float32), np.ones((4, 1), np.float32)

class Blocks(Model):
    def __init__(self):
        super().__init__()
        self.blocks = [layers.Dense(2), layers.Dense(1)]
        self.out = {"a": layers.Dense(1)}

    def call(self, x):
        for block in self.blocks:
            x = block(x)
        return self.out["a"](x)

MADE = {
    "sequential": lambda: Sequential([layers.Dense(2), layers.Dense(1)]),
    "subclassed": Blocks,
    "lstm": lambda: Sequential([layers.Reshape((3, 1)), layers.LSTM(2), layers.Dense(1)]),
}
made = MADE[sys.argv[1]]
first = made()
first.compile("adam", "mse")
first.fit(X, Y, verbose=0)
checkpoint = tf.train.Checkpoint(model=first, optimizer=first.optimizer)
path = checkpoint.save(tempfile.mkdtemp() + "/ck")
second = made()
second.compile("adam", "mse")
status = tf.train.Checkpoint(model=second, optimizer=second.optimizer).restore(path)
print("output", np.array_equal(second(X), first(X)))
second.optimizer.build(second.trainable_variables)
values = [each.numpy() for each in first.optimizer.variables]
print("slots", all(map(np.array_equal, values, [v.numpy() for v in second.optimizer.variables])))
first.fit(X, Y, verbose=0)
second.fit(X, Y, verbose=0)
print("weights", all(map(np.array_equal, first.get_weights(), second.get_weights())))
status.assert_consumed()
"""


@pytest.mark.parametrize("model", ["sequential", "subclassed", "lstm"])
def test_a_model_that_is_built_after_restore_goes_on_where_the_saved_one_was(tmp_path, model):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    done = programs.keras("run", script, model)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split("\n")[-4:-1] == ["output True", "slots True", "weights True"]
