"""`tf.compat.v1.distribute`."""

from ....distribute.inputs.inputs import (
    InputContext,
    InputReplicationMode,
)
from ....distribute.reductions.cross_device import (
    CrossDeviceOps,
    HierarchicalCopyAllReduce,
    NcclAllReduce,
    ReductionToOneDevice,
)
from ....distribute.replicas.contexts import (
    has_strategy,
    in_cross_replica_context,
)
from ....distribute.replicas.replica_context import (
    ReplicaContext,
    get_replica_context,
)
from ....distribute.replicas.values import (
    ReduceOp,
)
from ....distribute.servers.tasks import (
    Server,
)
from ....distribute.strategies.classic_strategies import (
    MirroredStrategyV1 as MirroredStrategy,
)
from ....distribute.strategies.classic_strategies import (
    OneDeviceStrategyV1 as OneDeviceStrategy,
)
from ....distribute.strategies.classic_strategies import (
    get_loss_reduction,
)
from ....distribute.strategies.extended import (
    Extended as StrategyExtended,
)
from ....distribute.strategies.strategy import (
    RunOptions,
    experimental_set_strategy,
    get_strategy,
)
from ....distribute.strategies.strategy import (
    StrategyV1 as Strategy,
)
from ...distribute import (
    cluster_resolver,
    experimental,
)
