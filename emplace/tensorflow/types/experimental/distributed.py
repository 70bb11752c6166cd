"""`tf.types.experimental.distributed`."""

from ....distribute.replicas.values import (
    DistributedValues,
    Mirrored,
    PerReplica,
)
