"""TensorFlow's recorded answers hold inside of `tf.function`, whatever is known of shapes.

CI replays a fixed sample; `EMPLACE_GRAPH_AUDIT=1` replays every case. Where arrays become
arguments, the answer is that of eager mode for tensors. `graph_gaps.json` lists the
sampled cases that fail, by mode, and may only shrink.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import op_cases
import pytest
from graph_replay import MODES, answer, answer_of_tensors, is_in_scope
from op_cases import Case
from test_ops_oracle import assert_same, is_error, recorded

GAPS = json.loads((Path(__file__).resolve().parents[1] / "data" / "graph_gaps.json").read_text())
EVERY = 1 if os.environ.get("EMPLACE_GRAPH_AUDIT") else 25


def sampled() -> list[Any]:
    return [
        pytest.param(family, case, mode, id=f"{mode}: {family}: {case.expression}")
        for family in op_cases.families()
        for case in op_cases.cases_of(family)[::EVERY]
        for mode in MODES
        if is_in_scope(case.expression, recorded(family)[case.expression], mode)
    ]


def check(family: str, case: Case, mode: str) -> None:
    """Fails unless the traced answer is the recorded one; an error may come while tracing."""
    expected = recorded(family)[case.expression]
    if mode != "plain":
        expected = answer_of_tensors(case.expression)
    actual = answer(case.expression, mode)
    if is_error(expected) or is_error(actual):
        assert is_error(expected), f"TensorFlow answers, Emplace raises {actual}"
        assert is_error(actual), f"TensorFlow raises {expected}, Emplace answers"
        assert actual["error"] in (expected["error"], "ValueError", "TypeError"), actual
    else:
        assert_same(actual, expected, case)


@pytest.mark.parametrize(("family", "case", "mode"), sampled())
def test_a_traced_op_answers_as_tensorflow(family: str, case: Case, mode: str) -> None:
    if case.expression not in GAPS[mode]:
        check(family, case, mode)
        return
    try:
        check(family, case, mode)
    except Exception:
        return
    pytest.fail("It works now: take it off the list in tests/data/graph_gaps.json.")


def test_an_op_of_our_own_has_a_valid_name_outside_of_every_scope() -> None:
    assert answer("tf.sort(f32(6))", "unknown") == answer_of_tensors("tf.sort(f32(6))")
