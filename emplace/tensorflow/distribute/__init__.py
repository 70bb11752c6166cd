"""`tf.distribute`."""

from ...distribute.inputs.inputs import (
    DistributedDataset,
    DistributedIterator,
    InputContext,
    InputOptions,
    InputReplicationMode,
)
from ...distribute.reductions.cross_device import (
    CrossDeviceOps,
    HierarchicalCopyAllReduce,
    NcclAllReduce,
    ReductionToOneDevice,
)
from ...distribute.replicas.contexts import (
    has_strategy,
    in_cross_replica_context,
)
from ...distribute.replicas.replica_context import (
    ReplicaContext,
    get_replica_context,
)
from ...distribute.replicas.values import (
    DistributedValues,
    ReduceOp,
)
from ...distribute.servers.strategy import (
    ParameterServerStrategy,
)
from ...distribute.servers.tasks import (
    Server,
)
from ...distribute.strategies.extended import (
    Extended as StrategyExtended,
)
from ...distribute.strategies.mirrored import (
    MirroredStrategy,
)
from ...distribute.strategies.one_device import (
    OneDeviceStrategy,
)
from ...distribute.strategies.strategy import (
    RunOptions,
    Strategy,
    experimental_set_strategy,
    get_strategy,
)
from ...distribute.strategies.unsupported import (
    TPUStrategy,
)
from ...distribute.workers.strategy import (
    MultiWorkerMirroredStrategy,
)
from . import (
    cluster_resolver,
    coordinator,
    experimental,
)
