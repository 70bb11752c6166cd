"""The placer on graphs made by hand: groups, colocation, who follows whom."""

from __future__ import annotations

import pytest

from emplace.base import dtypes
from emplace.base.errors import InvalidArgumentError, UnknownDeviceError
from emplace.devices.cpu import CpuBackend
from emplace.devices.device import Device
from emplace.devices.name import DeviceSpec
from emplace.graph.placement.placer import place_graph
from emplace.graph.representation.graph import Graph
from emplace.ops.infer import Spec
from emplace.ops.op import Arg, Op

CPU = Device("CPU", 0, CpuBackend(), 0)
GPUS = tuple(Device("GPU", i, CpuBackend(), 0) for i in range(3))
ALL = (CPU, *GPUS)
_IN, _OUT = (Arg("inputs", "any", True),), (Arg("outputs", "any", True),)


class Drawing:
    """A graph drawn by hand: each call adds an operation and returns it."""

    def __init__(self) -> None:
        self.graph = Graph()

    def add(self, name, *inputs, on=("GPU", "CPU"), device="", beside=(), makes=dtypes.float32):
        """An operation with one output that takes those of others."""
        kind = name.rstrip("0123456789")
        record = Op(kind, lambda *values: None, None, _IN, _OUT, {}, on)
        given = [each.outputs[0] for each in inputs]
        made = self.graph.add(record, given, {}, [Spec((), makes)], name)
        made.device = DeviceSpec.from_string(device).to_string()
        made.groups = tuple(f"loc:@{each.name}" for each in beside)
        return made

    def placed(self, soft=False, strict=False, default=None, device_of=None, devices=ALL):
        """Device and reason of each operation, by name."""
        spec = None if default is None else DeviceSpec.from_string(default)
        found = place_graph(self.graph.operations, devices, soft, strict, spec, device_of)
        return {each.name: (at.device.short_name, at.reason.name) for each, at in found.items()}


@pytest.fixture
def drawing():
    return Drawing()


def test_what_asks_for_nothing_goes_to_the_first_gpu(drawing):
    x = drawing.add("Placeholder")
    drawing.add("MatMul", x, x)
    assert drawing.placed()["MatMul"] == ("GPU:0", "GPU_FIRST")
    assert drawing.placed(devices=(CPU,))["MatMul"] == ("CPU:0", "NO_GPU")


def test_a_constant_follows_its_readers_if_they_agree(drawing):
    alone, shared, text = drawing.add("Const"), drawing.add("Const1"), drawing.add("Const2")
    drawing.add("AddV", alone, shared, device="/gpu:1")
    drawing.add("Sub", shared, device="/gpu:2")
    drawing.add("Join", text, on=("CPU",))
    found = drawing.placed()
    assert found["Const"] == ("GPU:1", "FOLLOWS")
    assert found["Const1"] == ("GPU:0", "GPU_FIRST")
    assert found["Const2"] == ("CPU:0", "FOLLOWS")


def test_a_constant_that_asks_for_a_device_follows_nobody(drawing):
    drawing.add("Neg", drawing.add("Const", device="/gpu:2"), device="/gpu:1")
    assert drawing.placed()["Const"] == ("GPU:2", "ASKED")


def test_what_works_on_a_variable_is_where_the_variable_is(drawing):
    handle = drawing.add("VarHandleOp", makes=dtypes.resource, device="/gpu:1")
    drawing.add("ReadVariableOp", handle)
    drawing.add("AssignVariableOp", handle, drawing.add("Const"), device="/gpu:2")
    found = drawing.placed()
    assert found["ReadVariableOp"] == ("GPU:1", "RESOURCE")
    assert found["AssignVariableOp"] == ("GPU:1", "RESOURCE")
    assert found["VarHandleOp"][0] == "GPU:1"


def test_an_op_without_a_gpu_kernel_takes_its_variable_along(drawing):
    handle = drawing.add("VarHandleOp", makes=dtypes.resource)
    drawing.add("Lookup", handle, on=("CPU",))
    assert {device for device, _ in drawing.placed().values()} == {"CPU:0"}


def test_an_argument_that_is_somewhere_keeps_its_operations_there(drawing):
    handle = drawing.add("Argument", makes=dtypes.resource)
    drawing.add("ReadVariableOp", handle)
    found = drawing.placed(device_of={id(handle.outputs[0]): GPUS[2]})
    assert found == {"Argument": ("GPU:2", "RESOURCE"), "ReadVariableOp": ("GPU:2", "RESOURCE")}


def test_what_is_colocated_is_together_and_says_so(drawing):
    first = drawing.add("Neg", drawing.add("Placeholder"), device="/gpu:2")
    drawing.add("Abs", drawing.add("Placeholder1"), beside=[first])
    assert drawing.placed()["Abs"] == ("GPU:2", "COLOCATED")


def test_groups_that_share_a_member_are_one(drawing):
    x = drawing.add("Placeholder")
    first, second = drawing.add("Neg", x), drawing.add("Neg1", x)
    drawing.add("Abs", x, beside=[first, second], device="/gpu:1")
    found = drawing.placed()
    assert [found[name][0] for name in ("Neg", "Neg1", "Abs")] == ["GPU:1"] * 3


