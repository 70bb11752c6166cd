"""`tensorflow.python.distribute.strategy_combinations`: what tests of libraries ask for."""

from __future__ import annotations

from ..devices import config
from ..devices.inventory import LogicalDeviceConfiguration


def set_virtual_cpus_to_at_least(num_virtual_cpus: int) -> None:
    """Makes so many logical CPUs, which has to be done before the devices start.

    Raises:
        ValueError: the number is below 1.
        RuntimeError: the devices have started with other ones.
    """
    if num_virtual_cpus < 1:
        raise ValueError(f"`num` must be at least 1 not {num_virtual_cpus!r}")
    physical = config.list_physical_devices("CPU")
    if len(physical) < num_virtual_cpus:
        wanted = num_virtual_cpus - len(physical) + 1
        parts = [LogicalDeviceConfiguration() for _ in range(wanted)]
        config.set_logical_device_configuration(physical[-1], parts)
