"""`tf.gpu`, as the text of TensorFlow 2.0 alpha's guide spells it."""

from ..devices.config import (
    set_per_process_memory_fraction as set_per_process_memory_fraction,
    set_per_process_memory_growth as set_per_process_memory_growth,
)
