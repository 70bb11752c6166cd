"""Training steps of Keras's models can be captured as CUDA graphs, and are right when they are: on
strict virtual GPUs, which refuse in a graph what CUDA refuses.
"""

from __future__ import annotations

import functools
import json
import tempfile
from pathlib import Path

import programs
import pytest

PROGRAM = Path(__file__).parent / "captured_program.py"
MODELS = ["mlp", "lstm"]
MODELS += [
    pytest.param(model, marks=pytest.mark.slow) for model in ("cnn", "transformer", "resnet20")
]


@functools.cache  # two tests ask
def found(model):
    with tempfile.TemporaryDirectory() as folder:
        how = {"folder": Path(folder), "EMPLACE_GPUS": "1x1GB:strict"}
        done = programs.keras("run", PROGRAM, model, **how)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])[model]


@pytest.mark.parametrize("model", MODELS)
def test_the_plan_of_a_training_step_can_be_captured(model):
    assert found(model)["obstacles"] == []


@pytest.mark.parametrize("model", MODELS)
def test_it_is_replayed_and_the_losses_are_the_same_bit_for_bit(model):
    assert found(model)["replays"] >= 5
    as_graph, as_plan = found(model)["losses"]
    assert as_graph == as_plan
