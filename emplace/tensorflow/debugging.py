"""`tf.debugging`."""

from ..observe.placement_log import get_log_device_placement, set_log_device_placement
