"""What `tf.config` says about devices and memory: the rules, in TensorFlow's order and words.

Each setter checks its arguments, returns quietly where nothing would change, and refuses once
devices are in use. The requests themselves are kept, and carried out, by `inventory.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..base import log
from ..base.arguments import as_count, as_switch
from .device import Device
from .inventory import (
    INVENTORY,
    LogicalDevice,
    LogicalDeviceConfiguration,
    PhysicalDevice,
)
from .name import parse_runtime_name


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of the machine, CPU first (`tf.config.list_physical_devices`).

    Args:
        device_type: "CPU" or "GPU" for only those; None for all.

    >>> list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return [
        device
        for device in INVENTORY.physical()
        if device_type is None or device.device_type == device_type
    ]


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices of the running program (`tf.config.list_logical_devices`).

    The first call starts the devices, after which they cannot be configured any more.

    Args:
        device_type: "CPU" or "GPU" for only those; None for all.

    Raises:
        ValueError, NotFoundError: the devices cannot be started as they are configured.
    """
    return [
        LogicalDevice(f"/device:{device.short_name}", device.type)
        for device in INVENTORY.devices()
        if device_type is None or device.type == device_type
    ]


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices the program may use, in the order they were set
    (`tf.config.get_visible_devices`).
    """
    return [
        device
        for device in INVENTORY.visible()
        if device_type is None or device.device_type == device_type
    ]


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Restricts the program to some physical devices (`tf.config.set_visible_devices`).

    Args:
        devices: a physical device or a list of them.
        device_type: the type that is restricted; others stay. None restricts all types.

    Raises:
        ValueError: a device is not one of `list_physical_devices(device_type)`.
        RuntimeError: devices are in use and the list would change.
    """
    known = list_physical_devices(device_type)
    wanted = [
        _recognized(device, known)
        for device in (devices if isinstance(devices, list) else [devices])
    ]
    kept = []
    if device_type is not None:
        kept = [device for device in INVENTORY.visible() if device.device_type != device_type]
    new = kept + wanted
    if new == INVENTORY.visible():
        return
    if INVENTORY.is_initialized:
        raise RuntimeError("Visible devices cannot be modified after being initialized")
    INVENTORY.requests.visible = new


def get_memory_growth(device: PhysicalDevice) -> bool | None:
    """Whether memory growth was asked for; None if nothing was set
    (`tf.config.experimental.get_memory_growth`).

    Raises:
        ValueError: `device` is not a physical device.
        KeyError: `device` is the CPU.
    """
    device = _recognized(device, list_physical_devices())
    if device.device_type == "CPU":
        raise KeyError(device)
    return INVENTORY.requests.growth.get(device)


def set_memory_growth(device: PhysicalDevice, enable: bool | None) -> None:
    """Takes the memory of a GPU as it is needed instead of nearly all at once
    (`tf.config.experimental.set_memory_growth`).

    Args:
        device: the GPU. All visible ones must agree when devices are first used.
        enable: True, False, or None for "not set".

    Raises:
        ValueError: `device` is unknown, is no GPU, or has logical devices configured.
        TypeError: `enable` is no bool.
        RuntimeError: devices are in use and the setting would change.
    """
    device = _recognized(device, list_physical_devices())
    requests = INVENTORY.requests
    if device in requests.logical:
        raise ValueError("Cannot set memory growth on device when virtual devices configured")
    if device.device_type != "GPU":
        raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")
    wanted = None if enable is None else as_switch("set_memory_growth", enable)
    if requests.growth.get(device) is wanted:
        return
    if INVENTORY.is_initialized:
        raise RuntimeError("Physical devices cannot be modified after being initialized")
    if wanted is None:
        del requests.growth[device]
    else:
        requests.growth[device] = wanted


def get_logical_device_configuration(
    device: PhysicalDevice,
) -> list[LogicalDeviceConfiguration] | None:
    """The logical devices asked for on a physical one, or None
    (`tf.config.get_logical_device_configuration`).

    Raises:
        ValueError: `device` is not a physical device.
    """
    device = _recognized(device, list_physical_devices())
    configured = INVENTORY.requests.logical.get(device)
    return None if configured is None else list(configured)


