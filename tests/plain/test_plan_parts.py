"""The parts of what writes plans, one by one: text, values, liveness, transfers."""

from __future__ import annotations

import pytest
from hand_made import HandMade

from emplace import runtime
from emplace.base import dtypes
from emplace.devices.device import copy_in_memory
from emplace.devices.inventory import INVENTORY
from emplace.eager.place import Placement, Reason
from emplace.graph.plan.steps import Step
from emplace.graph.plan.text import PlanText
from emplace.graph.plan.writing.attributes import Attributes, numbers
from emplace.graph.plan.writing.liveness import Liveness
from emplace.graph.plan.writing.transfers import Transfers
from emplace.graph.plan.writing.values import Values
from emplace.ops.math.elementwise import add, exp, negative


def test_the_text_of_a_plan_is_a_function() -> None:
    text = PlanText({})
    seven = text.bind(7, "c")
    assert text.bind(7, "c") == seven
    text.write(f"v = x + {seven}")
    text.write("if v > 10:")
    with text.inner():
        text.write("v = 10")
    made = text.compile(["x"], ["v"])
    lines = ["def plan(x):", "    v = x + c0", "    if v > 10:", "        v = 10", "    return [v]"]
    assert made.text.splitlines() == lines
    assert made.run(1) == [8]
    assert made.run(5) == [10]


def test_a_line_that_calls_belongs_to_its_step() -> None:
    made = HandMade()
    x = made.argument()
    with made.taking_ops():
        y = exp(x)
    text = PlanText({})
    step = Step(y.op, Placement(INVENTORY.devices()[0], Reason.ASKED), None, 0)
    text.call(["v0"], "k(a)", step, is_list=False)
    text.call(["v1", "v2"], "k(a)", step, is_list=True)
    text.call([], "k(a)", step, is_list=False)
    assert text.lines == ["    v0 = k(a)", "    v1, v2, = k(a)", "    k(a)"]
    assert text.by_line == {2: step, 3: step, 4: step}


def test_names_of_an_inner_block_end_with_it() -> None:
    made = HandMade()
    x, y = made.argument(), made.argument()
    host = INVENTORY.devices()[0]
    values = Values()
    values.enter(x, "a0", host)
    with values.inner():
        values.enter(y, "v1", host)
        assert values.end([x]) == ["a0"]
    assert values.name(x) == "a0"
    assert not values.is_known(y)


def test_a_tensor_shares_the_value_of_another() -> None:
    made = HandMade()
    x, y = made.argument(), made.argument()
    values = Values()
    values.share([id(y)], x)
    assert not values.is_known(y)
    values.enter(x, "a0", INVENTORY.devices()[0])
    values.share([id(y)], x)
    values.roots[id(y)] = x
    assert values.name(y) == "a0"
    assert values.root(y) is x


def test_a_value_ends_with_its_last_use_unless_it_is_a_result() -> None:
    made = HandMade()
    x = made.argument()
    with made.taking_ops():
        y = exp(x)
        z = add(y, y)
        unused = negative(y)
    host = INVENTORY.devices()[0]
    values = Values()
    liveness = Liveness(values)
    values.enter(x, "a0", host)
    with liveness.block([z]):
        liveness.count([y.op, z.op, unused.op])
        assert liveness.ended_by(y.op) == []  # it was there before the block
        for i, each in enumerate((y, z, unused)):
            values.enter(each, f"v{i}", host)
        assert liveness.ended_by(z.op) == []
        assert liveness.ended_by(unused.op) == [y]
        assert liveness.unused_of(unused.op) == [unused]
        assert liveness.unused_of(z.op) == []


def test_a_loop_variable_may_be_changed_at_its_last_use_in_a_round() -> None:
    made = HandMade()
    x, same = made.argument(), made.argument()
    with made.taking_ops():
        y = exp(x)
    liveness = Liveness(Values())
    with liveness.block([y]):
        liveness.count([y.op])
        assert not liveness.is_replaced_after(x)
        with liveness.loop([x, same], [y, same]):
            assert liveness.is_replaced_after(x)
            assert not liveness.is_replaced_after(same)


@pytest.mark.gpus(1)
def test_a_value_is_copied_to_a_device_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMPLACE_GPUS", "1")
    runtime.reset(virtual=True)
    host, gpu = INVENTORY.devices()[:2]
    made = HandMade()
    x, text_tensor = made.argument(), made.argument((), dtypes.string)
    text, values = PlanText({}), Values()
    transfers = Transfers(text, values, instrumented=False)
    values.enter(x, "a0", host)
    values.enter(text_tensor, "a1", host)
    assert transfers.at(x, host) == "a0"
    assert transfers.at(text_tensor, gpu) == "a1"
    there = transfers.at(x, gpu)
    assert transfers.at(x, gpu) == there
    assert text.lines == [f"    {there} = k1(a0)"]  # in the same memory torch's own copy does
    assert text.space == {"k1": copy_in_memory}
    with transfers.inner():
        assert transfers.end([x]) == [there]
    assert transfers.at(x, gpu) == there


def test_attributes_are_written_plainly_or_bound() -> None:
    text = PlanText({"numbers": numbers})
    attributes = Attributes(text, Values())
    made = attributes.written({"axis": 1, "keep_dims": True, "key": (1, 2), "is_implicit": True})
    assert made == {"axis": "1", "keep_dims": "True", "key": "x0"}
    assert text.space["x0"] == (1, 2)
