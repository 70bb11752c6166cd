"""`tf.distribute.experimental.partitioners`."""

from ...distribute.servers.partitioners import (
    FixedShardsPartitioner,
    MaxSizePartitioner,
    MinSizePartitioner,
    Partitioner,
)
