"""A random program means the same in every way to run it: see random_programs/ways.py.

EMPLACE_PROGRAMS=20000 runs as many, from EMPLACE_FIRST_PROGRAM on; there are 200, and all but the
first ten are slow tests, which CI runs. Programs from 1,000,000 on draw from more operations and
forms: EMPLACE_GROWN_PROGRAMS, of which there are 50, and all but four are slow.
Torch's compiler needs a second or two for a program, and up to a minute where it makes machine
code: EMPLACE_COMPILED_PROGRAMS=500 and EMPLACE_INDUCTOR_PROGRAMS=20 take a quarter of an hour each.
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import Any

import pytest
import torch
from linted import linted
from random_programs.check import failures, script_of, smallest
from random_programs.generator import make_program
from random_programs.grown import GROWN
from random_programs.ways import compiled

FIRST = int(os.environ.get("EMPLACE_FIRST_PROGRAM", "0"))
COUNT = int(os.environ.get("EMPLACE_PROGRAMS", "200"))
GROWN_COUNT = int(os.environ.get("EMPLACE_GROWN_PROGRAMS", "50"))
QUICK, GROWN_QUICK = 10, 4
# Programs beyond these that were told apart once.
FOUND = [GROWN + 378]
# Of so many programs one is made into plans whose graphs are checked after every pass.
LINTED = 8
COMPILED = {
    "eager": int(os.environ.get("EMPLACE_COMPILED_PROGRAMS", "3")),
    "aot_eager": int(os.environ.get("EMPLACE_COMPILED_PROGRAMS", "3")),
    "inductor": int(os.environ.get("EMPLACE_INDUCTOR_PROGRAMS", "1")),
}


def seeds(first: int, count: int, quick: int) -> list[Any]:
    """So many seeds, of which all but the first ones are slow tests."""
    later = range(first + min(quick, count), first + count)
    return [*range(first, later.start), *[pytest.param(i, marks=pytest.mark.slow) for i in later]]


@pytest.mark.parametrize(
    "seed", [*seeds(FIRST, COUNT, QUICK), *seeds(GROWN, GROWN_COUNT, GROWN_QUICK), *FOUND]
)
def test_a_program_means_the_same_in_every_way(seed: int) -> None:
    program = make_program(seed)
    with linted() if seed % LINTED == 0 else nullcontext():
        found = list(failures(program))
    for gpus, name, what in found:
        text = script_of(smallest(program, gpus, name), gpus, name)
        pytest.fail(f"{name}, {gpus} GPUs: {what}\n{text}", pytrace=False)


@pytest.mark.parametrize(
    "backend", ["eager", "aot_eager", pytest.param("inductor", marks=pytest.mark.slow)]
)
def test_a_program_means_the_same_compiled(backend: str) -> None:
    # On the host alone: on devices with a budget, as virtual GPUs are, plans are not compiled.
    counters = torch._dynamo.utils.counters  # loaded now, in two seconds
    pieces = 0
    for seed in range(FIRST, FIRST + COMPILED[backend]):
        ways = {"0": {f"{backend} backend": compiled(backend)}}
        counters.clear()
        found = list(failures(make_program(seed), ways))
        assert not found, f"program {seed}: {found}"
        pieces += counters["frames"]["ok"]
    assert pieces, "torch compiled nothing"