_CPU_TEXTS = (
    ("memory_limit", "Setting memory limit on CPU virtual devices is currently not supported"),
    (
        "experimental_priority",
        "Setting experimental_priority on CPU virtual  devices is currently not supported",
    ),
    (
        "experimental_device_ordinal",
        "Setting experimental_device_ordinal on CPU virtual  devices is currently not supported",
    ),
)


def set_logical_device_configuration(
    device: PhysicalDevice, logical_devices: list[LogicalDeviceConfiguration]
) -> None:
    """Makes several logical devices of one physical device, each with a hard memory limit
    (`tf.config.set_logical_device_configuration`).

    Args:
        device: the physical device.
        logical_devices: one configuration each; `memory_limit` is in MiB, required for GPUs and
            not possible for CPUs.

    Raises:
        ValueError: `device` is unknown, or a configuration does not fit its type.
        RuntimeError: devices are in use and the setting would change.
    """
    device = _recognized(device, list_physical_devices())
    configurations = list(logical_devices)
    if device.device_type == "CPU":
        _check_cpu_configs(configurations)
    elif device.device_type == "GPU":
        if any(config.memory_limit is None for config in configurations):
            raise ValueError("Setting memory limit is required for GPU virtual devices")
    else:
        raise ValueError(f"Virtual devices are not supported for {device.device_type}")
    requests = INVENTORY.requests
    if requests.logical.get(device) == configurations:
        return
    if INVENTORY.is_initialized:
        raise RuntimeError("Virtual devices cannot be modified after being initialized")
    requests.logical[device] = configurations


def _check_cpu_configs(configs: list[LogicalDeviceConfiguration]) -> None:
    for config in configs:
        for name, text in _CPU_TEXTS:
            if getattr(config, name) is not None:
                raise ValueError(text)


def get_device_details(device: PhysicalDevice) -> Mapping[str, Any]:
    """What is known of a physical device: 'device_name', for CUDA 'compute_capability'
    (`tf.config.experimental.get_device_details`). Empty for the CPU.

    Raises:
        ValueError: `device` is not one of `list_physical_devices()`.
    """
    if not isinstance(device, PhysicalDevice):
        raise ValueError(f"device must be a tf.config.PhysicalDevice, but got: {device}")
    if device not in INVENTORY.physical():
        raise ValueError(
            "The PhysicalDevice must be one obtained from calling "
            f"`tf.config.list_physical_devices`, but got: {device}"
        )
    return dict(INVENTORY.hardware(device).details)


def get_memory_info(device: str) -> dict[str, int]:
    """Bytes in use on a logical device, now and at most
    (`tf.config.experimental.get_memory_info`).

    Args:
        device: a name such as "GPU:0" or a full name.

    Returns:
        {'current': bytes, 'peak': bytes}. Zero for the CPU, whose memory nobody counts.

    Raises:
        ValueError: no device, or several, have that name.
    """
    found = _one_device(device)
    if found.budget is not None:
        usage = found.budget.usage()
        return {"current": usage.in_use, "peak": usage.peak}
    current, peak = found.backend.allocator_peak(found.ordinal) or (0, 0)
    return {"current": current, "peak": peak}


def get_memory_usage(device: str) -> int:
    """Bytes in use on a logical device (`tf.config.experimental.get_memory_usage`, deprecated)."""
    log.warning(
        "tf.config.experimental.get_memory_usage is deprecated. "
        "Use tf.config.experimental.get_memory_info(device)['current'] instead."
    )
    return get_memory_info(device)["current"]


def reset_memory_stats(device: str) -> None:
    """Starts the peak again from what is in use (`tf.config.experimental.reset_memory_stats`).

    Raises:
        ValueError: no device, or several, have that name.
    """
    found = _one_device(device)
    if found.budget is not None:
        found.budget.reset_peak()
    else:
        found.backend.reset_allocator_peak(found.ordinal)


