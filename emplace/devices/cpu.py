"""The host's processor: always there, always one, memory not bounded by us."""

from __future__ import annotations

import platform

import psutil
import torch

from .backend import Backend, Hardware


class CpuBackend(Backend):
    """The host. Every tensor without a device of its own, and every string, lives here."""

    device_type = "CPU"
    label = "cpu"

    def count(self) -> int:
        """Always 1."""
        return 1

    def why_unavailable(self) -> str:
        """Never unavailable."""
        return ""

    def describe(self, i: int) -> Hardware:
        """The processor's name; no memory limit, no details, as in TensorFlow."""
        return Hardware(name=platform.processor() or platform.machine())

    def torch_device(self, i: int) -> torch.device:
        """Torch's one CPU."""
        return torch.device("cpu")

    def memory_info(self, i: int) -> tuple[int, int]:
        """(free, total) bytes of the host."""
        return host_memory()

    def copy(self, value: torch.Tensor, i: int) -> torch.Tensor:
        """A copy in host memory."""
        return value.to("cpu", copy=True)


def host_memory() -> tuple[int, int]:
    """(available, total) bytes of host memory."""
    memory = psutil.virtual_memory()
    return memory.available, memory.total
