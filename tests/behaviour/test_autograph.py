"""AutoGraph: what programs with Python control flow give is what TensorFlow gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import autograph_programs
import pytest

import emplace.tensorflow as tf

ANSWERS = json.loads(
    (Path(__file__).parents[1] / "data" / "autograph_answers.json").read_text(encoding="utf-8")
)
autograph_programs.tf = tf

# TensorFlow refuses to iterate over a tensor in Python; here its known rows are taken apart.
LENIENT = {"enumerated-0": 20, "zipped-0": 38, "python_sum-0": 7}
# What is not there yet.
NOT_YET = {"tensor_array-0", "list_in_tensor_loop-0", "any_and_all-0"}
CASES = [c for c in autograph_programs.CASES if c[0] not in NOT_YET | set(LENIENT)]


@pytest.mark.parametrize(
    ("name", "function", "args"),
    autograph_programs.CASES,
    ids=lambda x: x if type(x) is str else "",
)
def test_a_program_gives_what_tensorflow_gives(name: str, function: Any, args: Any) -> None:
    assert autograph_programs.outcome(function, args, tf.nest.flatten) == ANSWERS[name]


@pytest.mark.parametrize("name", LENIENT)
def test_known_rows_of_a_tensor_are_taken_apart(name: str) -> None:
    ((function, args),) = [(f, a) for n, f, a in autograph_programs.CASES if n == name]
    found = autograph_programs.outcome(function, args, tf.nest.flatten)
    assert found["value"] == [["int32", [], LENIENT[name]]]
