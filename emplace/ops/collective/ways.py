"""How values of several devices can be added: in the memory they share, by NCCL, or by copies."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

import torch

from ...devices.device import Device
from ...devices.inventory import INVENTORY


class Way(Enum):
    """How values come together."""

    MEMORY = "sums in the memory that they share"
    NCCL = "NCCL"
    COPIES = "packed copies"


class Choice(NamedTuple):
    """A way, and what speaks against the faster ones."""

    way: Way
    why: str = ""


def choose(names: Sequence[str], may_use_nccl: bool = True) -> Choice:
    """How values that are on devices with these full names come together.

    Args:
        names: a device per replica. One that does not exist is the host: ops go there.
        may_use_nccl: whether NCCL is wanted.
    """
    there = {device.name: device for device in INVENTORY.devices()}
    host = INVENTORY.devices()[0]
    devices = [there.get(name, host) for name in names]
    first = devices[0]
    if all(each is first or first.shares_memory(each) for each in devices):
        return Choice(Way.MEMORY)
    refusal = why_no_nccl(devices) if may_use_nccl else "another way was asked for"
    return Choice(Way.COPIES, refusal) if refusal else Choice(Way.NCCL)


def why_no_nccl(devices: Sequence[Device]) -> str:
    """What speaks against NCCL on some devices; nothing if they are GPUs of their own."""
    if any(each.torch_device.type != "cuda" for each in devices):
        return "not all devices are CUDA GPUs"
    if len({each.torch_device for each in devices}) < len(devices):
        return "NCCL refuses virtual GPUs that share a real one"
    if any(each.budget is not None or each.stream is not None for each in devices):
        return "a device has a memory limit, which NCCL would not ask"
    if not hasattr(torch._C, "_nccl_all_reduce"):
        return "this torch has no NCCL"
    return ""
