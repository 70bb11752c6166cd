"""`tf.types`."""

from . import (
    experimental as experimental,
)
