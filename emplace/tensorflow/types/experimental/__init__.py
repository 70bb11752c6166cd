"""`tf.types.experimental`."""

from . import (
    distributed,
)
