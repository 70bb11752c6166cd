"""The Keras programs of `examples/keras` learn what they learn on TensorFlow 2.21.

`tests/oracle/keras_examples.json` has the losses that they printed there, with Keras 3.15.1.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import programs
import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "keras"
ON_TENSORFLOW = json.loads((ROOT / "tests" / "oracle" / "keras_examples.json").read_text())

# What rounding grows to: batch normalization and momentum double it every few steps.
LOOSER = {"cnn": 3e-2}


def losses(name: str, tmp_path: Path, *arguments: str) -> list[float]:
    """The losses that an example prints, in a process of its own."""
    kept = tmp_path / "losses.json"
    done = programs.keras("run", EXAMPLES / f"{name}.py", *arguments, LOSSES=str(kept))
    assert done.returncode == 0, done.stderr[-2000:]
    found: list[float] = json.loads(kept.read_text())
    return found


# Each is a process of its own, which trains.
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in ("mlp", "cnn") else pytest.mark.slow)
        for name in sorted(ON_TENSORFLOW)
    ],
)
def test_a_program_learns_what_it_learns_on_tensorflow(name, tmp_path):
    found = losses(name, tmp_path, str(tmp_path / "model.keras"))
    np.testing.assert_allclose(found, ON_TENSORFLOW[name], rtol=LOOSER.get(name, 2e-3))


def test_a_file_goes_on_where_it_ended(tmp_path):
    path = str(tmp_path / "model.keras")
    first = losses("transfer", tmp_path, path)
    second = losses("transfer", tmp_path, path)
    assert second[0] < first[-1], "evaluation of the saved weights"
    assert second[-1] < second[1], "training goes on"
