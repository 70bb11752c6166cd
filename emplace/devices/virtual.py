"""Virtual GPUs: as many as asked for, each with a name, a budget and statistics of its own.

On a machine without GPUs they live in host memory; with real ones they are spread over those.
Either way a copy between two of them is a real copy, and the rest of Emplace cannot tell them
from hardware. This is the reference backend: the smallest complete one.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from .backend import Backend, Capture, Hardware
from .cpu import CpuBackend


class VirtualBackend(Backend):
    """Virtual GPUs over `real` hardware, or over host memory where there is none.

    Args:
        sizes: memory of each in bytes; None shares what the hardware under it has.
        real: the backend with real GPUs, or None.
    """

    device_type = "GPU"
    label = "virtual"

    def __init__(self, sizes: Sequence[int | None], real: Backend | None) -> None:
        self._sizes = tuple(sizes)
        self._under = real or CpuBackend()
        self.lacks = self._under.lacks
        self.on_host = self._under.on_host
        self.checks_late = self._under.checks_late

    def count(self) -> int:
        """How many were asked for."""
        return len(self._sizes)

    def why_unavailable(self) -> str:
        """Never unavailable."""
        return ""

    def describe(self, i: int) -> Hardware:
        """The name says what is under it; memory is the budget."""
        under = self._under.describe(self._real(i))
        where = "host memory" if self._under.on_host else under.name
        details = {**under.details, "device_name": f"Virtual GPU ({where})"}
        return Hardware(
            name=f"Virtual GPU ({where})",
            memory_bytes=self.default_limit(i),
            details=details,
            pci_bus_id=under.pci_bus_id,
        )

    def torch_device(self, i: int) -> torch.device:
        """Where the hardware under it keeps tensors."""
        return self._under.torch_device(self._real(i))

    def memory_info(self, i: int) -> tuple[int, int]:
        """(free, total) bytes of the hardware under it."""
        return self._under.memory_info(self._real(i))

    def copy(self, value: torch.Tensor, i: int) -> torch.Tensor:
        """A new tensor, even where both devices share the memory under them."""
        return self._under.copy(value, self._real(i))

    def staged(self, value: torch.Tensor) -> torch.Tensor:
        """Where the hardware under it copies from by itself."""
        return self._under.staged(value)

    def synchronize(self, i: int) -> None:
        """Waits for the hardware under it."""
        self._under.synchronize(self._real(i))

    def default_limit(self, i: int) -> int | None:
        """Its size, or an equal share of the hardware under it."""
        size = self._sizes[i]
        if size is not None:
            return size
        sharing = sum(self._real(j) == self._real(i) for j in range(self.count()))
        _, total = self._under.memory_info(self._real(i))
        return total // sharing

    def mapped(self, i: int) -> int | None:
        """Nobody knows: the hardware's count is that of all virtual GPUs on it."""
        return None

    def release(self) -> None:
        """Gives unused memory of the hardware under it back."""
        self._under.release()

    def stream(self, i: int, lane: int) -> torch.cuda.Stream | None:
        """A queue of its own for every virtual GPU but the first on one real GPU."""
        return self._under.stream(self._real(i), lane + i // self._under.count())

    def why_no_capture(self, i: int) -> str:
        """That of the hardware under it."""
        return self._under.why_no_capture(self._real(i))

    def capture(self, i: int, generators: Sequence[torch.Generator]) -> Capture:
        """The hardware under it records."""
        return self._under.capture(self._real(i), generators)

    def _real(self, i: int) -> int:
        return i % self._under.count()
