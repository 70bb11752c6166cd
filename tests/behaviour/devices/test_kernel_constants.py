"""What kernels need of plain numbers is made once for each device and kept, within bounds."""

from __future__ import annotations

import pytest
import torch

import emplace
from emplace.devices import constants as module
from emplace.devices.constants import bring, constants
from emplace.devices.strict import StrictBackend, StrictTensor

HOST = torch.device("cpu")
GPU = StrictBackend([None]).torch_device(0)


def test_a_constant_is_made_once_for_each_device() -> None:
    made = []

    @constants
    def squares(count: int) -> torch.Tensor:
        made.append(count)
        return torch.arange(count) ** 2

    assert squares(HOST, 3).tolist() == [0, 1, 4]
    assert squares(HOST, 3) is squares(HOST, 3)
    there = squares(GPU, 3)
    assert isinstance(there, StrictTensor)
    assert there.tolist() == [0, 1, 4]
    assert made == [3, 3]


def test_several_constants_are_kept_together() -> None:
    @constants
    def ends(low: int, high: int) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.tensor(low), torch.tensor(high)

    assert [each.device.type for each in ends(GPU, 1, 2)] == [GPU.type, GPU.type]


def test_old_constants_give_way_to_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_BYTES", 100)
    made = []

    @constants
    def zeros(count: int) -> torch.Tensor:
        made.append(count)
        return torch.zeros(count, dtype=torch.uint8)

    for count in (60, 40, 60, 40, 50, 40, 60, 200, 200):
        assert len(zeros(HOST, count)) == count
    # 50 takes the place of 60; 60 that of 40 and 50; 200 is more than may be kept.
    assert made == [60, 40, 50, 60, 200, 200]


def test_released_memory_holds_no_constants() -> None:
    @constants
    def one() -> torch.Tensor:
        return torch.ones(())

    before = one(HOST)
    emplace.release()
    assert one(HOST) is not before


def test_what_is_brought_to_the_host_is_there_already() -> None:
    x = torch.tensor([1.0])
    assert bring(x, HOST) is x
