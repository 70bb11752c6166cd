"""`emplace.estimate` of Keras models says what their training steps hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import programs
import pytest

PROGRAM = Path(__file__).with_name("estimates_program.py")


def told(*names: str) -> list[dict[str, Any]]:
    done = programs.keras("run", PROGRAM, *names, EMPLACE_GPUS="2x1GB")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


@pytest.mark.parametrize(
    "names",
    [("mlp", "cnn", "embedding"), ("resnet", "autoencoder"), ("lstm", "transformer")],
    ids="-".join,
)
def test_a_training_step_holds_what_was_estimated(names: tuple[str, ...]) -> None:
    found = told(*names)
    assert [each["name"] for each in found] == sorted(names, key=list(names).index)
    for each in found:
        for key in ("estimated", "again"):
            error = abs(each[key] - each["measured"]) / each["measured"]
            assert error <= 0.02, each
        assert each["grew"] <= 4096, each
        assert each["slots"] > 0, each
        assert each["parts"] == each["estimated"], each
        assert not each["notes"], each
        assert each["line"], each


def test_the_largest_batch_fits_and_one_more_does_not() -> None:
    (found,) = told("largest")
    assert found["peaks"][0] <= found["limit"] < found["peaks"][1]
    assert found["count"] > 16
