"""`tf.config.experimental`."""

from ...core.context import (
    get_device_policy as get_device_policy,
    set_device_policy as set_device_policy,
)
from ...core.settings import (
    disable_op_determinism as disable_op_determinism,
    enable_op_determinism as enable_op_determinism,
    enable_tensor_float_32_execution as enable_tensor_float_32_execution,
    get_synchronous_execution as get_synchronous_execution,
    set_synchronous_execution as set_synchronous_execution,
    tensor_float_32_execution_enabled as tensor_float_32_execution_enabled,
)
from ...devices.config import (
    get_device_details as get_device_details,
    get_logical_device_configuration as _get_virtual_device_configuration,
    get_memory_growth as get_memory_growth,
    get_memory_info as get_memory_info,
    get_memory_usage as get_memory_usage,
    get_visible_devices as get_visible_devices,
    list_logical_devices as list_logical_devices,
    list_physical_devices as list_physical_devices,
    reset_memory_stats as reset_memory_stats,
    set_logical_device_configuration as _set_virtual_device_configuration,
    set_memory_growth as set_memory_growth,
    set_visible_devices as set_visible_devices,
)
from ...devices.inventory import (
    LogicalDeviceConfiguration as _VirtualDeviceConfiguration,
)

# Names that differ from ours, as type checkers want them said.
get_virtual_device_configuration = _get_virtual_device_configuration
set_virtual_device_configuration = _set_virtual_device_configuration
VirtualDeviceConfiguration = _VirtualDeviceConfiguration
