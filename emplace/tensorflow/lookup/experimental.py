"""`tf.lookup.experimental`."""

from ...ops.lookup.tables import (
    MutableHashTable,
)
