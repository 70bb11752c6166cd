"""TF 1 programs give the names and the numbers that TensorFlow gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tf1_cases

import emplace.tensorflow.compat.v1 as tf1

RECORDED = json.loads((Path(__file__).parents[2] / "data" / "tf1_cases.json").read_text())


def close(ours: Any, theirs: Any) -> bool:
    """Whether results are the same, numbers to four digits."""
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(close(ours[k], theirs[k]) for k in ours)
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(close, ours, theirs))
    if isinstance(ours, float) and isinstance(theirs, float):
        return ours == pytest.approx(theirs, rel=2e-4, abs=1e-5)
    return type(ours) is type(theirs) and bool(ours == theirs)


@pytest.mark.parametrize("name", tf1_cases.CASES)
def test_a_program_gives_what_tensorflow_gives(name):
    ours, theirs = tf1_cases.run(tf1, name), RECORDED[name]
    assert close(ours, theirs), f"\nours   {ours}\ntheirs {theirs}"
