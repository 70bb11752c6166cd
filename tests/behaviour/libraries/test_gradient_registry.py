"""Gradients that programs read, replace, register and put back, as TensorFlow has it."""

from __future__ import annotations

import importlib
import json
import math
from pathlib import Path

import pytest
from registry_programs import PROGRAMS

import emplace.tensorflow as tf
from emplace.eager.tape import TO_TAPES
from emplace.grads.rules import NOT_DIFFERENTIABLE, RULES, ProgramRule

pytestmark = pytest.mark.usefixtures("installed")
# These gradients come late; here they are there before a test looks at all of them.
importlib.import_module("emplace.raw.list_gradients")
ANSWERS = json.loads((Path(__file__).parents[2] / "oracle" / "gradient_registry.json").read_text())


def alike(ours, theirs):
    if isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(alike(ours[k], theirs[k]) for k in theirs)
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(alike, ours, theirs))
    if isinstance(theirs, float) and isinstance(ours, (int, float)):
        return math.isclose(ours, theirs, rel_tol=1e-5, abs_tol=1e-6)
    return ours == theirs


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_programs_compute_what_they_compute_on_tensorflow(program):
    ours, theirs = program(tf), ANSWERS[program.__name__]
    if isinstance(theirs, dict):
        assert {k: v for k, v in ours.items() if not alike(v, theirs[k])} == {}
    assert alike(ours, theirs), (ours, theirs)


@pytest.fixture(autouse=True)
def nothing_stays_replaced():
    def own():
        return {name: rule for name, rule in RULES.items() if type(rule) is not ProgramRule}

    rules, programs, without, tell = own(), set(RULES), set(NOT_DIFFERENTIABLE), TO_TAPES.tell
    yield
    for name in [name for name in RULES if name.startswith("Registered")]:
        del RULES[name]
    now = own()
    assert {name: now.get(name) for name in rules} == rules
    assert RULES.keys() - now.keys() <= programs
    assert without <= NOT_DIFFERENTIABLE  # raw ops come late
    assert TO_TAPES.tell is tell
