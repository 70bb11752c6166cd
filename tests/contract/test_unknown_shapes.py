"""What TensorFlow answered holds in functions, whatever is known of their arguments' shapes.

In each way to ask, an answer is eager mode's for tensors. Where TensorFlow itself does otherwise
once sizes or the rank are unknown (it refuses what it would have to know, or answers where it
could not look), `tests/data/unknown_shapes.json` has what it says, and either will do. What fails
is in `unknown_shapes_gaps.json`, which may only shrink. CI asks each of its cases in one way;
`EMPLACE_GRAPH_AUDIT=1` asks every case in all of them.
"""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

import op_cases
import pytest
from graph_replay import WAYS, answer, answer_of_tensors, is_in_scope
from linted import linted
from op_cases import Case
from test_ops_oracle import assert_same, called_first, is_error, recorded

from emplace.testing import fresh_runtime

DATA = Path(__file__).resolve().parents[1] / "data"
OF_TENSORFLOW = json.loads((DATA / "unknown_shapes.json").read_text())
GAPS = json.loads((DATA / "unknown_shapes_gaps.json").read_text())
IS_AUDIT = bool(os.environ.get("EMPLACE_GRAPH_AUDIT"))
EVERY = 12


def ways_of(expression: str) -> tuple[str, ...]:
    """The ways in which a case is asked: by the hash of its text, unless all of them are."""
    if IS_AUDIT:
        return WAYS
    number = zlib.crc32(expression.encode())
    return () if number % EVERY else (WAYS[number // EVERY % len(WAYS)],)


def asked() -> list[Any]:
    """The cases of each function, with their ways."""
    groups: dict[tuple[str, str], list[tuple[Case, tuple[str, ...]]]] = {}
    for family in op_cases.families():
        for case in op_cases.cases_of(family):
            ways = ways_of(case.expression)
            expected = recorded(family).get(case.expression)
            if ways and expected is not None and is_in_scope(case.expression, expected, "unknown"):
                groups.setdefault((family, called_first(case.expression)), []).append((case, ways))
    return [
        pytest.param(cases, id=f"{family}: {function}")
        for (family, function), cases in groups.items()
    ]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("cases", asked())
def test_a_function_answers_whatever_is_known_of_shapes(
    cases: list[tuple[Case, tuple[str, ...]]],
) -> None:
    wrong = []
    for case, ways in cases:
        with fresh_runtime():
            expected = answer_of_tensors(case.expression)
        for way in ways:
            with fresh_runtime(), linted():
                wrong += failures(case, way, answer(case.expression, way), expected)
    if wrong:
        pytest.fail("\n\n".join(wrong), pytrace=False)


def failures(case: Case, way: str, actual: Any, expected: Any) -> list[str]:
    """What is wrong about an answer, below its expression; empty if nothing is."""
    allowed = [expected]
    told = OF_TENSORFLOW["unranked" if way == "unranked" else "unknown"]
    if case.expression in told:
        allowed.append(told[case.expression])
    is_right = any(is_as(case, actual, each) for each in allowed)
    if case.expression in GAPS.get(way, ()):
        return [f"{way}: {case.expression}\nIt works now: take it off the list."] * is_right
    return [] if is_right else [f"{way}: {case.expression}\n{actual} is not {expected}"]


def is_as(case: Case, actual: Any, expected: Any) -> bool:
    """Whether an answer is another one, or both are errors: what the sizes tell may come as another
    class where only running the graph tells them.
    """
    if is_error(actual) or is_error(expected):
        return is_error(actual) and is_error(expected)
    try:
        assert_same(actual, expected, case)
    except AssertionError:
        return False
    return True


def test_a_wrong_answer_is_told_with_its_way_and_expression() -> None:
    case = Case("tf.abs(f32(3))")
    expected = answer_of_tensors(case.expression)
    assert failures(case, "unknown", answer(case.expression, "unknown"), expected) == []
    (text,) = failures(case, "unknown", answer("tf.abs(f32(4))", "unknown"), expected)
    assert text.startswith("unknown: tf.abs(f32(3))\n")
    (text,) = failures(case, "unranked", {"error": "ValueError", "text": "no"}, expected)
    assert "no" in text
