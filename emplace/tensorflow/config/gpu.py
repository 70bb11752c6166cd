"""`tf.config.gpu` of TensorFlow 2.0 alpha."""

from ...devices.config import (
    get_per_process_memory_fraction as get_per_process_memory_fraction,
    get_per_process_memory_growth as get_per_process_memory_growth,
    set_per_process_memory_fraction as set_per_process_memory_fraction,
    set_per_process_memory_growth as set_per_process_memory_growth,
)
