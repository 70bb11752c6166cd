"""`tf.distribute`."""

from ...distribute.inputs.inputs import (
    DistributedDataset as DistributedDataset,
    DistributedIterator as DistributedIterator,
    InputContext as InputContext,
    InputOptions as InputOptions,
    InputReplicationMode as InputReplicationMode,
)
from ...distribute.reductions.cross_device import (
    CrossDeviceOps as CrossDeviceOps,
    HierarchicalCopyAllReduce as HierarchicalCopyAllReduce,
    NcclAllReduce as NcclAllReduce,
    ReductionToOneDevice as ReductionToOneDevice,
)
from ...distribute.replicas.contexts import (
    has_strategy as has_strategy,
    in_cross_replica_context as in_cross_replica_context,
)
from ...distribute.replicas.replica_context import (
    ReplicaContext as ReplicaContext,
    get_replica_context as get_replica_context,
)
from ...distribute.replicas.values import (
    DistributedValues as DistributedValues,
    ReduceOp as ReduceOp,
)
from ...distribute.servers.remote.tasks import (
    Server as Server,
)
from ...distribute.servers.strategy import (
    ParameterServerStrategy as ParameterServerStrategy,
)
from ...distribute.strategies.extended import (
    Extended as _StrategyExtended,
)
from ...distribute.strategies.mirrored import (
    MirroredStrategy as MirroredStrategy,
)
from ...distribute.strategies.one_device import (
    OneDeviceStrategy as OneDeviceStrategy,
)
from ...distribute.strategies.strategy import (
    RunOptions as RunOptions,
    Strategy as Strategy,
    experimental_set_strategy as experimental_set_strategy,
    get_strategy as get_strategy,
)
from ...distribute.strategies.unsupported import (
    TPUStrategy as TPUStrategy,
)
from ...distribute.workers.strategy import (
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
)
from . import (
    cluster_resolver as cluster_resolver,
    coordinator as coordinator,
    experimental as experimental,
)

# Names that differ from ours, as type checkers want them said.
StrategyExtended = _StrategyExtended
