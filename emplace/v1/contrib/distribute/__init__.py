"""`tf.contrib.distribute`."""

from ....distribute.reductions.cross_device import (
    CrossDeviceOps as CrossDeviceOps,
    CrossDeviceOps as _CrossTowerOps,
    ReductionToOneDevice as _ReductionToOneDeviceCrossDeviceOps,
    ReductionToOneDevice as _ReductionToOneDeviceCrossTowerOps,
)
from ....distribute.replicas.contexts import (
    has_strategy as _has_distribution_strategy,
    in_cross_replica_context as in_cross_replica_context,
)
from ....distribute.replicas.replica_context import (
    ReplicaContext as ReplicaContext,
    ReplicaContext as _TowerContext,
    get_replica_context as _get_tower_context,
    get_replica_context as get_replica_context,
)
from ....distribute.strategies.classic_strategies import (
    get_loss_reduction as get_loss_reduction,
)
from ....distribute.strategies.contrib import (
    DistributeConfig as DistributeConfig,
    MirroredStrategy as MirroredStrategy,
    OneDeviceStrategy as OneDeviceStrategy,
    all_reduce_cross_device_ops as _AllReduceCrossDeviceOps,
    all_reduce_cross_device_ops as _AllReduceCrossTowerOps,
    get_cross_replica_context as _get_cross_tower_context,
    get_cross_replica_context as get_cross_replica_context,
    require_replica_context as _require_tower_context,
    require_replica_context as require_replica_context,
)
from ....distribute.strategies.strategy import (
    StrategyV1 as _DistributionStrategy,
    get_strategy as _get_distribution_strategy,
)
from ....distribute.strategies.unsupported import (
    ParameterServerStrategy as ParameterServerStrategy,
    TPUStrategy as TPUStrategy,
)
from ....distribute.workers.strategy import (
    MultiWorkerMirroredStrategy as _CollectiveAllReduceStrategy,
)

# Names that differ from ours, as type checkers want them said.
CrossTowerOps = _CrossTowerOps
ReductionToOneDeviceCrossDeviceOps = _ReductionToOneDeviceCrossDeviceOps
ReductionToOneDeviceCrossTowerOps = _ReductionToOneDeviceCrossTowerOps
has_distribution_strategy = _has_distribution_strategy
TowerContext = _TowerContext
get_tower_context = _get_tower_context
AllReduceCrossDeviceOps = _AllReduceCrossDeviceOps
AllReduceCrossTowerOps = _AllReduceCrossTowerOps
get_cross_tower_context = _get_cross_tower_context
require_tower_context = _require_tower_context
DistributionStrategy = _DistributionStrategy
get_distribution_strategy = _get_distribution_strategy
CollectiveAllReduceStrategy = _CollectiveAllReduceStrategy
