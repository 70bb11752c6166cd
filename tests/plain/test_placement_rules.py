"""Which devices can run an op, which of them a name means, and which is chosen and why: the rules
on hand-made devices, for eager mode, functions and sessions.
"""

from __future__ import annotations

import pytest
import torch

from emplace.base import dtypes
from emplace.devices.cpu import CpuBackend
from emplace.devices.device import Device
from emplace.devices.name import DeviceSpec
from emplace.eager.place import (
    EAGER,
    FUNCTION,
    SESSION,
    Asked,
    Reason,
    able_devices,
    choose,
    matching_devices,
)


class WithoutDoubles(CpuBackend):
    """Hardware that knows no float64."""

    lacks = frozenset({torch.float64})


CPU = Device("CPU", 0, CpuBackend(), 0)
GPU0, GPU1 = (Device("GPU", i, CpuBackend(), 0) for i in range(2))
SMALL = Device("GPU", 2, WithoutDoubles(), 0)
ALL = (CPU, GPU0, GPU1, SMALL)
BOTH, HOST_ONLY, GPU_ONLY = ("GPU", "CPU"), ("CPU",), ("GPU",)
ROWS = {"eager": EAGER, "function": FUNCTION, "session": SESSION}


def names(devices):
    return [device.short_name for device in devices]


# Which devices are able


@pytest.mark.parametrize(
    ("types", "given", "able"),
    [
        (BOTH, (), ["GPU:0", "GPU:1", "GPU:2", "CPU:0"]),
        (("CPU", "GPU"), (), ["CPU:0", "GPU:0", "GPU:1", "GPU:2"]),
        (HOST_ONLY, (), ["CPU:0"]),
        (GPU_ONLY, (dtypes.float32,), ["GPU:0", "GPU:1", "GPU:2"]),
        (BOTH, (dtypes.float64,), ["GPU:0", "GPU:1", "CPU:0"]),
        (BOTH, (dtypes.float32, dtypes.float64), ["GPU:0", "GPU:1", "CPU:0"]),
        (BOTH, (dtypes.string,), ["CPU:0"]),
        (GPU_ONLY, (dtypes.string,), []),
        ((), (), []),
    ],
)
def test_a_device_is_able_that_has_a_kernel_and_all_dtypes(types, given, able):
    assert names(able_devices(types, given, ALL)) == able


# Which devices a name means


@pytest.mark.parametrize(
    ("name", "matching"),
    [
        ("", ["CPU:0", "GPU:0", "GPU:1", "GPU:2"]),
        ("/gpu:1", ["GPU:1"]),
        ("/device:GPU:*", ["GPU:0", "GPU:1", "GPU:2"]),
        ("/device:*:0", ["CPU:0", "GPU:0"]),
        ("/gpu:9", []),
        ("/device:TPU:0", []),
        ("/job:localhost/replica:0/task:0/device:GPU:0", ["GPU:0"]),
        ("/job:*/cpu:0", ["CPU:0"]),
        ("/job:worker/cpu:0", []),
        ("/task:1/cpu:0", []),
        ("/replica:2", []),
    ],
)
def test_a_name_means_the_devices_that_have_its_parts(name, matching):
    assert names(matching_devices(DeviceSpec.from_string(name), ALL)) == matching


# Which device is chosen, and why


