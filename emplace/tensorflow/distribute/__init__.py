"""`tf.distribute`."""

from ...distribute.elsewhere import (
    MultiWorkerMirroredStrategy,
    ParameterServerStrategy,
    TPUStrategy,
)
from ...distribute.mirrored import (
    MirroredStrategy,
)
from ...distribute.strategy import (
    Extended as StrategyExtended,
)
from ...distribute.strategy import (
    InputContext,
    ReplicaContext,
    Strategy,
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)
from ...distribute.strategy import (
    Strategy as OneDeviceStrategy,
)
from ...distribute.values import (
    DistributedDataset,
    DistributedIterator,
    DistributedValues,
    ReduceOp,
)
from . import (
    experimental,
)
