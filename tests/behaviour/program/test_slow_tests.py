"""`pytest --quick`, which `make test` says: slow tests are left out, and that is told."""

from __future__ import annotations

import os
import re

import programs
import pytest

FILE = "tests/behaviour/devices/test_fuzz.py"


@pytest.mark.parametrize("workers", ["0", pytest.param("1", marks=pytest.mark.slow)])
def test_what_is_left_out_is_told_with_the_way_to_run_it(workers: str) -> None:
    ran = programs.start(
        ["pytest", "-q", "-n", workers, "--quick", FILE, "-k", "any_spec_is"],
        os.environ,
    )
    assert ran.wait() == 0, ran.written()
    lines = [line for line in ran.written()[0].splitlines() if line.startswith("Slow tests")]
    assert lines == [
        "Slow tests that were left out: 1. `make test SLOW=1` runs them, as CI does, and so does "
        "pytest without --quick."
    ]
    assert "1 passed" in ran.written()[0]


def test_of_many_cases_some_are_for_everybody() -> None:
    file = "tests/behaviour/plans/test_folded_rows.py"
    asked = programs.start(
        ["pytest", "-q", "--collect-only", "--quick", file, "-k", "random_programs"], os.environ
    )
    assert asked.wait() == 0, asked.written()
    seeds = re.findall(r"same\[.+-(\d+)\]", asked.written()[0])
    assert seeds[0] == "0"
    assert 15 < len(seeds) < 45  # of sixty
    assert f"left out: {60 - len(seeds)}." in asked.written()[0]
