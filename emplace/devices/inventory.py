"""From hardware to devices: physical devices, the program's requests, and the logical devices made
of both at the first use.

Until `devices()` is first called everything can still be wished for; from then on the inventory
is frozen until `reset()`. A wish that cannot be met raises at that first use and leaves the
inventory open, so that the program can change it and try again, as in TensorFlow.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch

from ..base import flags, log
from ..base.errors import InternalError, NotFoundError, invalid_argument
from ..base.sizes import VirtualGpus
from ..base.torch_environment import torch_is_loaded
from .backend import Backend, Hardware
from .cpu import CpuBackend
from .device import Device
from .heap import keep_freed_memory
from .memory import Budget
from .phantom import STANDING, StandIns
from .strict import StrictBackend
from .virtual import VirtualBackend

MIB = 1 << 20


class PhysicalDevice(NamedTuple):
    """A device of the machine (`tf.config.PhysicalDevice`)."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device of the running program (`tf.config.LogicalDevice`)."""

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """One logical device to make of a physical one (`tf.config.LogicalDeviceConfiguration`).

    `memory_limit` is in MiB; the other two fields are accepted for GPUs and change nothing.
    """

    memory_limit: float | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


@dataclass(slots=True)
class DeviceRequests:
    """What the program asked for before the first use. Keys are physical devices."""

    visible: list[PhysicalDevice] | None = None
    gpu_order: list[PhysicalDevice] | None = None
    growth: dict[PhysicalDevice, bool] = field(default_factory=dict)
    logical: dict[PhysicalDevice, list[LogicalDeviceConfiguration]] = field(default_factory=dict)
    process_growth: bool = False
    fraction: float = 0.0
    intra_op_threads: int | None = None
    inter_op_threads: int | None = None
    tf32: bool = True


