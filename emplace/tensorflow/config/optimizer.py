"""`tf.config.optimizer`."""

from ...core.settings import (
    get_experimental_options,
    get_jit,
    set_experimental_options,
    set_jit,
)
