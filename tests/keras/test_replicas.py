"""Models on several replicas learn what they learn on one device, whatever the last batch is.

A sample; `WHOLE_MATRIX=1` runs all of it: every model, optimizer, loop and mode, 1, 2, 3, 4 and 8
replicas, last batches from one example to one for each replica. It takes ten minutes of one core.
"""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path

import programs
import pytest

PROGRAM = Path(__file__).with_name("replica_program.py")
EVERY = [[count, last] for count in (1, 2, 3, 4, 8) for last in range(1, count + 1)]
WHOLE = {
    f"{kind}-{optimizer}": [
        (kind, optimizer, loop, is_eager, EVERY)
        for loop, is_eager in itertools.product(("fit", "custom"), (False, True))
    ]
    for kind in ("mlp", "cnn", "lstm", "embedding")
    for optimizer in ("sgd", "momentum", "adam")
}
SAMPLE = [
    ("mlp", "sgd", "fit", False, [[1, 1], [2, 1], [3, 2], [8, 1]]),
    ("mlp", "momentum", "custom", True, [[4, 3]]),
    ("cnn", "adam", "fit", False, [[2, 1], [4, 3]]),
    ("lstm", "momentum", "custom", False, [[2, 1]]),
    ("lstm", "sgd", "fit", True, [[2, 1]]),
    ("embedding", "adam", "fit", True, [[3, 1]]),
]


def run(program: Path, *arguments: str) -> str:
    done = programs.keras("run", "--gpus", "8x64MB", program, *arguments)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()[-1]


CASES = (
    [pytest.param(cases, id=name) for name, cases in WHOLE.items()]
    if os.environ.get("WHOLE_MATRIX")
    else [
        pytest.param(SAMPLE[:3], id="sample"),
        pytest.param(SAMPLE[3:], id="more", marks=pytest.mark.slow),
    ]
)


@pytest.mark.parametrize("cases", CASES)
def test_replicas_learn_what_one_device_learns(cases):
    found = json.loads(run(PROGRAM, json.dumps(cases)))
    assert len(found) == sum(len(pairs) for *_, pairs in cases)
    assert {case: worst for case, worst in found.items() if not worst <= 1e-5} == {}


BATCHES = """
import keras
import numpy as np
import tensorflow as tf


def told(strategy):
    with strategy.scope():
        model = keras.Sequential([keras.layers.Input((1,)), keras.layers.Dense(1)])
        model.set_weights([np.ones((1, 1)), np.zeros(1)])
        model.compile("sgd", "mse", metrics=["mae"])
    model.optimizer.learning_rate = 0.0
    x, y = np.array([[1.0], [2.0], [6.0]]), np.zeros((3, 1))
    found = [model.train_on_batch(x, y), model.test_on_batch(x, y)]
    return [[round(float(each), 4) for each in pair] for pair in found]


two = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"])
print(told(tf.distribute.get_strategy()) + told(two))
"""


def test_what_a_step_tells_weighs_examples_not_replicas(tmp_path):
    # Of three examples two are the first replica's; Keras takes the mean of what each replica says.
    path = tmp_path / "program.py"
    path.write_text(BATCHES)
    assert run(path) == str([[13.6667, 3.0]] * 4)


@pytest.mark.slow
def test_keras_own_step_is_checked_and_its_faults_are_named():
    said = json.loads(run(PROGRAM.with_name("equivalence_program.py")))
    assert said["synchronized"].startswith("equivalent: 3 steps on 4 replicas and on GPU:0 alone")
    assert "batch_normalization_1 is a batch norm with each replica's own mom" in said["plain"]
    assert "perhaps: the step draws random numbers (StatelessRandom" in said["dropout"]
    for kind in ("plain", "dropout"):
        assert said[kind].startswith("not equivalent: step 0 on 4 replicas")
        assert "/kernel:0 differs by " in said[kind]
