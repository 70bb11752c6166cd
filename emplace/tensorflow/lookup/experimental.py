"""`tf.lookup.experimental`."""

from ...ops.lookup.tables import (
    DenseHashTable as DenseHashTable,
    MutableHashTable as MutableHashTable,
)
