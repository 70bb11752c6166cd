"""NVIDIA GPUs, and AMD ones: torch's ROCm builds answer to the same names."""

from __future__ import annotations

import gc
import os
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import torch

from ..base import flags
from .backend import Backend, Capture, Hardware
from .cuda_capture import CudaCapture
from .memory import Peaks

MIB = 1 << 20

# What is left to the system by default: TensorFlow's rule, by free memory and compute capability.
_SMALL_GPU_BYTES = 2048 * MIB
_SMALL_GPU_RESERVE_BYTES = 225 * MIB
_RESERVE_BYTES_BY_MAJOR = ((8, 1536 * MIB), (7, 1050 * MIB), (0, 500 * MIB))


class CudaBackend(Backend):
    """GPUs that torch drives through CUDA or ROCm; the driver reads `CUDA_VISIBLE_DEVICES`."""

    device_type = "GPU"
    label = "rocm" if torch.version.hip else "cuda"
    checks_late = True

    def __init__(self) -> None:
        self._streams: dict[tuple[int, int], torch.cuda.Stream] = {}
        self._mapped: set[tuple[int, int]] = set()
        # torch keeps one peak per GPU: these keep it for everyone who asks since when.
        self._peaks: dict[int, Peaks] = defaultdict(Peaks)
        self._reset_at: dict[int, int] = {}

    def count(self) -> int:
        """How many GPUs the driver shows; asking does not start them."""
        return torch.cuda.device_count() if torch.cuda.is_available() else 0

    def why_unavailable(self) -> str:
        """The first broken link: torch's build, visibility, or the driver."""
        if self.count():
            return ""
        if torch.version.cuda is None and torch.version.hip is None:
            return (
                f"torch {torch.__version__} was built without CUDA or ROCm. "
                "Install a build of torch for your GPU."
            )
        hidden = os.environ.get(flags.VISIBLE.name)
        if hidden is not None and hidden.strip() in ("", "-1"):
            return (
                f"CUDA_VISIBLE_DEVICES={hidden!r} hides every GPU. Unset it, or name GPUs: '0,1'."
            )
        return (
            "torch found no usable driver or no GPU. Check that `nvidia-smi` (or `rocm-smi`) lists "
            "the GPU here, in the same container and user as this program."
        )

    def describe(self, i: int) -> Hardware:
        """Name, memory, compute capability and bus address."""
        facts: Any = torch.cuda.get_device_properties(i)
        bus = ""
        if hasattr(facts, "pci_bus_id"):
            bus = f"{facts.pci_domain_id:04x}:{facts.pci_bus_id:02x}:{facts.pci_device_id:02x}.0"
        return Hardware(
            name=facts.name,
            memory_bytes=facts.total_memory,
            details={
                "device_name": facts.name,
                "compute_capability": (facts.major, facts.minor),
            },
            pci_bus_id=bus,
        )

    def torch_device(self, i: int) -> torch.device:
        """cuda:i."""
        return torch.device("cuda", i)

    def memory_info(self, i: int) -> tuple[int, int]:
        """(free, total) bytes, as the driver says."""
        return torch.cuda.mem_get_info(i)

    def copy(self, value: torch.Tensor, i: int) -> torch.Tensor:
        """A copy on GPU `i`, in its current stream."""
        return value.to(self.torch_device(i), copy=True, non_blocking=_is_pinned(value))

    def staged(self, value: torch.Tensor) -> torch.Tensor:
        """A copy in pinned memory, which torch does not use again before a copy from it has ended:
        its allocator marks the stream. The value itself if there is no more such memory.
        """
        try:
            return torch.empty(value.shape, dtype=value.dtype, pin_memory=True).copy_(value)
        except RuntimeError:  # the system refuses to pin more: the host waits, as for any value
            return value

    def synchronize(self, i: int) -> None:
        """Waits for every stream of GPU `i`."""
        torch.cuda.synchronize(i)

    def open(self, i: int, lane: int, limit_bytes: int | None) -> None:
        """Maps `limit_bytes` at once, less where the driver refuses; None maps nothing.

        The memory goes to torch's cache of the lane's stream, which serves later tensors from it.
        """
        if limit_bytes is None or (i, lane) in self._mapped:
            return
        self._mapped.add((i, lane))
        stream = self.stream(i, lane) or torch.cuda.default_stream(i)
        while limit_bytes > MIB:
            try:
                block = torch.cuda.caching_allocator_alloc(limit_bytes, device=i, stream=stream)
            except torch.OutOfMemoryError:
                limit_bytes = int(limit_bytes * 0.9)
                continue
            torch.cuda.caching_allocator_delete(block)  # type: ignore[no-untyped-call]
            return

    def default_limit(self, i: int) -> int | None:
        """Free memory less what is left to the system. What torch keeps in its cache is free."""
        free, _ = self.memory_info(i)
        free += torch.cuda.memory_reserved(i) - torch.cuda.memory_allocated(i)
        wanted = flags.MIN_SYSTEM_MEMORY.get()
        if wanted.isdecimal() and int(wanted) * MIB < free:
            return free - int(wanted) * MIB
        if free < _SMALL_GPU_BYTES:
            reserve = _SMALL_GPU_RESERVE_BYTES
        else:
            major = torch.cuda.get_device_capability(i)[0]
            reserve = next(size for least, size in _RESERVE_BYTES_BY_MAJOR if major >= least)
        return free - reserve if reserve < free else free

    def set_limit(self, i: int, nbytes: int | None) -> None:
        """Bounds torch's allocator, which counts what it has mapped."""
        total = self.memory_info(i)[1]
        torch.cuda.set_per_process_memory_fraction(1.0 if nbytes is None else nbytes / total, i)

    def allocator_peak(self, i: int) -> tuple[int, int] | None:
        """(current, peak) bytes of tensors in torch's allocator."""
        peak = self.allocator_peak_since(i, self._reset_at.get(i, 0))
        return torch.cuda.memory_allocated(i), peak

    def reset_allocator_peak(self, i: int) -> None:
        """Starts the allocator's peak again from what is in use."""
        self._reset_at[i] = self.mark(i)

    def mark(self, i: int) -> int:
        """This moment, to ask `allocator_peak_since` for."""
        moment = self._peaks[i].mark(torch.cuda.max_memory_allocated(i))
        torch.cuda.reset_peak_memory_stats(i)
        return moment

    def allocator_peak_since(self, i: int, moment: int) -> int:
        """The allocator's peak since a moment."""
        return self._peaks[i].since(moment, torch.cuda.max_memory_allocated(i))

    def mapped(self, i: int) -> int | None:
        """What torch's allocator has reserved."""
        return torch.cuda.memory_reserved(i)

    def release(self) -> None:
        """Empties torch's cache."""
        gc.collect()
        if self.count():
            torch.cuda.empty_cache()
        self._mapped.clear()

    def stream(self, i: int, lane: int) -> torch.cuda.Stream | None:
        """The default stream for the first logical device on a GPU, one of its own for others."""
        if lane == 0:
            return None
        if (i, lane) not in self._streams:
            stream = torch.cuda.Stream(device=i)  # type: ignore[no-untyped-call]
            self._streams[i, lane] = stream
        return self._streams[i, lane]

    def why_no_capture(self, i: int) -> str:
        """Nothing, but for builds of torch that lack CUDA graphs."""
        return "" if hasattr(torch.cuda, "CUDAGraph") else "this torch has no CUDA graphs"

    def capture(self, i: int, generators: Sequence[torch.Generator]) -> Capture:
        """A CUDA graph."""
        return CudaCapture(self.torch_device(i), generators)


def _is_pinned(value: torch.Tensor) -> bool:
    return value.device.type == "cpu" and value.is_pinned()
