"""`tf.distribute`."""

from ...distribute.contexts import (
    has_strategy,
    in_cross_replica_context,
)
from ...distribute.cross_device import (
    CrossDeviceOps,
    HierarchicalCopyAllReduce,
    NcclAllReduce,
    ReductionToOneDevice,
)
from ...distribute.elsewhere import (
    TPUStrategy,
)
from ...distribute.extended import (
    Extended as StrategyExtended,
)
from ...distribute.inputs import (
    DistributedDataset,
    DistributedIterator,
    InputContext,
    InputOptions,
    InputReplicationMode,
)
from ...distribute.mirrored import (
    MirroredStrategy,
)
from ...distribute.one_device import (
    OneDeviceStrategy,
)
from ...distribute.replica_context import (
    ReplicaContext,
    get_replica_context,
)
from ...distribute.servers.strategy import (
    ParameterServerStrategy,
)
from ...distribute.servers.tasks import (
    Server,
)
from ...distribute.strategy import (
    RunOptions,
    Strategy,
    experimental_set_strategy,
    get_strategy,
)
from ...distribute.values import (
    DistributedValues,
    ReduceOp,
)
from ...distribute.workers.strategy import (
    MultiWorkerMirroredStrategy,
)
from . import (
    cluster_resolver,
    coordinator,
    experimental,
)
