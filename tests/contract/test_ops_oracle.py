"""Every recorded answer of TensorFlow holds on Emplace, on the CPU and on a virtual GPU."""

from __future__ import annotations

import functools
import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import op_cases
import pytest
import torch
from op_cases import Case
from op_cases.encode import decode_array, encode, encode_error
from op_cases.values import evaluate

import emplace.tensorflow as tf
from emplace.devices.strict import WAITS, Wait
from emplace.testing import fresh_runtime

RECORDED = Path(__file__).resolve().parents[1] / "oracle" / "ops"

UNRECORDED = """What TensorFlow answers to this case is not recorded. Emplace answers

    {ours}

Run `make oracle FAMILY={family}`, which asks TensorFlow 2.21 about the new cases of this family
(and first makes an environment for it, if there is none), then commit
tests/oracle/ops/{family}.json.gz together with the case. Where TensorFlow cannot be installed,
copy the repository to where it can, run that there and bring the file back; or say in your pull
request that the answers are still to be recorded, and a maintainer runs it."""

# Relative to the largest magnitude of the answer. float32 is the promise; narrower types have
# fewer digits, wider ones are computed by other algorithms than TensorFlow's.
TOLERANCE = {
    "float8_e5m2": 0.25, "float8_e4m3fn": 0.125, "bfloat16": 1.6e-2, "float16": 2e-3,
    "float32": 1e-5, "complex64": 1e-5, "float64": 1e-10, "complex128": 1e-10,
}  # fmt: skip


@functools.cache
def recorded(family: str) -> dict[str, Any]:
    """TensorFlow's answers by expression; {} for a family that nobody has recorded yet."""
    if not (RECORDED / f"{family}.json.gz").exists():
        return {}
    with gzip.open(RECORDED / f"{family}.json.gz") as file:
        return dict(json.load(file)["answers"])


def recorded_answer(family: str, expression: str) -> Any:
    """TensorFlow's answer to a case. A case without one fails, and says how to ask for it."""
    if expression not in recorded(family):
        pytest.fail(
            UNRECORDED.format(family=family, ours=answer(expression, "/CPU:0")), pytrace=False
        )
    return recorded(family)[expression]


def every_function() -> list[Any]:
    """The cases of each function in each family, on both devices: as tests of their own they take
    twice the time. Everybody runs each on one of the two, by turns; on the other it is a slow test.
    """
    groups: dict[tuple[str, str], list[Case]] = {}
    for family in op_cases.families():
        for case in op_cases.cases_of(family):
            groups.setdefault((family, called_first(case.expression)), []).append(case)
    return [
        pytest.param(
            family, cases, device, id=f"{family}: {function}-{device}",
            marks=[pytest.mark.slow] * ((i + place) % 2),
        )
        for i, ((family, function), cases) in enumerate(groups.items())
        for place, device in enumerate(["/GPU:0", "/CPU:0"])
    ]  # fmt: skip


def called_first(expression: str) -> str:
    """The function of TensorFlow's that an expression names first: what its case is about."""
    found = re.search(r"\btf\.[\w.]+", expression)
    return found.group() if found else "no function"


def answer(expression: str, device: str) -> Any:
    """What Emplace answers on a device, encoded as the recording is."""
    with tf.device(device):
        try:
            made = evaluate(expression, tf)
            assert_types_are_told(made)
            return encode(made)
        except Exception as error:
            return encode_error(error)


def assert_types_are_told(made: Any) -> None:
    """Fails if a tensor's type is not that of its numbers: routes know the one from signatures."""
    for each in tf.nest.flatten(made, expand_composites=True):
        if isinstance(each, tf.Tensor) and isinstance(each._value, torch.Tensor):
            assert each._value.dtype is each.dtype.torch, (each.dtype, each._value.dtype)


def is_error(encoded: Any) -> bool:
    return isinstance(encoded, dict) and "error" in encoded


def assert_same(actual: Any, expected: Any, case: Case, where: str = "answer") -> None:
    """Fails unless two encoded answers agree as closely as the case asks."""
    if isinstance(expected, dict) and "type" in expected:
        assert isinstance(actual, dict), f"{where}: got {actual!r} instead of a tensor"
        assert actual.get("type") == expected["type"], f"{where}: dtype {actual.get('type')}"
        assert actual["shape"] == expected["shape"], f"{where}: shape {actual['shape']}"
        if case.compare == "value":
            assert_close(decode_array(actual), decode_array(expected), case, where)
        return
    if isinstance(expected, dict):
        assert isinstance(actual, dict), f"{where}: {actual!r}"
        assert actual.keys() == expected.keys(), f"{where}: {list(actual)}, not {list(expected)}"
        for key in expected:
            assert_same(actual[key], expected[key], case, f"{where}.{key}")
    elif isinstance(expected, list):
        assert isinstance(actual, list), f"{where}: {actual!r}"
        assert len(actual) == len(expected), f"{where}: {len(actual)} parts"
        for i, (a, e) in enumerate(zip(actual, expected, strict=True)):
            assert_same(a, e, case, f"{where}[{i}]")
    else:
        assert actual == expected, where


