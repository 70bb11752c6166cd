"""`tf.lookup.experimental`."""

from ...ops.lookup.tables import (
    MutableHashTable as MutableHashTable,
)
