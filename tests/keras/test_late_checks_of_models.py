"""Keras models on GPUs that must not be waited for tell of wrong values, however they are run."""

from __future__ import annotations

import json
from pathlib import Path

import programs
import pytest

PROGRAM = Path(__file__).parent / "late_program.py"
SAID = {
    "embedding": ["is not in [0, 5)", "GatherV2"],
    "gather": ["is not in [0, 5)", "GatherV2"],
    "gather_nd": ["does not index into param shape [5,2]", "GatherNd"],
    "check_numerics": ["seen : Tensor had Inf values", "CheckNumerics"],
    "assert_less": ["too large", ""],
}
WAYS = [
    "fit", "fit in two epochs", "fit with a line", "evaluate", "predict", "predict in batches",
    "train_on_batch", "test_on_batch", "predict_on_batch", "call",
]  # fmt: skip


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("late")
    done = programs.keras("run", PROGRAM, folder=folder, EMPLACE_GPUS="1x1GB:strict")
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("layer", SAID)
def test_a_wrong_value_is_told_and_the_next_call_works(layer, way, found):
    before, wrong, after = found[f"{layer}, {way}"]
    assert before is None
    assert after is None
    kind, text = wrong
    assert kind == "InvalidArgumentError"
    assert all(each in text for each in SAID[layer])
    if (layer, way) != ("assert_less", "call"):  # in eager mode it looks at once
        assert "Found later" in text
