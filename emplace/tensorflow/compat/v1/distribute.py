"""`tf.compat.v1.distribute`."""

from ....distribute.contexts import (
    has_strategy,
    in_cross_replica_context,
)
from ....distribute.cross_device import (
    CrossDeviceOps,
    HierarchicalCopyAllReduce,
    NcclAllReduce,
    ReductionToOneDevice,
)
from ....distribute.extended import (
    Extended as StrategyExtended,
)
from ....distribute.inputs import (
    InputContext,
    InputReplicationMode,
)
from ....distribute.mirrored import (
    MirroredStrategy,
)
from ....distribute.one_device import (
    OneDeviceStrategy,
)
from ....distribute.replica_context import (
    ReplicaContext,
    get_replica_context,
)
from ....distribute.strategy import (
    RunOptions,
    Strategy,
    experimental_set_strategy,
    get_strategy,
)
from ....distribute.values import (
    ReduceOp,
)
from ...distribute import (
    cluster_resolver,
    experimental,
)
