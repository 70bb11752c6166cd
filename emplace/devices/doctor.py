"""`emplace.doctor()`: why there is no GPU. Walks the chain from the driver to the program, and
names the first broken link with its fix.
"""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Callable
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

    @property
    def first_broken(self) -> Check | None:
        """The first link that does not hold, or None."""
        return next((check for check in self if not check.holds), None)

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
            lines.append(
                "Virtual GPUs work anyway: EMPLACE_GPUS=4x1GB, or emplace run --gpus 4x1GB."
            )
        return "\n".join(lines)

    __repr__ = __str__


def _driver() -> Check:
    tool = next((t for t in ("nvidia-smi", "rocm-smi") if shutil.which(t)), None)
    node = next((p for p in ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg") if os.path.exists(p)), None)
    if platform.system() == "Darwin":
        return Check("driver", True, "macOS brings its own")
    if tool or node:
        return Check("driver", True, f"found {tool or node}")
    return Check(
        "driver",
        False,
        "neither nvidia-smi nor rocm-smi nor a GPU device file is here",
        "Install the GPU's driver; in a container, start it with access to GPUs "
        "(docker run --gpus all).",
    )


def _torch_build() -> Check:
    version = torch.__version__
    if torch.version.cuda or torch.version.hip or torch.backends.mps.is_built():
        kind = f"CUDA {torch.version.cuda}" if torch.version.cuda else "ROCm or MPS"
        return Check("torch build", True, f"torch {version}, built for {kind}")
    return Check(
        "torch build",
        False,
        f"torch {version} was built for the CPU only",
        "Install a build of torch for your GPU; https://pytorch.org/get-started says which.",
    )


def _visibility() -> Check:
    shown = os.environ.get(flags.VISIBLE.name)
    if shown is None:
        return Check("visibility", True, "CUDA_VISIBLE_DEVICES is not set: all GPUs are visible")
    if shown.strip() in ("", "-1"):
        return Check(
            "visibility",
            False,
            f"CUDA_VISIBLE_DEVICES={shown!r} hides every GPU",
            "Unset CUDA_VISIBLE_DEVICES, or name GPUs in it: CUDA_VISIBLE_DEVICES=0,1.",
        )
    return Check("visibility", True, f"CUDA_VISIBLE_DEVICES={shown}")


def _devices() -> Check:
    gpus = [
        INVENTORY.hardware(physical).name
        for physical in INVENTORY.physical()
        if physical.device_type == "GPU"
    ]
    if gpus:
        return Check("devices", True, f"{len(gpus)} GPUs: {', '.join(dict.fromkeys(gpus))}")
    return Check(
        "devices",
        False,
        "torch sees no GPU",
        "Check that the driver is new enough for torch's CUDA version, and that the GPU's "
        "architecture is in torch.cuda.get_arch_list().",
    )


_CHAIN: tuple[Callable[[], Check], ...] = (_driver, _torch_build, _visibility, _devices)


def doctor() -> Diagnosis:
    """Why there is no GPU: driver, torch build, visibility, devices.

    >>> import emplace
    >>> [check.name for check in emplace.doctor()]
    ['driver', 'torch build', 'visibility', 'devices']
    """
    return Diagnosis(check() for check in _CHAIN)