class Inventory:
    """The devices of this process. There is one, `INVENTORY`."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._virtual: VirtualGpus | None = None
        #: How many threads stand in other devices than there are.
        self._stand_ins = 0
        self._forget()

    def _forget(self) -> None:
        self.requests = DeviceRequests()
        self._physical: dict[PhysicalDevice, tuple[Backend, int]] | None = None
        self._devices: tuple[Device, ...] | None = None
        # What torch used before the program asked for another number of threads.
        self._torch_threads: int | None = None
        # Whether torch used TF32 before devices started: in matrix products, in convolutions.
        self._torch_tf32: tuple[bool, bool] | None = None

    @property
    def is_initialized(self) -> bool:
        """True from the first use of a device on."""
        return self._devices is not None

    def request_virtual(self, wanted: VirtualGpus) -> None:
        """Asks for virtual GPUs instead of the real ones.

        Raises:
            RuntimeError: devices are in use already.
        """
        with self._lock:
            if self.is_initialized:
                raise RuntimeError(
                    "Virtual GPUs must be asked for before devices are first used. "
                    "Call emplace.reset() first, or set EMPLACE_GPUS in the environment."
                )
            self._virtual = wanted
            self._physical = None

    def use_tf32(self, enabled: bool) -> None:
        """Whether float32 products and convolutions on GPUs may use TF32."""
        with self._lock:
            self.requests.tf32 = enabled
            if self.is_initialized:
                _allow_tf32(enabled, enabled)

    def physical(self) -> dict[PhysicalDevice, tuple[Backend, int]]:
        """Every physical device with its backend and number there, CPU first."""
        with self._lock:
            if self._physical is None:
                self._physical = _discover(self._virtual_gpus())
            return self._physical

    def real_gpus(self) -> Backend | None:
        """The backend of the machine's own GPUs, also where virtual ones stand before them."""
        return _first_present(REAL_GPUS)

    def num_virtual(self) -> int:
        """How many virtual GPUs were asked for."""
        wanted = self._virtual_gpus()
        return len(wanted.sizes) if wanted else 0

    def _virtual_gpus(self) -> VirtualGpus | None:
        if self._virtual is not None:
            return self._virtual
        return flags.GPUS.value()

    def hardware(self, device: PhysicalDevice) -> Hardware:
        """Facts about a physical device."""
        backend, ordinal = self.physical()[device]
        return backend.describe(ordinal)

    def visible(self) -> list[PhysicalDevice]:
        """The physical devices the program may use, in the order they were named."""
        wished = self.requests.visible
        return list(self.physical()) if wished is None else list(wished)

    def devices(self) -> tuple[Device, ...]:
        """The logical devices, CPU first; the first call makes them.

        Raises:
            NotFoundError: the CPU was hidden.
            ValueError: memory growth or logical configurations contradict each other.
        """
        if self._stand_ins and STANDING.world is not None:
            return STANDING.world.devices
        if self._devices is None:
            with self._lock:
                if self._devices is None:
                    self._start()
        assert self._devices is not None
        return self._devices

    @contextmanager
    def standing_in(self, world: StandIns, target: object) -> Iterator[None]:
        """A scope in which this thread takes the devices of a world for those of the process.

        Args:
            world: what it takes for them.
            target: takes ops of eager mode there.
        """
        before = STANDING.world, STANDING.target
        with self._lock:
            self._stand_ins += 1
        STANDING.world, STANDING.target = world, target
        try:
            yield
        finally:
            STANDING.world, STANDING.target = before
            with self._lock:
                self._stand_ins -= 1

    def physical_of(self, device: Device) -> PhysicalDevice:
        """The physical device a logical one is made of."""
        return next(
            physical
            for physical, (backend, ordinal) in self.physical().items()
            if backend is device.backend and ordinal == device.ordinal
        )

    def description(self, device: Device) -> str:
        """A GPU as logs of devices tell of it; empty for a CPU."""
        if device.type == "CPU":
            return ""
        physical = self.physical_of(device)
        details = self.hardware(physical).details
        number = physical.name.rsplit(":", 1)[-1]
        text = f"device: {number}, name: {details.get('device_name', device.type)}"
        if "compute_capability" in details:
            text += f", compute capability: {'.'.join(map(str, details['compute_capability']))}"
        return text

    def reset(self) -> None:
        """Forgets requests and devices. The environment and what was asked of virtual GPUs stay."""
        with self._lock:
            for device in self._devices or ():
                device.is_current = False
            if self._torch_threads is not None:
                torch.set_num_threads(self._torch_threads)
            if self._torch_tf32 is not None:
                _allow_tf32(*self._torch_tf32)
            self._forget()

    def reset_virtual(self) -> None:
        """Forgets a request for virtual GPUs made in the program."""
        with self._lock:
            self._virtual = None

    def _start(self) -> None:
        shown = set(self.visible())
        order = [physical for physical in self.physical() if physical in shown]
        cpus = [physical for physical in order if physical.device_type == "CPU"]
        gpus = [physical for physical in order if physical.device_type != "CPU"]
        if self.requests.gpu_order is not None:  # TF 1's visible_device_list numbers anew
            gpus.sort(key=self.requests.gpu_order.index)
        self._check(gpus)
        devices = self._make_cpus(cpus)
        if not devices:
            raise NotFoundError(None, None, "No CPU devices are available in this process")
        for physical in gpus:
            first = sum(device.type == physical.device_type for device in devices)
            devices += self._make_gpus(physical, first)
        self._check_outside_limits(devices)
        self._set_threads()
        keep_freed_memory()
        _tell_of_waiting()
        self._torch_tf32 = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
        _allow_tf32(self.requests.tf32, self.requests.tf32)
        self._devices = tuple(devices)

    def _set_threads(self) -> None:
        intra = self.requests.intra_op_threads or _number(flags.INTRA_OP_THREADS.get())
        inter = self.requests.inter_op_threads or _number(flags.INTER_OP_THREADS.get())
        if intra and intra != torch.get_num_threads():
            self._torch_threads = torch.get_num_threads()
            torch.set_num_threads(intra)
        if inter and inter != torch.get_num_interop_threads():
            _set_inter_op_threads(inter)

    def _make_cpus(self, cpus: list[PhysicalDevice]) -> list[Device]:
        wished = self.requests.logical
        count = sum(len(wished[cpu]) if cpu in wished else 1 for cpu in cpus)
        return [Device("CPU", i, *self.physical()[cpus[0]]) for i in range(count)]

    def _check(self, gpus: list[PhysicalDevice]) -> None:
        configured = [self.requests.logical[gpu] for gpu in gpus if gpu in self.requests.logical]
        if not configured:
            if len({self.requests.growth.get(gpu) for gpu in gpus}) > 1:
                raise ValueError("Memory growth cannot differ between GPU devices")
            if self.requests.fraction > 1:
                raise InternalError(
                    None,
                    None,
                    f"A memory fraction of {self.requests.fraction} asks for more than the GPU "
                    "has. Unified memory is not supported: use a fraction of at most 1.",
                )
            return
        if self.requests.fraction:
            raise invalid_argument(
                "It's invalid to set per_process_gpu_memory_fraction when virtual_devices is set."
            )
        every = [config for configs in configured for config in configs]
        for config in every:
            _check_limit(config.memory_limit)
        for index, what in ((1, "priority"), (2, "device_ordinals")):
            if len({config[index] is None for config in every}) > 1:
                raise ValueError(f"{what} must be specified for all virtual devices")

    def _make_gpus(self, physical: PhysicalDevice, first: int) -> list[Device]:
        backend, ordinal = self.physical()[physical]
        growth = self._grows(physical)
        configs = self.requests.logical.get(physical)
        if configs is None:
            limits = [self._single_limit(backend, ordinal)]
        else:
            limits = [max(0, int(config.memory_limit or 0)) * MIB for config in configs]
        outside = _outside_limits(first, len(limits))
        # On real hardware nobody counts unless a limit was set: torch's allocator does.
        counted = isinstance(backend, VirtualBackend) or configs is not None
        counted = counted or self.requests.fraction > 0 or bool(outside)
        limits = [_lower(limit, outside.get(lane)) for lane, limit in enumerate(limits)]
        total = backend.describe(ordinal).memory_bytes
        whole = None
        if counted and total is not None and sum(limit or 0 for limit in limits) > total:
            whole = Budget(total)
        for lane, limit in enumerate(limits):
            backend.open(ordinal, lane, None if growth else limit)
        return [
            Device(
                physical.device_type,
                first + lane,
                backend,
                ordinal,
                budget=Budget(limit, growth, whole) if counted else None,
                limit_bytes=limit,
                lane=lane,
            )
            for lane, limit in enumerate(limits)
        ]

    def _check_outside_limits(self, devices: list[Device]) -> None:
        """Raises ValueError where the environment bounds a GPU that is not there."""
        there = [device.short_name for device in devices if device.type != "CPU"]
        for name in flags.LIMIT.value():
            if name not in there:
                raise ValueError(
                    f"[{flags.LIMIT.name}={flags.LIMIT.get()!r}] {name} is not there. GPUs of this "
                    f"program: {', '.join(there) or 'none'}."
                )

    def _single_limit(self, backend: Backend, ordinal: int) -> int | None:
        fraction = self.requests.fraction
        if not fraction:
            return backend.default_limit(ordinal)
        total = backend.describe(ordinal).memory_bytes
        return None if total is None else int(total * fraction)

    def _grows(self, physical: PhysicalDevice) -> bool:
        wished = bool(self.requests.growth.get(physical, self.requests.process_growth))
        forced = flags.FORCE_GROWTH.get()
        if forced in ("", str(wished).lower()):
            return wished
        original = str(wished).lower()
        if forced not in ("true", "false"):
            log.error(
                f"The {flags.FORCE_GROWTH.name} environment variable is set but could not be "
                f'parsed: "{forced}". Valid values are "true" or "false". '
                f"Using original config value of {original}."
            )
            return wished
        log.warning(
            f"Overriding allow_growth setting because the {flags.FORCE_GROWTH.name} environment "
            f"variable is set. Original config value was {original}."
        )
        return forced == "true"


