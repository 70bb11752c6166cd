"""A training step does not make the host wait for the GPU, by hand and by Keras's `fit`.

Strict virtual GPUs tell of waits: there are none in a step, and `fit` reads its metrics once per
epoch, however many steps that has.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import programs
import pytest

PROGRAM = Path(__file__).parent / "wait_free_program.py"
MODELS = ["cnn", "mlp", "transformer", "lstm", "masked lstm", "resnet20"]
# What rounding grows to, where a GPU has a kernel for all time steps and a CPU goes through them.
LOOSER = {"resnet20": 1e-3}


def run(tmp_path, **env):
    done = programs.keras("run", PROGRAM, *MODELS, folder=tmp_path, **env)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return run(tmp_path_factory.mktemp("strict"), EMPLACE_GPUS="1x1GB:strict")


@pytest.fixture(scope="module")
def on_the_cpu(tmp_path_factory):
    return run(tmp_path_factory.mktemp("cpu"), EMPLACE_GPUS="0")


@pytest.mark.parametrize("way", ["eagerly", "in a function"])
@pytest.mark.parametrize("model", MODELS)
def test_a_step_by_hand_makes_nobody_wait(model, way, found):
    waits = found[model][way]
    if (model, way) == ("masked lstm", "eagerly"):
        # Keras asserts that masks are on the right, and eager assertions are checked at once.
        assert [line.partition(" reads ")[0] for line in waits] == ["3 x None"]
        assert "rnn.py" in waits[0]
    else:
        assert waits == []


@pytest.mark.parametrize("model", MODELS)
def test_fit_reads_its_metrics_once_per_epoch(model, found):
    few, many = (found[model][f"by fit, {steps} steps"] for steps in (4, 12))
    assert few == many  # silent, and with a line per epoch
    assert [line.partition(" reads ")[0] for line in few] == ["2 x None"]  # the loss, the accuracy
    assert "history.py" in few[0]


@pytest.mark.parametrize("model", MODELS)
def test_losses_are_those_of_the_cpu(model, found, on_the_cpu):
    mine, wanted = (each[model]["losses"] for each in (found, on_the_cpu))
    np.testing.assert_allclose(mine, wanted, rtol=LOOSER.get(model, 1e-4))
