"""`emplace.doctor()`: the first broken link between a GPU and the program, and its fix."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

import emplace
from emplace.devices.doctor import Facts, diagnose
from emplace.devices.inventory import INVENTORY

HEALTHY = Facts(
    driver="found nvidia-smi",
    torch_version="2.9.0+cu128",
    built_for="CUDA 12.8",
    visible=None,
    gpus=("NVIDIA H200", "NVIDIA H200"),
    virtual="",
)
NO_GPUS = replace(HEALTHY, gpus=())
WAY_OUT = "Virtual GPUs work anyway: EMPLACE_GPUS=4x1GB, or emplace run --gpus 4x1GB."


def test_a_healthy_machine_can_use_its_gpus() -> None:
    found = diagnose(HEALTHY)
    assert found.first_broken is None
    assert str(found).splitlines() == [
        "ok    driver      found nvidia-smi",
        "ok    torch build torch 2.9.0+cu128, built for CUDA 12.8",
        "ok    visibility  CUDA_VISIBLE_DEVICES is not set: all GPUs are visible",
        "ok    devices     2 GPUs: NVIDIA H200",
        "",
        "GPUs can be used.",
    ]


def test_one_gpu_is_not_called_gpus() -> None:
    assert diagnose(replace(HEALTHY, gpus=("NVIDIA L4",)))[-1].found == "1 GPU: NVIDIA L4"


@pytest.mark.parametrize(
    ("facts", "link", "found", "fix"),
    [
        (
            replace(NO_GPUS, driver=None),
            "driver",
            "neither nvidia-smi nor rocm-smi nor a GPU device file is here",
            "Install the GPU's driver; in a container, start it with access to GPUs "
            "(docker run --gpus all).",
        ),
        (
            replace(NO_GPUS, built_for=None, torch_version="2.9.0+cpu"),
            "torch build",
            "torch 2.9.0+cpu was built for the CPU only",
            "Install a build of torch for your GPU; https://pytorch.org/get-started says which.",
        ),
        (
            replace(NO_GPUS, visible=""),
            "visibility",
            "CUDA_VISIBLE_DEVICES='' hides every GPU",
            "Unset CUDA_VISIBLE_DEVICES, or name GPUs in it: CUDA_VISIBLE_DEVICES=0,1.",
        ),
        (
            replace(NO_GPUS, visible="-1"),
            "visibility",
            "CUDA_VISIBLE_DEVICES='-1' hides every GPU",
            "Unset CUDA_VISIBLE_DEVICES, or name GPUs in it: CUDA_VISIBLE_DEVICES=0,1.",
        ),
        (
            replace(NO_GPUS, visible="-1,0"),
            "visibility",
            "CUDA_VISIBLE_DEVICES='-1,0' hides every GPU",
            "Unset CUDA_VISIBLE_DEVICES, or name GPUs in it: CUDA_VISIBLE_DEVICES=0,1.",
        ),
        (
            replace(NO_GPUS, visible="0,1"),
            "devices",
            "torch sees no GPU",
            "Check that the driver is new enough for torch's CUDA version, and that the GPU's "
            "architecture is in torch.cuda.get_arch_list().",
        ),
    ],
)
def test_the_first_broken_link_is_named_with_its_fix(
    facts: Facts, link: str, found: str, fix: str
) -> None:
    diagnosis = diagnose(facts)
    broken = diagnosis.first_broken
    assert broken is not None
    assert (broken.name, broken.found, broken.fix) == (link, found, fix)
    assert str(diagnosis).splitlines()[-2:] == [
        f"There is no real GPU because of: {link}. {fix}",
        WAY_OUT,
    ]


def test_of_several_broken_links_the_first_is_named() -> None:
    found = diagnose(replace(NO_GPUS, driver=None, built_for=None, visible="-1"))
    assert [check.holds for check in found] == [False] * 4
    assert found.first_broken is found[0]


def test_gpus_that_torch_sees_need_no_sign_of_a_driver() -> None:
    found = diagnose(replace(HEALTHY, driver=None))
    assert found.first_broken is None
    assert str(found).splitlines()[-1] == "GPUs can be used."


def test_virtual_gpus_are_not_taken_for_real_ones() -> None:
    emplace.virtual_gpus(3)
    found = emplace.doctor()
    assert not any("Virtual GPU" in check.found for check in found)
    assert str(found).splitlines()[-1] == "Virtual GPUs asked for: 3."


def test_virtual_gpus_that_nobody_can_read_are_told_as_such(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    emplace.reset(virtual=True)
    monkeypatch.setenv("EMPLACE_GPUS", "four")
    last = str(emplace.doctor()).splitlines()[-1]
    assert last.startswith("[EMPLACE_GPUS='four'] 'four' does not describe virtual GPUs.")


def test_the_diagnosis_is_plain_values_too() -> None:
    assert diagnose(HEALTHY).to_dict()[0] == {
        "name": "driver",
        "holds": True,
        "found": "found nvidia-smi",
        "fix": "",
    }


def test_the_facts_of_this_process_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    driver, build, visibility, _ = emplace.doctor()
    assert driver.name == "driver"
    assert build.found.startswith(f"torch {torch.__version__}")
    assert visibility.found == "CUDA_VISIBLE_DEVICES='-1' hides every GPU"


def test_a_diagnosis_starts_no_device() -> None:
    emplace.doctor()
    assert not INVENTORY.is_initialized
