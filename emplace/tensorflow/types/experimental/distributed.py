"""`tf.types.experimental.distributed`."""

from ....distribute.replicas.values import (
    DistributedValues as DistributedValues,
    Mirrored as Mirrored,
    PerReplica as PerReplica,
)
