"""`tf.compat.v1.distribute`."""

from ....distribute.inputs.inputs import (
    InputContext as InputContext,
    InputReplicationMode as InputReplicationMode,
)
from ....distribute.reductions.cross_device import (
    CrossDeviceOps as CrossDeviceOps,
    HierarchicalCopyAllReduce as HierarchicalCopyAllReduce,
    NcclAllReduce as NcclAllReduce,
    ReductionToOneDevice as ReductionToOneDevice,
)
from ....distribute.replicas.contexts import (
    has_strategy as has_strategy,
    in_cross_replica_context as in_cross_replica_context,
)
from ....distribute.replicas.replica_context import (
    ReplicaContext as ReplicaContext,
    get_replica_context as get_replica_context,
)
from ....distribute.replicas.values import (
    ReduceOp as ReduceOp,
)
from ....distribute.servers.remote.tasks import (
    Server as Server,
)
from ....distribute.strategies.classic_strategies import (
    MirroredStrategyV1 as _MirroredStrategy,
    OneDeviceStrategyV1 as _OneDeviceStrategy,
    get_loss_reduction as get_loss_reduction,
)
from ....distribute.strategies.extended import (
    Extended as _StrategyExtended,
)
from ....distribute.strategies.strategy import (
    RunOptions as RunOptions,
    StrategyV1 as _Strategy,
    experimental_set_strategy as experimental_set_strategy,
    get_strategy as get_strategy,
)
from ...distribute import (
    cluster_resolver as cluster_resolver,
    experimental as experimental,
)

# Names that differ from ours, as type checkers want them said.
MirroredStrategy = _MirroredStrategy
OneDeviceStrategy = _OneDeviceStrategy
StrategyExtended = _StrategyExtended
Strategy = _Strategy
