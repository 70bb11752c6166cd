"""`tf.profiler`."""

from . import (
    experimental as experimental,
)