def chosen(rules, types, name, soft=False, devices=ALL, **how):
    """The first device that may run an op, and the reason; None where none may."""
    asked = None if name is None else Asked(DeviceSpec.from_string(name), **how)
    matching = devices if asked is None else matching_devices(asked.spec, devices)
    able = able_devices(types, (), devices)
    choice = choose(able, matching, asked, devices, soft, rules)
    return choice and (choice.devices[0].short_name, choice.reason)


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize(
    ("types", "name", "devices", "expected"),
    [
        (BOTH, None, ALL, ("GPU:0", Reason.GPU_FIRST)),
        (BOTH, None, (CPU,), ("CPU:0", Reason.NO_GPU)),
        (HOST_ONLY, None, ALL, ("CPU:0", Reason.NO_GPU_KERNEL)),
        (HOST_ONLY, None, (CPU,), ("CPU:0", Reason.NO_GPU)),
        (BOTH, "/gpu:1", ALL, ("GPU:1", Reason.ASKED)),
        (BOTH, "/cpu:0", ALL, ("CPU:0", Reason.ASKED)),
        (BOTH, "/device:GPU:*", ALL, ("GPU:0", Reason.ASKED)),
        (HOST_ONLY, "/device:*:0", ALL, ("CPU:0", Reason.ASKED)),
        (BOTH, "/job:worker/gpu:0", ALL, None),
        (BOTH, "/replica:2/gpu:0", ALL, None),
        (BOTH, "/task:1", ALL, None),
    ],
)
def test_these_are_the_same_everywhere(row, soft, types, name, devices, expected):
    assert chosen(ROWS[row], types, name, soft, devices) == expected


# Row by row: a device that was asked for and exists has no kernel. None: an error.
WITHOUT_KERNEL = [
    ("eager", HOST_ONLY, "/gpu:1", False, "CPU:0"),
    ("eager", HOST_ONLY, "/gpu:1", True, "CPU:0"),
    ("eager", GPU_ONLY, "/cpu:0", False, None),
    ("eager", GPU_ONLY, "/cpu:0", True, "GPU:0"),
    ("function", HOST_ONLY, "/gpu:1", False, "CPU:0"),
    ("function", HOST_ONLY, "/gpu:1", True, "CPU:0"),
    ("function", GPU_ONLY, "/cpu:0", False, "GPU:0"),
    ("function", GPU_ONLY, "/cpu:0", True, "GPU:0"),
    ("session", HOST_ONLY, "/gpu:1", False, None),
    ("session", HOST_ONLY, "/gpu:1", True, "CPU:0"),
    ("session", GPU_ONLY, "/cpu:0", False, None),
    ("session", GPU_ONLY, "/cpu:0", True, "GPU:0"),
]


@pytest.mark.parametrize(("row", "types", "name", "soft", "device"), WITHOUT_KERNEL)
def test_a_device_without_a_kernel_leaves_the_op_to_another_one(row, types, name, soft, device):
    expected = None if device is None else (device, Reason.NO_KERNEL)
    assert chosen(ROWS[row], types, name, soft) == expected


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("name", ["/gpu:9", "/device:TPU:0", "/job:*/gpu:9"])
def test_only_soft_placement_replaces_a_device_that_does_not_exist(row, name):
    assert chosen(ROWS[row], BOTH, name, soft=False) is None
    assert chosen(ROWS[row], BOTH, name, soft=True) == ("GPU:0", Reason.SOFT)
    assert chosen(ROWS[row], HOST_ONLY, name, soft=True) == ("CPU:0", Reason.SOFT)


def test_the_reason_of_who_asks_is_told_only_where_it_is_got():
    how = {"reason": Reason.GRADIENT}
    assert chosen(EAGER, BOTH, "/gpu:1", **how) == ("GPU:1", Reason.GRADIENT)
    assert chosen(EAGER, HOST_ONLY, "/gpu:1", **how) == ("CPU:0", Reason.NO_KERNEL)


def test_all_devices_that_may_run_an_op_are_told_in_order():
    asked = Asked(DeviceSpec.from_string("/device:GPU:*"))
    choice = choose(ALL, matching_devices(asked.spec, ALL), asked, ALL, False, FUNCTION)
    assert choice is not None
    assert names(choice.devices) == ["GPU:0", "GPU:1", "GPU:2"]
    choice = choose(ALL, ALL, None, ALL, False, FUNCTION)
    assert choice is not None
    assert names(choice.devices) == names(ALL)
