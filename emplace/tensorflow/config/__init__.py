"""`tf.config`."""

from ...core.context import (
    get_soft_device_placement as get_soft_device_placement,
    set_soft_device_placement as set_soft_device_placement,
)
from ...devices.config import (
    get_logical_device_configuration as get_logical_device_configuration,
    get_visible_devices as get_visible_devices,
    list_logical_devices as list_logical_devices,
    list_physical_devices as list_physical_devices,
    set_logical_device_configuration as set_logical_device_configuration,
    set_visible_devices as set_visible_devices,
)
from ...devices.inventory import (
    LogicalDevice as LogicalDevice,
    LogicalDeviceConfiguration as LogicalDeviceConfiguration,
    PhysicalDevice as PhysicalDevice,
)
from ...graph.function.function import (
    functions_run_eagerly as functions_run_eagerly,
    run_functions_eagerly as run_functions_eagerly,
)
from . import (
    experimental as experimental,
    gpu as gpu,
    optimizer as optimizer,
    threading as threading,
)
