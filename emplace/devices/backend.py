"""What a kind of hardware must offer to be used. One file per kind implements it; nothing else
in Emplace names a vendor.

`virtual.py` is the shortest implementation and the one to read first. A new backend is one file
and one line in `inventory.py`; it is done when `tests/contract/test_backend.py` passes on it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch


@dataclass(frozen=True, slots=True)
class Hardware:
    """What a backend knows of one of its devices, without starting it.

    `memory_bytes` is all the memory it has, None where that is the host's and not bounded.
    `details` is what `tf.config.experimental.get_device_details` returns.
    `pci_bus_id` appears in TF 1 device mappings.
    """

    name: str
    memory_bytes: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    pci_bus_id: str = ""


class Capture(ABC):
    """Work of one device that is recorded once and then repeated, on the same memory.

    What is recorded must be the same kernels each time: nothing that makes the host wait, comes
    from the host's memory or depends on values. `emplace/graph/plan/capturable.py` tells before.
    """

    @abstractmethod
    def warm_up(self, run: Callable[[], Any]) -> Any:
        """Runs `run` in the queue in which it will be recorded, so that the libraries it uses have
        made by then what they make in a first call. Returns what it returns.
        """

    @abstractmethod
    def record(self, run: Callable[[], Any]) -> Any:
        """Records what `run` asks of the device, which does nothing of it yet. Returns what it
        returns: tensors that have values after each replay.

        Raises:
            Exception: the hardware refuses; nothing has happened, and nothing can be replayed.
        """

    @abstractmethod
    def replay(self) -> None:
        """Does what was recorded, after what was asked of the device before."""


class Backend(ABC):
    """One kind of hardware; devices are numbered from 0."""

    device_type: str
    """The type in device names: "CPU" or "GPU"."""

    label: str
    """What `emplace devices` calls this backend: "cpu", "cuda", "virtual" ..."""

    lacks: frozenset[torch.dtype] = frozenset()
    """Element types this hardware cannot compute with; their ops go to the CPU."""

    on_host: bool = False
    """Whether tensors are in the host's memory, which may then read them at once."""

    is_strict: bool = False
    """Whether tensors refuse what hardware refuses; see `strict.py`."""

    is_phantom: bool = False
    """Whether there is no memory, and tensors have no elements; see `phantom.py`."""

    checks_late: bool = False
    """Whether kernels run while the host goes on, so that checks must not wait; see `late.py`."""

    @abstractmethod
    def count(self) -> int:
        """How many devices there are; 0 where the hardware or its driver is missing."""

    @abstractmethod
    def why_unavailable(self) -> str:
        """One sentence: why `count` is 0 and what to do. Empty if it is not."""

    @abstractmethod
    def describe(self, i: int) -> Hardware:
        """Facts about device `i`."""

    @abstractmethod
    def torch_device(self, i: int) -> torch.device:
        """Where torch puts tensors of device `i`."""

    @abstractmethod
    def memory_info(self, i: int) -> tuple[int, int]:
        """(free, total) bytes of device `i`, as its driver says."""

    @abstractmethod
    def copy(self, value: torch.Tensor, i: int) -> torch.Tensor:
        """A new tensor on device `i` with the elements of `value`, from wherever it is."""

    def staged(self, value: torch.Tensor) -> torch.Tensor:
        """A value of the host where this hardware copies from by itself (pinned memory), so that
        the host need not wait for `copy`; itself where there is no such memory.

        The value may change, and what is returned may be let go, as soon as `copy` has returned.
        """
        return value

    def synchronize(self, i: int) -> None:  # noqa: B027  # most hardware has nothing to wait for
        """Waits until everything asked of device `i` has happened."""

    def generator(self, i: int) -> torch.Generator:
        """A new generator of random numbers on device `i`."""
        return torch.Generator(self.torch_device(i))

    def open(self, i: int, lane: int, limit_bytes: int | None) -> None:  # noqa: B027
        """Called once for logical device number `lane` on device `i`, when it starts to be used;
        maps `limit_bytes` of memory now.

        None maps nothing: memory is taken as it is needed.
        """

    def default_limit(self, i: int) -> int | None:
        """The bytes a device may use when the program sets nothing; None for no limit."""
        return None

    def set_limit(self, i: int, nbytes: int | None) -> None:
        """Makes the hardware's own allocator refuse to hold more; None for all that there is.

        Raises:
            NotImplementedError: it cannot.
        """
        raise NotImplementedError(
            f"{self.label} devices keep no count of their memory. Set EMPLACE_LIMIT, or a logical "
            "device with a limit by tf.config, before devices are first used: both count."
        )

    def allocator_peak(self, i: int) -> tuple[int, int] | None:
        """(current, peak) bytes by the hardware's own allocator; None where it keeps no count."""
        return None

    def reset_allocator_peak(self, i: int) -> None:  # noqa: B027
        """Starts that peak again from what is in use, where there is one."""

    def mark(self, i: int) -> int:
        """This moment, to ask `allocator_peak_since` for."""
        return 0

    def allocator_peak_since(self, i: int, moment: int) -> int | None:
        """The allocator's peak since a moment, 0 being the beginning; None where it keeps none."""
        return None

    def mapped(self, i: int) -> int | None:
        """Bytes that the hardware's own allocator has taken from the system; None where it keeps no
        count.
        """
        return None

    def release(self) -> None:  # noqa: B027
        """Gives memory that holds no tensor back to the system."""

    def stream(self, i: int, lane: int) -> torch.cuda.Stream | None:
        """The queue in which logical device number `lane` on device `i` runs its kernels.

        None means the default queue.
        """
        return None

    def why_no_capture(self, i: int) -> str:
        """Half a sentence: why device `i` cannot repeat recorded work; empty if it can."""
        return f"{self.label} devices cannot repeat recorded work"

    def capture(self, i: int, generators: Sequence[torch.Generator]) -> Capture:
        """What records work of device `i`. Random numbers of `generators` go on in each replay."""
        raise NotImplementedError(self.why_no_capture(i))
