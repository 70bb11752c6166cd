"""A step of `fit` on a bounded GPU runs in the plain form of its plan."""

from __future__ import annotations

import json

import programs

PROGRAM = """
import json
import emplace
emplace.install()
import keras
import numpy as np
from emplace.graph.plan.plan import Plan

plans, init = [], Plan.__init__
def noted(self, *args):
    init(self, *args)
    plans.append(self)
Plan.__init__ = noted
model = keras.Sequential([keras.layers.Dense(16, activation="relu"), keras.layers.Dense(3)])
model.compile("adam", "mse")
model.fit(np.ones([64, 8], "float32"), np.ones([64, 3], "float32"), batch_size=4, verbose=0)
longest = max((plan for plan in plans if plan.is_instrumented), key=lambda plan: len(plan.steps))
held = longest.reservation
print(json.dumps([len(longest.steps), held is not None and held.is_plain]))
"""


def test_a_step_of_fit_runs_plain() -> None:
    done = programs.keras("run", "-c", PROGRAM, EMPLACE_GPUS="1x64MB")
    assert done.returncode == 0, done.stderr
    steps, is_plain = json.loads(done.stdout.splitlines()[-1])
    assert steps > 20
    assert is_plain
