"""No call of an op ends the process, or fails with words of torch's or Python's.

Of each op record a case is bent in every input and attribute (hostile_calls.py), in a child
process: memory that is read or written outside of its bounds ends it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import programs
import pytest
from registry_facts import of_the_runtime, records, witnesses

HERE = Path(__file__).resolve().parent
PARTS = 8
MARK = "hostile call "  # as in hostile_calls.py
# Only gradients of second order, or of a solver that no case differentiates, apply the first two;
# the next ones check partitions and ranks in graphs, and the last one takes no tensors.
WITHOUT_CASE = {
    "_TakeAlongAxis", "_PadOne", "_CheckRowPartition", "_CheckUniformRows", "_CheckScalar",
    "_CheckSameRows", "_FractionalWindows",
}  # fmt: skip


def names_of(part: int) -> list[str]:
    """Every eighth op."""
    return sorted(op.name for op in records())[part::PARTS]


def run(names: list[str]) -> tuple[int, list[list[str]], str]:
    """(exit code, what was tried and what was wrong with it, what the child said)."""
    gpus = os.environ["EMPLACE_GPUS"]
    child = programs.script(HERE / "hostile_calls.py", ",".join(names), EMPLACE_GPUS=gpus)
    told = [line for line in child.stdout.splitlines() if line.startswith(MARK)]
    lines = [json.loads(line.removeprefix(MARK)) for line in told]
    return child.returncode, lines, child.stderr


@pytest.mark.timeout(600)
@pytest.mark.one_of(3)
@pytest.mark.parametrize("part", range(PARTS))
def test_no_hostile_call_ends_the_process_or_leaks_foreign_words(part: int) -> None:
    code, lines, told = run(names_of(part))
    assert code == 0, f"ended by {lines[-1:]}\n{told[-2000:]}"
    assert len(lines) > 250
    wrong = [line for line in lines if len(line) == 3]
    assert not wrong, "\n".join(map(str, wrong[:20]))


def test_the_ops_of_the_runtime_itself_are_among_them() -> None:
    assert "_CTCLossDense" in witnesses()
    assert of_the_runtime() - witnesses().keys() <= WITHOUT_CASE