def assert_close(actual: Any, expected: Any, case: Case, where: str) -> None:
    rtol = case.rtol if case.rtol is not None else TOLERANCE.get(expected.dtype.name)
    if rtol is None or expected.size == 0:
        assert actual.tolist() == expected.tolist(), where
        return
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    actual, expected = actual.astype(wide), expected.astype(wide)
    finite = np.isfinite(expected)
    scale = np.abs(expected[finite]).max(initial=0.0)
    np.testing.assert_allclose(
        actual, expected, rtol=rtol, atol=rtol * scale, equal_nan=True, err_msg=where
    )


def check(family: str, case: Case, device: str) -> None:
    expected = recorded_answer(family, case.expression)
    actual = answer(case.expression, device)
    if is_error(expected) or is_error(actual):
        assert is_error(expected), f"TensorFlow answers, Emplace raises {actual}"
        assert is_error(actual), f"TensorFlow raises {expected}, Emplace answers"
        assert actual["error"] == expected["error"], f"got {actual}, not {expected}"
    else:
        assert_same(actual, expected, case)


@pytest.mark.parametrize(("family", "cases", "device"), every_function())
def test_a_function_answers_as_tensorflow(family: str, cases: list[Case], device: str) -> None:
    wrong = []
    for case in cases:
        with fresh_runtime(1, memory="1GB"):
            wrong += failures(family, case, device)
    if wrong:
        pytest.fail("\n\n".join(wrong), pytrace=False)


def failures(family: str, case: Case, device: str) -> list[str]:
    """What is wrong about an answer, below its expression; empty if nothing is."""
    try:
        check(family, case, device)
    except (Exception, pytest.fail.Exception) as failure:
        return [f"{case.expression}\n{type(failure).__name__}: {failure}"]
    return []


def every_eighth_and_the_others() -> list[Any]:
    """The cases of each family, of which seven of eight are slow tests."""
    parts = []
    for family in op_cases.families():
        cases = list(op_cases.cases_of(family))
        others = [case for i, case in enumerate(cases) if i % 8]
        parts.append(pytest.param(family, cases[::8], id=f"{family}: every eighth"))
        parts.append(
            pytest.param(family, others, id=f"{family}: the others", marks=pytest.mark.slow)
        )
    return parts


# Many at once, in one runtime: here it is the memories that matter.
@pytest.mark.parametrize(("family", "cases"), every_eighth_and_the_others())
@pytest.mark.gpus(1, memory="1GB", strict=True)
def test_a_family_answers_as_tensorflow_where_memories_are_apart(
    family: str, cases: list[Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Wait] = []
    monkeypatch.setattr(WAITS, "listener", told.append)
    wrong, waiting = [], {}
    for case in cases:
        told.clear()
        wrong += failures(family, case, "/GPU:0")
        if not is_error(recorded_answer(family, case.expression)):
            waiting |= dict.fromkeys(undeclared(told), case.expression)
    assert wrong == [], "\n\n".join(wrong)
    assert waiting == {}, sorted(waiting)


def undeclared(waits: list[Wait]) -> set[str]:
    """The ops that have waited and do not say why."""
    ops = [wait.route.op for wait in waits if wait.route is not None]
    return {op.name for op in ops if op.wait_reason is None}


def test_a_case_that_is_not_recorded_says_how_to_record_it() -> None:
    with pytest.raises(pytest.fail.Exception) as failure:
        recorded_answer("bitwise", "tf.bitwise.invert(i32(1) * 0 + 41)")
    text = str(failure.value)
    assert '"dtype": "int32"' in text or "int32" in text, text
    assert "Run `make oracle FAMILY=bitwise`, which asks TensorFlow 2.21 about the new" in text
    assert "tests/oracle/ops/bitwise.json.gz together with the case." in text


def test_every_wrong_answer_of_a_function_is_told_with_its_expression(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right, wrong, raising = "tf.abs(-1)", "tf.abs(-2)", "tf.abs('a')"
    told = {case: encode(tf.constant(1)) for case in (right, wrong, raising)}
    monkeypatch.setattr(sys.modules[__name__], "recorded", lambda family: told)
    with pytest.raises(pytest.fail.Exception) as failure:
        test_a_function_answers_as_tensorflow("math", [*map(Case, told)], "/CPU:0")
    text = str(failure.value)
    assert right not in text
    assert f"{wrong}\nAssertionError: " in text
    assert f"{raising}\nAssertionError: TensorFlow answers, Emplace raises" in text
