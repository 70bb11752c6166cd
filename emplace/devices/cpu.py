"""The host's processor: always there, always one, memory not bounded by us."""

from __future__ import annotations

import functools
import os
import platform

import psutil
import torch

from .backend import Backend, Hardware
from .heap import give_back_freed_memory


class CpuBackend(Backend):
    """The host. Every tensor without a device of its own, and every string, lives here."""

    device_type = "CPU"
    label = "cpu"
    on_host = True

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

    def release(self) -> None:
        """Gives freed memory back to the system, where the C library can be asked to."""
        give_back_freed_memory()


def _alone_after_fork() -> None:
    """In a child process kernels run in one thread: the others stayed in the parent, and OpenMP
    would wait for them for ever.
    """
    torch.set_num_threads(1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_alone_after_fork)


def host_memory() -> tuple[int, int]:
    """(available, total) bytes of host memory."""
    memory = psutil.virtual_memory()
    return memory.available, memory.total


@functools.cache
def is_of_intel() -> bool:
    """Whether Intel made this processor: MKL keeps its best code for those."""
    try:
        with open("/proc/cpuinfo") as file:
            told = file.read(4096)  # of the first core
    except OSError:
        told = platform.processor()  # Windows names the maker, too
    return "GenuineIntel" in told