def _outside_limits(first: int, count: int) -> dict[int, int]:
    """What the environment lets these logical GPUs hold, by their place among them."""
    limits = flags.LIMIT.value()
    names = {lane: f"GPU:{first + lane}" for lane in range(count)}
    return {lane: limits[name] for lane, name in names.items() if name in limits}


def _lower(limit: int | None, other: int | None) -> int | None:
    return min((each for each in (limit, other) if each is not None), default=None)


def _tell_of_waiting() -> None:
    torch.empty(1)  # torch asks for huge pages or not from its first tensor on
    hint = torch_is_loaded()
    if hint and torch.get_num_threads() > 1:
        log.info(hint)


def _check_limit(memory_limit: Any) -> None:
    if not hasattr(type(memory_limit), "__float__"):
        raise TypeError(f"must be real number, not {type(memory_limit).__name__}")
    if not math.isfinite(memory_limit):
        raise ValueError(
            f"The memory limit of a logical device is a number of MiB, got {memory_limit}."
        )


def _discover(
    virtual: VirtualGpus | None,
) -> dict[PhysicalDevice, tuple[Backend, int]]:
    real = _first_present(REAL_GPUS)
    gpus: Backend | None = real
    if virtual is not None:
        sizes = virtual.sizes
        gpus = StrictBackend(sizes) if virtual.is_strict else VirtualBackend(sizes, real)
    found: dict[PhysicalDevice, tuple[Backend, int]] = {}
    for backend in (CpuBackend(), gpus):
        for i in range(backend.count() if backend else 0):
            assert backend is not None
            name = f"/physical_device:{backend.device_type}:{i}"
            found[PhysicalDevice(name, backend.device_type)] = backend, i
    return found


def _load_cuda() -> Backend:
    from .cuda import CudaBackend

    return CudaBackend()


def _load_mps() -> Backend:
    from .mps import MpsBackend

    return MpsBackend()


# The first of these that has a device provides the GPUs.
REAL_GPUS: tuple[Callable[[], Backend], ...] = (_load_cuda, _load_mps)


def _first_present(loaders: Sequence[Callable[[], Backend]]) -> Backend | None:
    backends = (load() for load in loaders)
    return next((backend for backend in backends if backend.count()), None)


def _set_inter_op_threads(count: int) -> None:
    try:
        torch.set_num_interop_threads(count)
    except RuntimeError:
        log.warning(
            f"Inter op parallelism stays at {torch.get_num_interop_threads()}: torch has started "
            f"its threads already. Ask for {count} before the first use of torch."
        )


def _allow_tf32(products: bool, convolutions: bool) -> None:
    torch.backends.cuda.matmul.allow_tf32 = products
    torch.backends.cudnn.allow_tf32 = convolutions


def _number(text: str) -> int:
    return int(text) if text.strip().isdecimal() else 0


INVENTORY = Inventory()


def find_devices(**fields: Any) -> list[Device]:
    """The logical devices whose attributes have these values."""
    return [
        device
        for device in INVENTORY.devices()
        if all(getattr(device, name) == value for name, value in fields.items())
    ]
