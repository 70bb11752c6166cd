"""What is said of a plan before it runs, whether a CUDA graph could capture it, is what a strict
virtual GPU finds when it runs: one that can be captured makes nobody wait, is recorded, and its
replays on other values are right; one that is said to wait does.

CI asks samples of the recorded cases; `EMPLACE_GRAPH_AUDIT=1` asks all of them.
"""

from __future__ import annotations

from typing import Any

import op_cases
import pytest
import torch
from graph_replay import traced_with_arrays
from op_cases import Case
from test_graph_oracle import EVERY, is_asked

import emplace.tensorflow as tf
from emplace.core.events import Observer, observed_by
from emplace.devices.device import Device
from emplace.devices.inventory import find_devices
from emplace.devices.strict import StrictTensor, Wait
from emplace.graph.passes.prune import with_effects
from emplace.graph.plan.build import Plan, PlanOptions, plain_plan
from emplace.graph.plan.capturable import obstacles
from emplace.graph.plan.captured import CALLS_BEFORE, CapturedPlan

pytestmark = pytest.mark.gpus(1, memory="1GB", strict=True)


def sampled() -> list[Any]:
    return [
        pytest.param(case, id=f"{family}: {case.expression}")
        for family in op_cases.families()
        for case in op_cases.cases_of(family)[:: max(1, EVERY // 2)]
        if is_asked(family, case, "known")
        and case.compare == "value"  # else it is random
        and "random" not in case.expression
    ]


class Waited(Observer):
    def __init__(self) -> None:
        self.waits: list[Any] = []

    def waited(self, wait: Wait, line: Any) -> None:
        if wait.route is not None:
            self.waits.append((wait.route.op.name, wait.what))


def plan_of(expression: str) -> tuple[Plan, list[Any]]:
    """The plain plan of a case whose arrays are arguments, and those."""
    function, arrays = traced_with_arrays(expression)
    tensors = [tf.constant(x) for x in arrays]
    concrete = function.get_concrete_function(tensors)
    device = gpu()
    options = PlanOptions([device] * len(tensors), [tuple(x.shape) for x in tensors])
    effects = with_effects(concrete.graph.operations)
    return plain_plan(concrete.inputs, concrete.outputs, effects, options, device), tensors


def gpu() -> Device:
    return find_devices(type="GPU", index=0)[0]


def values(made: Any) -> list[Any]:
    return [x.elements.clone() if isinstance(x, StrictTensor) else x for x in made]


def other_values(raw: Any) -> Any:
    """Values like the given ones, in another order."""
    real = raw.elements
    return StrictTensor(real.flatten().roll(1).reshape(real.shape).clone(), raw.device)


def assert_same(found: list[Any], wanted: list[Any]) -> None:
    for x, y in zip(found, wanted, strict=True):
        if isinstance(x, torch.Tensor):
            torch.testing.assert_close(x, y, rtol=0, atol=0, equal_nan=True)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("case", sampled())
def test_what_is_said_of_a_plan_is_what_a_strict_gpu_finds(case: Case) -> None:
    with tf.device("/GPU:0"):
        try:
            plan, tensors = plan_of(case.expression)
            raws = [x._value for x in tensors]
            plan.run(*raws)
        except Exception:
            pytest.skip("it raises")
        found, heard = obstacles(plan), Waited()
        with observed_by(heard):
            for _ in range(2):
                plan.run(*raws)
    waiting = [str(each) for each in found if "makes the host wait" in each.why]
    if waiting and all(x.numel() for x in raws):  # an op on nothing may have nothing to wait for
        assert heard.waits, f"nothing waits: {waiting}"
    if found:
        return
    assert not heard.waits
    graph = CapturedPlan(case.expression, gpu(), plan)
    for _ in range(CALLS_BEFORE + 2):
        graph(*raws)
    assert graph.replays == 2, graph.why_not
    if not any(x.dtype.is_floating_point for x in raws):
        return
    others = [other_values(x) if x.dtype.is_floating_point else x for x in raws]
    assert_same(values(graph(*others)), values(plan.run(*others)))
