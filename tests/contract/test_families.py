"""`pytest --family NAME` runs the recorded cases of one family."""

from __future__ import annotations

import os

import op_cases
import programs
import pytest
from test_ops_oracle import called_first


def run(*arguments: str) -> tuple[int | None, str]:
    """(exit code, what pytest said)."""
    ran = programs.start(["pytest", "-q", *arguments], os.environ)
    return ran.wait(), ran.written()[0]


def test_a_family_is_its_cases_in_eager_mode_and_in_graphs() -> None:
    lines = run("--collect-only", "--family", "bitwise")[1].splitlines()
    cases = [line for line in lines if "::" in line]
    assert {line.split("[")[0] for line in cases} == {
        "tests/contract/test_ops_oracle.py::test_a_function_answers_as_tensorflow",
        "tests/contract/test_ops_oracle.py::"
        "test_a_family_answers_as_tensorflow_where_memories_are_apart",
        "tests/contract/test_graph_oracle.py::test_a_traced_op_answers_as_tensorflow",
        "tests/contract/test_graph_oracle.py::"
        "test_a_traced_op_answers_on_a_gpu_with_a_budget_as_on_the_host",
    }
    assert all("bitwise: " in line for line in cases)
    asked = {called_first(case.expression) for case in op_cases.cases_of("bitwise")}
    count = sum("test_a_function_answers_as_tensorflow[" in line for line in cases)
    assert count == 2 * len(asked)


def test_a_family_that_is_not_there_is_named_with_those_that_are() -> None:
    code, told = run("--family", "audoi")
    assert code == pytest.ExitCode.USAGE_ERROR
    assert "--family: there is no family 'audoi' of cases. There are audio, bitwise," in told
