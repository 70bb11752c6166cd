"""`tensorflow.python.client.device_lib`: the list of devices that many programs count GPUs with."""

from __future__ import annotations

from typing import Any

from ..base.protos import declare
from ..devices.inventory import INVENTORY

_MESSAGES = declare(
    __name__,
    {
        "DeviceLocality": ["int32 bus_id = 1", "int32 numa_node = 2"],
        "DeviceAttributes": [
            "string name = 1", "string device_type = 2", "int64 memory_limit = 4",
            "DeviceLocality locality = 5", "uint64 incarnation = 6",
            "string physical_device_desc = 7", "int64 xla_global_id = 8",
        ],
    },
)  # fmt: skip
DeviceAttributes = _MESSAGES["DeviceAttributes"]

# TF: what its CPU says that it has.
_CPU_MEMORY = 256 << 20


def list_local_devices(session_config: Any = None) -> list[Any]:
    """The devices of this process, as messages with `name`, `device_type`, `memory_limit` (bytes)
    and `physical_device_desc`
    (`tensorflow.python.client.device_lib.list_local_devices`).

    Args:
        session_config: a `tf.ConfigProto`; its `device_count` limits how many of a type are told.

    >>> from emplace.private.device_lib import list_local_devices
    >>> list_local_devices()[0].name
    '/device:CPU:0'
    """
    limits = dict(getattr(session_config, "device_count", {}))
    return [
        _described(device)
        for device in INVENTORY.devices()
        if device.index < limits.get(device.type, device.index + 1)
    ]


def _described(device: Any) -> Any:
    attributes = DeviceAttributes(
        name=f"/device:{device.type}:{device.index}",
        device_type=device.type,
        memory_limit=device.limit_bytes or _CPU_MEMORY,
        incarnation=id(device),
        physical_device_desc=INVENTORY.description(device),
        xla_global_id=-1,
    )
    attributes.locality.SetInParent()
    return attributes


def list_pluggable_physical_devices() -> list[bytes]:
    """Returns no names: devices are not plugged in
    (`tensorflow.python.pywrap_tfe.TF_ListPluggablePhysicalDevices`).
    """
    return []