def test_likes_of_a_member_of_a_group_are_not_drawn_in(drawing):
    x = drawing.add("Placeholder")
    first = drawing.add("Neg", x)
    drawing.add("Neg1", x)
    drawing.add("Abs", x, beside=[first], device="/gpu:1")
    found = drawing.placed()
    assert (found["Neg"][0], found["Neg1"][0]) == ("GPU:1", "GPU:0")


def test_a_group_runs_where_all_of_it_has_kernels(drawing):
    first = drawing.add("Neg", drawing.add("Placeholder"))
    drawing.add("Join", drawing.add("Placeholder1"), on=("CPU",), beside=[first])
    found = drawing.placed()
    assert (found["Neg"][0], found["Join"][0]) == ("CPU:0", "CPU:0")


def test_a_group_that_asks_for_two_devices_is_refused_unless_placement_is_soft(drawing):
    first = drawing.add("Neg", drawing.add("Placeholder"), device="/gpu:0")
    drawing.add("Abs", drawing.add("Placeholder1"), device="/gpu:1", beside=[first])
    with pytest.raises(InvalidArgumentError, match="Cannot merge devices with incompatible ids"):
        drawing.placed(strict=True)
    found = drawing.placed(soft=True, strict=True)
    assert (found["Neg"][0], found["Abs"][0]) == ("GPU:0", "GPU:1")


def test_groups_without_a_common_kernel_are_refused_unless_placement_is_soft(drawing):
    first = drawing.add("Neg", drawing.add("Placeholder"), on=("GPU",))
    drawing.add("Join", drawing.add("Placeholder1"), on=("CPU",), beside=[first])
    with pytest.raises(InvalidArgumentError, match="no device type supports both of those nodes"):
        drawing.placed()
    found = drawing.placed(soft=True)
    assert (found["Neg"][0], found["Join"][0]) == ("GPU:0", "CPU:0")


def test_what_looks_at_a_shape_is_where_the_tensor_is(drawing):
    x = drawing.add("Neg", drawing.add("Placeholder"), device="/gpu:1")
    drawing.add("Shape", x, makes=dtypes.int32)
    assert drawing.placed()["Shape"] == ("GPU:1", "METADATA")


def test_a_session_refuses_what_a_function_moves_to_a_kernel(drawing):
    drawing.add("Join", drawing.add("Placeholder"), on=("CPU",), device="/gpu:0")
    assert drawing.placed()["Join"] == ("CPU:0", "NO_KERNEL")
    assert drawing.placed(soft=True, strict=True)["Join"] == ("CPU:0", "NO_KERNEL")
    with pytest.raises(InvalidArgumentError, match="no supported kernel for GPU devices"):
        drawing.placed(strict=True)


def test_a_session_does_not_refuse_what_only_looks_at_a_shape(drawing):
    x = drawing.add("Placeholder", device="/cpu:0")
    drawing.add("Shape", x, on=("CPU",), makes=dtypes.int32, device="/gpu:0")
    assert drawing.placed(strict=True)["Shape"][0] == "CPU:0"


# TF 2.21: neither a session nor a function lets soft placement replace another process, by
# whichever part of the name it is another one.
@pytest.mark.parametrize("name", ["/replica:2/gpu:0", "/task:1", "/job:worker/gpu:0"])
@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("strict", [False, True])
def test_another_process_is_refused_with_soft_placement_on_or_off(drawing, name, soft, strict):
    drawing.add("Neg", drawing.add("Placeholder"), device=name)
    kind = InvalidArgumentError if strict else UnknownDeviceError
    with pytest.raises(kind, match="Cannot assign a device for operation Neg") as raised:
        drawing.placed(soft=soft, strict=strict)
    assert "this process is job localhost, replica 0, task 0" in str(raised.value)
    assert "allow_soft_placement" not in str(raised.value)


def test_a_missing_device_is_refused_and_the_way_out_is_told(drawing):
    drawing.add("Neg", drawing.add("Placeholder"), device="/gpu:9")
    with pytest.raises(UnknownDeviceError, match="allow_soft_placement=True lets another one"):
        drawing.placed()
    assert drawing.placed(soft=True)["Neg"] == ("GPU:0", "SOFT")


def test_a_default_device_is_for_what_asks_for_nothing(drawing):
    x = drawing.add("Placeholder")
    drawing.add("Neg", x)
    drawing.add("Abs", x, device="/gpu:2")
    drawing.add("Join", x, on=("CPU",))
    found = drawing.placed(default="/gpu:1")
    assert found["Neg"] == ("GPU:1", "ASKED")
    assert found["Abs"] == ("GPU:2", "ASKED")
    assert found["Join"] == ("CPU:0", "NO_KERNEL")


def test_what_is_no_device_is_refused(drawing):
    drawing.add("Neg", drawing.add("Placeholder")).device = "/bad"
    with pytest.raises(InvalidArgumentError, match="Malformed device specification '/bad'"):
        drawing.placed()