def _one_device(name: str | None) -> Device:
    name = "" if name is None else name
    if isinstance(name, bytes):
        name = name.decode(errors="replace")
    if not isinstance(name, str):
        raise TypeError(
            f"get_memory_info(): a device name must be a str, got {name!r}. "
            'Write a name such as "GPU:0".'
        )
    devices = INVENTORY.devices()
    spec = parse_runtime_name(name)
    if spec is None:
        raise ValueError(
            f"Failed parsing device name: '{name}'. Note a valid device string should at least "
            'contain a device type and a device index, like "GPU:0".'
        )
    matches = [
        device
        for device in devices
        if spec.job in (None, "localhost")
        and spec.replica in (None, 0)
        and spec.task in (None, 0)
        and spec.device_type in (None, device.type)
        and spec.device_index in (None, device.index)
    ]
    if not matches:
        raise ValueError(f"No matching devices found for '{name}'")
    if len(matches) > 1:
        raise ValueError(
            f"Multiple devices match the provided string '{name}': "
            f"'{matches[0].name}' and '{matches[1].name}'."
        )
    return matches[0]


def _recognized(device: Any, known: list[PhysicalDevice]) -> PhysicalDevice:
    """The one of `known` that `device` equals; a plain tuple may."""
    for each in known:
        if isinstance(device, tuple) and device == each:
            return each
    raise ValueError(f"Unrecognized device: {device!r}")


# More would end the process when torch starts them.
_MOST_THREADS = 4096


def get_intra_op_parallelism_threads() -> int:
    """Threads inside one op that were asked for; 0 leaves torch's choice
    (`tf.config.threading`).
    """
    return INVENTORY.requests.intra_op_threads or 0


def set_intra_op_parallelism_threads(num_threads: int | None) -> None:
    """Sets the threads torch uses inside one op (`tf.config.threading`).

    Args:
        num_threads: how many; 0 or None leaves torch's choice.

    Raises:
        TypeError, ValueError: `num_threads` is no number of threads.
        RuntimeError: devices are in use and the number would change.
    """
    _set_threads("intra", num_threads)


def get_inter_op_parallelism_threads() -> int:
    """Threads between ops that were asked for; 0 leaves torch's choice (`tf.config.threading`)."""
    return INVENTORY.requests.inter_op_threads or 0


def set_inter_op_parallelism_threads(num_threads: int | None) -> None:
    """Sets the threads torch uses between ops (`tf.config.threading`).

    Args:
        num_threads: how many; 0 or None leaves torch's choice.

    Raises:
        TypeError, ValueError: `num_threads` is no number of threads.
        RuntimeError: devices are in use and the number would change.
    """
    _set_threads("inter", num_threads)


def _set_threads(which: str, count: int | None) -> None:
    setting = f"{which}_op_threads"
    who = f"set_{which}_op_parallelism_threads"
    number = None if count is None else as_count(who, count, _MOST_THREADS)
    if getattr(INVENTORY.requests, setting) == number:
        return
    if INVENTORY.is_initialized:
        raise RuntimeError(
            f"{which.capitalize()} op parallelism cannot be modified after initialization."
        )
    setattr(INVENTORY.requests, setting, number)


def set_per_process_memory_growth(enabled: bool = True) -> None:
    """Turns memory growth of all GPUs on or off (TF 2.0 alpha, `tf.config.gpu`).

    Raises:
        RuntimeError: devices are in use.
    """
    _check_open()
    INVENTORY.requests.process_growth = bool(enabled)


def get_per_process_memory_growth() -> bool:
    """Whether growth was turned on for all GPUs (TF 2.0 alpha, `tf.config.gpu`)."""
    return INVENTORY.requests.process_growth


def set_per_process_memory_fraction(fraction: float) -> None:
    """Bounds every GPU to a part of its memory: 0.4 is 40 % (TF 2.0 alpha, `tf.config.gpu`).

    Raises:
        RuntimeError: devices are in use.
        TypeError: `fraction` is not a number.
        ValueError: `fraction` is negative.
    """
    fraction = float(fraction)
    if not fraction >= 0:
        raise ValueError(f"A memory fraction must be at least 0, got {fraction}. 0.4 is 40 %.")
    _check_open()
    INVENTORY.requests.fraction = fraction


def get_per_process_memory_fraction() -> float:
    """The part of each GPU's memory asked for; 0.0 if nothing was (TF 2.0 alpha)."""
    return INVENTORY.requests.fraction


def _check_open() -> None:
    if INVENTORY.is_initialized:
        raise RuntimeError(
            "The memory policy of GPUs must be set at program startup, before devices are used."
        )
