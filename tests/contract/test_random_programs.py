"""A random program means the same in every way to run it: see random_programs/ways.py.

200 programs by default. All of them in every way: EMPLACE_PROGRAMS=20000 python -m pytest
tests/contract/test_random_programs.py. Torch's compiler takes a second or two for a program, and so
gets one of EMPLACE_COMPILED_ONE_IN (default 50; 1 for each).
"""

from __future__ import annotations

import os

import pytest
from random_programs.check import failures, script_of, smallest
from random_programs.generator import make_program
from random_programs.ways import compiled, eager, use_devices

COUNT = int(os.environ.get("EMPLACE_PROGRAMS", "200"))
FIRST = int(os.environ.get("EMPLACE_FIRST_PROGRAM", "0"))
COMPILED_ONE_IN = int(os.environ.get("EMPLACE_COMPILED_ONE_IN", "50"))


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_a_program_means_the_same_in_every_way(seed: int) -> None:
    program = make_program(seed)
    for gpus, way, what in failures(program, COMPILED_ONE_IN):
        small = smallest(program, gpus, way)
        pytest.fail(f"{way}, {gpus} GPUs: {what}\n{script_of(small, gpus, way)}", pytrace=False)
