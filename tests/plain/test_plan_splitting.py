"""A plan of many lines is several functions, and nobody can tell."""

from __future__ import annotations

import random
import traceback
import weakref

import pytest

from emplace.graph.plan import splitting
from emplace.graph.plan.splitting import functions_of

LONG, PART = 400, 100


@pytest.fixture(autouse=True)
def _short_parts(monkeypatch):
    monkeypatch.setattr(splitting, "LONG", LONG)
    monkeypatch.setattr(splitting, "PART", PART)


def plan(lines, arguments=("a0",), **space):
    """The function of a plan, and the codes it is made of."""
    head = f"def plan({', '.join(arguments)}):"
    return functions_of([head, *[f"    {line}" for line in lines]], arguments, space, "<plan 0>")


def add(x, y=0):
    return (x + y) % 1_000_003


def any_lines(count):
    """Lines that name values in any order, as plans do: each name until its last use."""
    numbers = random.Random(0)
    there, lines = [], []
    for i in range(count):
        if len(there) > 50:
            gone = there.pop(numbers.randrange(len(there)))
            lines.append(f"{gone} = k1({gone}, y=a0)" if i % 2 else f"del {gone}")
            there += [gone] if i % 2 else []
        used = there[numbers.randrange(len(there))] if there else "a0"
        there.append(f"v{i}")
        lines.append(f"v{i} = k1({used}, c2)")
        if i % 100 == 0:
            lines += [f"if v{i} % 2:", f"    w{i} = k1(v{i}, 5)", "else:", f"    w{i} = v{i}"]
            lines += [f"for e{i} in (1, 2, 3):", f"    v{i} = k1(v{i}, e{i})", f"del w{i}"]
    return [*lines, f"return [{', '.join(there)}, a0]"]


def test_a_long_plan_returns_what_its_text_says():
    lines = any_lines(4 * LONG)
    run, codes = plan(lines, k1=add, c2=7)
    whole = {"k1": add, "c2": 7}
    exec("def plan(a0):\n    " + "\n    ".join(lines), whole)
    assert len(codes) > 4 * LONG // PART
    assert run(3) == whole["plan"](3)


def test_a_short_plan_is_one_function():
    run, (code,) = plan([*["v1 = k1(a0)"] * (LONG // 2), "return [v1]"], k1=add)
    assert run.__code__ is code
    assert run(1) == [1]


class Value:
    """Something that can be seen to go."""


@pytest.mark.parametrize("line", ["v1 = k1(v1)", "v{} = k1(v{}); del v{}"])
def test_a_value_goes_after_its_last_use(line):
    alive, most = weakref.WeakSet(), []

    def make(*values):
        most.append(len(alive))
        made = Value()
        alive.add(made)
        return made

    lines = [line.format(i + 1, i, i) for i in range(1, 3 * LONG)]
    run, codes = plan(["v0 = k1(a0)", "v1 = k1(v0)", *lines, "v0 = k1(v0)", "return [v0]"], k1=make)
    assert len(codes) > 3
    (last,) = run(None)
    assert set(alive) == {last}
    assert max(most) <= 3  # the one that is used at the end, the one in turn, and the last


def test_an_error_has_the_line_that_it_has_in_the_text():
    def refuse(value):
        raise ValueError(value)

    for at in (0, PART - 1, PART, 2 * LONG, 3 * LONG - 1):
        lines = ["v1 = k1(a0)"] * 3 * LONG
        lines[at] = "v1 = k2(a0)"
        run, codes = plan([*lines, "return [v1]"], k1=add, k2=refuse)
        with pytest.raises(ValueError, match="5") as caught:
            run(5)
        frame = next(
            frame
            for frame in traceback.StackSummary.extract(
                traceback.walk_tb(caught.tb), lookup_lines=False
            )
            if frame.filename == "<plan 0>"
        )
        assert frame.lineno == at + 2  # the head is the first line
        frames = [frame.f_code for frame, _ in traceback.walk_tb(caught.tb)]
        assert any(code in frames for code in codes)


def test_what_is_within_a_loop_stays_together():
    inner = ["    v2 = k1(v1)", "    v1 = k1(v2, 1)"] * LONG
    start = ["v1 = k1(a0)"] * (PART + 5)
    lines = [*start, "for e1 in (1, 2):", *inner, *["v1 = k1(v1)"] * LONG, "return [v1]"]
    run, _ = plan(lines, k1=add)
    assert run(1) == [1 + 2 * LONG]


def test_keywords_and_keys_are_no_values():
    lines = ["v1 = k1(a0)", "v2 = k1(a0)", "del v2", *["v1 = k1(v1, v2=1)"] * LONG]
    lines += ["v1 = k1(v1, **{'v2': 1})", "return [v1]"]
    run, _ = plan(lines, k1=lambda x, v2=0: x + v2)
    assert run(1) == [LONG + 2]
