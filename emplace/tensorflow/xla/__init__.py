"""`tf.xla`."""

from . import (
    experimental as experimental,
)
