"""`tf.types.experimental`."""

from . import (
    distributed as distributed,
)
