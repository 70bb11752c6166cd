"""`tf.distribute`."""

from ...base.missing import (
    Missing,
)
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
    ParameterServerStrategy,
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
    experimental,
)

_INSTEAD = "There is one machine: use tf.distribute.MirroredStrategy."

Server = Missing.of("tf.distribute.Server", _INSTEAD)
coordinator = Missing.of("tf.distribute.coordinator", _INSTEAD)
