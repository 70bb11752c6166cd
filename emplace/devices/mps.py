"""Apple's GPU. It shares the host's memory and has no 64-bit floats."""

from __future__ import annotations

import torch

from .backend import Backend, Hardware


class MpsBackend(Backend):
    """The one GPU of an Apple computer."""

    device_type = "GPU"
    label = "mps"
    checks_late = True
    lacks = frozenset({torch.float64, torch.complex128})

    def count(self) -> int:
        """1 on Apple hardware with a torch build for it, else 0."""
        return int(torch.backends.mps.is_available())

    def why_unavailable(self) -> str:
        """Whether torch's build or the system lacks it."""
        if self.count():
            return ""
        if not torch.backends.mps.is_built():
            return f"torch {torch.__version__} was built without MPS."
        return "MPS needs macOS 12.3 or later and an Apple GPU."

    def describe(self, i: int) -> Hardware:
        """Name and the memory that Apple recommends not to pass."""
        memory = torch.mps.recommended_max_memory()
        return Hardware(name="Apple GPU", memory_bytes=memory, details={"device_name": "METAL"})

    def torch_device(self, i: int) -> torch.device:
        """mps."""
        return torch.device("mps")

    def memory_info(self, i: int) -> tuple[int, int]:
        """(free, total) bytes of what Apple recommends."""
        total = torch.mps.recommended_max_memory()
        return total - torch.mps.driver_allocated_memory(), total

    def copy(self, value: torch.Tensor, i: int) -> torch.Tensor:
        """A copy on the GPU."""
        return value.to("mps", copy=True)

    def synchronize(self, i: int) -> None:
        """Waits for the GPU."""
        torch.mps.synchronize()

    def allocator_peak(self, i: int) -> tuple[int, int] | None:
        """(current, current): Metal keeps no peak."""
        now = torch.mps.current_allocated_memory()
        return now, now

    def release(self) -> None:
        """Empties torch's cache."""
        if self.count():
            torch.mps.empty_cache()
