"""`tf.compat.v1.distribute`."""

from ....distribute.classic_strategies import (
    MirroredStrategyV1 as MirroredStrategy,
)
from ....distribute.classic_strategies import (
    OneDeviceStrategyV1 as OneDeviceStrategy,
)
from ....distribute.classic_strategies import (
    get_loss_reduction,
)
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
from ....distribute.replica_context import (
    ReplicaContext,
    get_replica_context,
)
from ....distribute.servers.tasks import (
    Server,
)
from ....distribute.strategy import (
    RunOptions,
    experimental_set_strategy,
    get_strategy,
)
from ....distribute.strategy import (
    StrategyV1 as Strategy,
)
from ....distribute.values import (
    ReduceOp,
)
from ...distribute import (
    cluster_resolver,
    experimental,
)
