"""Budgets are exact: after each step of a random program they say what really lives on a GPU.

CI runs 20 programs; EMPLACE_ACCOUNTING=10000 runs as many, from EMPLACE_FIRST_PROGRAM on.
"""

from __future__ import annotations

import gc
import os

import pytest
from accounting_programs import AccountingProgram, counts, strangers

import emplace

FIRST = int(os.environ.get("EMPLACE_FIRST_PROGRAM", "0"))
COUNT = int(os.environ.get("EMPLACE_ACCOUNTING", "20"))
QUICK = 5
STEPS = 12
# One program of so many is compared with all objects of the process, the others with those that are
# newer than these tests: nothing else could hold what a program made, and it takes a thirtieth.
THOROUGH = 500


@pytest.mark.gpus(2, memory="64MB", strict=True)
@pytest.mark.parametrize(
    "seed",
    [
        seed if seed < FIRST + QUICK else pytest.param(seed, marks=pytest.mark.slow)
        for seed in range(FIRST, FIRST + COUNT)
    ],
)
def test_what_is_in_use_is_what_lives(seed: int, request: pytest.FixtureRequest):
    if seed % THOROUGH == 0:
        request.getfixturevalue("all_objects")
    others = strangers()
    program = AccountingProgram(seed)
    for _ in range(STEPS):
        program.step()
        in_use, alive = counts(others)
        assert in_use == alive, program.deeds
    deeds = program.deeds
    del program
    emplace.release()
    gc.collect()
    assert counts(others, is_over=True) == ({"GPU:0": 0, "GPU:1": 0},) * 2, deeds
