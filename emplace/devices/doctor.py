"""`emplace.doctor()`: why there is no GPU. Walks the chain from the driver to the program, and
names the first broken link with its fix.
"""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import torch

from ..base import flags
from .inventory import INVENTORY


@dataclass(frozen=True, slots=True)
class Check:
    """One link of the chain: whether it holds, what was found, and what to do if it does not."""

    name: str
    holds: bool
    found: str
    fix: str = ""


class Diagnosis(list[Check]):
    """All checks, in the order of the chain. Prints as text."""

    def __init__(self, checks: Iterable[Check], virtual: str = "") -> None:
        super().__init__(checks)
        self._virtual = virtual

    @property
    def first_broken(self) -> Check | None:
        """The first link that does not hold; None if torch sees GPUs, whatever else is odd."""
        if self[-1].holds:
            return None
        return next(check for check in self if not check.holds)

    def to_dict(self) -> list[dict[str, Any]]:
        """The checks as plain dictionaries."""
        return [asdict(check) for check in self]

    def __str__(self) -> str:
        lines = [f"{'ok  ' if c.holds else 'FAIL'}  {c.name:<12}{c.found}" for c in self]
        broken = self.first_broken
        lines.append("")
        if broken is None:
            lines.append("GPUs can be used.")
        else:
            lines.append(f"There is no real GPU because of: {broken.name}. {broken.fix}")
        if self._virtual:
            lines.append(self._virtual)
        elif broken is not None:
            lines.append(
                "Virtual GPUs work anyway: EMPLACE_GPUS=4x1GB, or emplace run --gpus 4x1GB."
            )
        return "\n".join(lines)

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Facts:
    """What a diagnosis is made from.

    `driver` is the sign of a driver, None for none; `built_for` what torch was built for, None for
    the CPU only; `visible` the text of CUDA_VISIBLE_DEVICES, None if it is not set; `gpus` the
    names of the real GPUs torch sees; `virtual` a sentence about the virtual GPUs asked for, empty
    if there are none.
    """

    driver: str | None
    torch_version: str
    built_for: str | None
    visible: str | None
    gpus: tuple[str, ...]
    virtual: str


def gather() -> Facts:
    """The facts of this machine and process."""
    real = INVENTORY.real_gpus()
    return Facts(
        driver=_sign_of_a_driver(),
        torch_version=torch.__version__,
        built_for=_built_for(),
        visible=os.environ.get(flags.VISIBLE.name),
        gpus=tuple(real.describe(i).name for i in range(real.count())) if real else (),
        virtual=_virtual_gpus(),
    )


def _virtual_gpus() -> str:
    try:
        number = INVENTORY.num_virtual()
    except ValueError as error:
        return str(error)
    return f"Virtual GPUs asked for: {number}." if number else ""


def _sign_of_a_driver() -> str | None:
    if platform.system() == "Darwin":
        return "macOS brings its own"
    tool = next((t for t in ("nvidia-smi", "rocm-smi") if shutil.which(t)), None)
    node = next((p for p in ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg") if os.path.exists(p)), None)
    return f"found {tool or node}" if tool or node else None


def _built_for() -> str | None:
    if torch.version.cuda:
        return f"CUDA {torch.version.cuda}"
    if torch.version.hip:
        return f"ROCm {torch.version.hip}"
    return "MPS" if torch.backends.mps.is_built() else None


def _driver(facts: Facts) -> Check:
    if facts.driver is not None:
        return Check("driver", True, facts.driver)
    return Check(
        "driver",
        False,
        "neither nvidia-smi nor rocm-smi nor a GPU device file is here",
        "Install the GPU's driver; in a container, start it with access to GPUs "
        "(docker run --gpus all).",
    )


def _torch_build(facts: Facts) -> Check:
    if facts.built_for is not None:
        return Check(
            "torch build", True, f"torch {facts.torch_version}, built for {facts.built_for}"
        )
    return Check(
        "torch build",
        False,
        f"torch {facts.torch_version} was built for the CPU only",
        "Install a build of torch for your GPU; https://pytorch.org/get-started says which.",
    )


def _visibility(facts: Facts) -> Check:
    if facts.visible is None:
        return Check("visibility", True, "CUDA_VISIBLE_DEVICES is not set: all GPUs are visible")
    # The driver stops reading the list at the first entry that names no GPU.
    if facts.visible.split(",")[0].strip() in ("", "-1"):
        return Check(
            "visibility",
            False,
            f"CUDA_VISIBLE_DEVICES={facts.visible!r} hides every GPU",
            "Unset CUDA_VISIBLE_DEVICES, or name GPUs in it: CUDA_VISIBLE_DEVICES=0,1.",
        )
    return Check("visibility", True, f"CUDA_VISIBLE_DEVICES={facts.visible}")


def _devices(facts: Facts) -> Check:
    if facts.gpus:
        number = f"{len(facts.gpus)} GPU{'s' if len(facts.gpus) > 1 else ''}"
        return Check("devices", True, f"{number}: {', '.join(dict.fromkeys(facts.gpus))}")
    return Check(
        "devices",
        False,
        "torch sees no GPU",
        "Check that the driver is new enough for torch's CUDA version, and that the GPU's "
        "architecture is in torch.cuda.get_arch_list().",
    )


_CHAIN: tuple[Callable[[Facts], Check], ...] = (_driver, _torch_build, _visibility, _devices)


def diagnose(facts: Facts) -> Diagnosis:
    """The chain of checks for some facts."""
    return Diagnosis((check(facts) for check in _CHAIN), facts.virtual)


def doctor() -> Diagnosis:
    """Why there is no GPU: driver, torch build, visibility, devices. Starts no device.

    >>> import emplace
    >>> [check.name for check in emplace.doctor()]
    ['driver', 'torch build', 'visibility', 'devices']
    """
    return diagnose(gather())
