"""A training step does not make the host wait for the GPU, by hand and by Keras's `fit`.

Strict virtual GPUs tell of waits: there are none in a step, and `fit` reads its metrics once per
epoch, however many steps that has.
"""

from __future__ import annotations

import functools
import json
import tempfile
from pathlib import Path

import numpy as np
import programs
import pytest

PROGRAM = Path(__file__).parent / "wait_free_program.py"
STRICT = "1x1GB:strict"
MODELS = ["mlp", "lstm"]
MODELS += [
    pytest.param(model, marks=pytest.mark.slow)
    for model in ("cnn", "transformer", "masked lstm", "resnet20")
]
# What rounding grows to, where a GPU has a kernel for all time steps and a CPU goes through them.
LOOSER = {"resnet20": 1e-3}


@functools.cache  # three tests ask
def trained(model, gpus):
    with tempfile.TemporaryDirectory() as folder:
        done = programs.keras("run", PROGRAM, model, folder=Path(folder), EMPLACE_GPUS=gpus)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])[model]


@pytest.mark.parametrize("way", ["eagerly", "in a function"])
@pytest.mark.parametrize("model", MODELS)
def test_a_step_by_hand_makes_nobody_wait(model, way):
    waits = trained(model, STRICT)[way]
    if (model, way) == ("masked lstm", "eagerly"):
        # Keras asserts that masks are on the right, and eager assertions are checked at once.
        assert [line.partition(" reads ")[0] for line in waits] == ["3 x None"]
        assert "rnn.py" in waits[0]
    else:
        assert waits == []


@pytest.mark.parametrize("model", MODELS)
def test_fit_reads_its_metrics_once_per_epoch(model):
    few, many = (trained(model, STRICT)[f"by fit, {steps} steps"] for steps in (4, 12))
    assert few == many  # silent, and with a line per epoch
    assert [line.partition(" reads ")[0] for line in few] == ["2 x None"]  # the loss, the accuracy
    assert "history.py" in few[0]


@pytest.mark.parametrize("model", MODELS)
def test_losses_are_those_of_the_cpu(model):
    mine, wanted = (trained(model, gpus)["losses"] for gpus in (STRICT, "0"))
    np.testing.assert_allclose(mine, wanted, rtol=LOOSER.get(model, 1e-4))
