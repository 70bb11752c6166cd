"""TensorFlow's recorded answers hold inside of `tf.function`, whatever is known of shapes, also on
GPUs with a budget and while somebody watches.

CI replays fixed samples; `EMPLACE_GRAPH_AUDIT=1` replays every case. Where arrays become
arguments, the answer is that of eager mode for tensors. `graph_gaps.json` lists the sampled cases
that fail, by mode, and may only shrink.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import op_cases
import pytest
from graph_replay import MODES, answer, answer_of_tensors, is_in_scope
from linted import linted
from op_cases import Case
from test_ops_oracle import assert_same, is_error, recorded

import emplace

DATA = Path(__file__).resolve().parents[1] / "data"
GAPS = json.loads((DATA / "graph_gaps.json").read_text())
# What TensorFlow itself says in functions, where that is not what it says eagerly.
OF_FUNCTIONS = json.loads((DATA / "traced.json").read_text())
# What TensorFlow itself says once sizes are unknown, where that is not what it says eagerly.
OF_UNKNOWN_SIZES = json.loads((DATA / "unknown_shapes.json").read_text())["unknown"]
EVERY = 1 if os.environ.get("EMPLACE_GRAPH_AUDIT") else 25


def is_asked(family: str, case: Case, mode: str) -> bool:
    """Whether a case is one for graphs. One without an answer fails in test_ops_oracle alone."""
    if case.expression not in recorded(family):
        return False
    return is_in_scope(case.expression, recorded(family)[case.expression], mode)


def sampled() -> list[Any]:
    return [
        pytest.param(family, case, mode, id=f"{mode}: {family}: {case.expression}")
        for family in op_cases.families()
        for case in op_cases.cases_of(family)[::EVERY]
        for mode in MODES
        if is_asked(family, case, mode)
    ]


def sampled_on_gpus() -> list[Any]:
    """Other cases than those, each in one mode and watched or not, by the hash of its text."""
    found = []
    for family in op_cases.families():
        for case in op_cases.cases_of(family)[EVERY // 2 :: EVERY if EVERY == 1 else 2 * EVERY]:
            number = zlib.crc32(case.expression.encode())
            mode, is_watched = MODES[number % len(MODES)], number // len(MODES) % 2 == 0
            if is_asked(family, case, mode):
                name = f"{mode}{', watched' if is_watched else ''}: {family}: {case.expression}"
                found.append(pytest.param(case, mode, is_watched, id=name))
    return found


@pytest.fixture(autouse=True)
def checked() -> Iterator[None]:
    """Every graph and every plan on its way is checked: see `emplace/graph/passes/lint.py`."""
    with linted():
        yield


def check(family: str, case: Case, mode: str) -> None:
    """Fails unless the traced answer is the recorded one; an error may come while tracing."""
    expected = OF_FUNCTIONS.get(case.expression, recorded(family)[case.expression])
    if mode != "plain":
        expected = answer_of_tensors(case.expression)
    if mode == "unknown":
        expected = OF_UNKNOWN_SIZES.get(case.expression, expected)
    actual = answer(case.expression, mode)
    if is_error(expected) or is_error(actual):
        assert is_error(expected), f"TensorFlow answers, Emplace raises {actual}"
        assert is_error(actual), f"TensorFlow raises {expected}, Emplace answers"
        allowed = [expected["error"], "ValueError", "TypeError"]
        if mode == "unknown":  # some sizes can be found wrong when the graph runs, not before
            allowed.append("InvalidArgumentError")
        if expected["error"] == "NotFoundError":  # TF: of a missing kernel, in eager mode only
            allowed.append("InvalidArgumentError")
        assert actual["error"] in allowed, actual
    else:
        assert_same(actual, expected, case)


@pytest.mark.one_of(2)
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


@pytest.mark.parametrize(("case", "mode", "is_watched"), sampled_on_gpus())
def test_a_traced_op_answers_on_a_gpu_with_a_budget_as_on_the_host(
    case: Case, mode: str, is_watched: bool
) -> None:
    expected = answer(case.expression, mode)
    emplace.reset()
    emplace.virtual_gpus(1, memory="1GB")
    with emplace.watch() if is_watched else nullcontext():
        actual = answer(case.expression, mode)
    if is_error(expected) or is_error(actual):
        assert is_error(expected), f"The host answers, the GPU raises {actual}"
        assert is_error(actual), f"The host raises {expected}, the GPU answers"
        assert actual["error"] == expected["error"], f"got {actual}, not {expected}"
    else:
        assert_same(actual, expected, case)


def test_an_op_of_our_own_has_a_valid_name_outside_of_every_scope() -> None:
    assert answer("tf.sort(f32(6))", "unknown") == answer_of_tensors("tf.sort(f32(6))")
