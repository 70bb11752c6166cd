"""`tf.distribute.cluster_resolver`."""

from ...base.missing import (
    Missing as Missing,
)
from ...distribute.cluster.resolver import (
    ClusterResolver as ClusterResolver,
    SimpleClusterResolver as SimpleClusterResolver,
    UnionResolver as UnionResolver,
)
from ...distribute.cluster.slurm import (
    SlurmClusterResolver as SlurmClusterResolver,
)
from ...distribute.cluster.tf_config import (
    TFConfigClusterResolver as TFConfigClusterResolver,
)

_INSTEAD = "Set TF_CONFIG, or give a SimpleClusterResolver the addresses."

GCEClusterResolver = Missing.of("tf.distribute.cluster_resolver.GCEClusterResolver", _INSTEAD)
KubernetesClusterResolver = Missing.of(
    "tf.distribute.cluster_resolver.KubernetesClusterResolver", _INSTEAD
)
TPUClusterResolver = Missing.of(
    "tf.distribute.cluster_resolver.TPUClusterResolver", "There are no TPUs here."
)
