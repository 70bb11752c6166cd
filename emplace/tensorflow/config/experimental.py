"""`tf.config.experimental`."""

from ...core.context import get_device_policy, set_device_policy
from ...core.settings import (
    disable_op_determinism,
    enable_op_determinism,
    enable_tensor_float_32_execution,
    get_synchronous_execution,
    set_synchronous_execution,
    tensor_float_32_execution_enabled,
)
from ...devices.config import (
    get_device_details,
    get_memory_growth,
    get_memory_info,
    get_memory_usage,
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    reset_memory_stats,
    set_memory_growth,
    set_visible_devices,
)
from ...devices.config import (
    get_logical_device_configuration as get_virtual_device_configuration,
)
from ...devices.config import (
    set_logical_device_configuration as set_virtual_device_configuration,
)
from ...devices.inventory import LogicalDeviceConfiguration as VirtualDeviceConfiguration
