"""Training steps of Keras's models can be captured as CUDA graphs, and are right when they are: on
strict virtual GPUs, which refuse in a graph what CUDA refuses.
"""

from __future__ import annotations

import json
from pathlib import Path

import programs
import pytest

PROGRAM = Path(__file__).parent / "captured_program.py"
MODELS = ["cnn", "mlp", "transformer", "lstm", "resnet20"]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("captured")
    done = programs.keras("run", PROGRAM, *MODELS, folder=folder, EMPLACE_GPUS="1x1GB:strict")
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("model", MODELS)
def test_the_plan_of_a_training_step_can_be_captured(model, found):
    assert found[model]["obstacles"] == []


@pytest.mark.parametrize("model", MODELS)
def test_it_is_replayed_and_the_losses_are_the_same_bit_for_bit(model, found):
    assert found[model]["replays"] >= 5
    as_graph, as_plan = found[model]["losses"]
    assert as_graph == as_plan
