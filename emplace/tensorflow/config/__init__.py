"""`tf.config`."""

from ...core.context import get_soft_device_placement, set_soft_device_placement
from ...devices.config import (
    get_logical_device_configuration,
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_logical_device_configuration,
    set_visible_devices,
)
from ...devices.inventory import LogicalDevice, LogicalDeviceConfiguration, PhysicalDevice
from ...graph.function.function import functions_run_eagerly, run_functions_eagerly
from . import experimental, gpu, optimizer, threading
