"""`tf.types.experimental.distributed`."""

from ....distribute.values import (
    DistributedValues,
    Mirrored,
    PerReplica,
)
