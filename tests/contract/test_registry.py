"""Every op record is complete: arguments, shape rule, gradient, a case, words about it.

What is missing is listed in tests/data/registry_gaps.json. `python scripts/registry_gaps.py`
shows what changed, with `--write` it writes the list anew.
"""

from __future__ import annotations

import op_cases
import pytest
from raw_facts import differing
from registry_facts import (
    KINDS,
    cased,
    known_gaps,
    of_the_runtime,
    ops_of,
    records,
    witnesses,
)

from emplace.base import dtypes
from emplace.ops.op import DEVICE_TYPES, Op


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.gpus(0)
def test_gaps_are_those_that_are_known(kind: str) -> None:
    found, known = KINDS[kind](), set(known_gaps()[kind])
    texts = differing() if kind == "raw arguments" else {}
    new = sorted(found - known)
    assert not new, f"{kind}: {[texts.get(name, name) for name in new]}"
    assert not known - found, "closed: run python scripts/registry_gaps.py --write"


def test_a_recorded_case_exists_and_runs_its_op() -> None:
    cases = {c.expression for family in op_cases.families() for c in op_cases.cases_of(family)}
    names = cased() | of_the_runtime()
    for name, expression in witnesses().items():
        assert name in names, f"{name} is gone: run python scripts/registry_gaps.py --write"
        assert expression in cases, f"the case of {name} is gone: {expression}"
        assert name in ops_of(expression), f"{expression} does not run {name} any more"


@pytest.mark.parametrize("op", records(), ids=lambda op: op.name)
def test_a_record_says_where_it_runs_and_on_what(op: Op) -> None:
    assert callable(op.kernel)
    assert op.device_types
    assert set(op.device_types) <= set(DEVICE_TYPES)
    used = {arg.type for arg in (*op.inputs, *op.outputs)}
    assert set(op.types) <= used, "a type variable that no input or output has"
    if op.gpu_types is not None:
        allowed = {each for types in op.types.values() for each in types} or set(dtypes.ALL)
        assert set(op.gpu_types) <= allowed
