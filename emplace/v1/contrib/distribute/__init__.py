"""`tf.contrib.distribute`."""

from ....distribute.reductions.cross_device import (
    CrossDeviceOps,
)
from ....distribute.reductions.cross_device import (
    CrossDeviceOps as CrossTowerOps,
)
from ....distribute.reductions.cross_device import (
    ReductionToOneDevice as ReductionToOneDeviceCrossDeviceOps,
)
from ....distribute.reductions.cross_device import (
    ReductionToOneDevice as ReductionToOneDeviceCrossTowerOps,
)
from ....distribute.replicas.contexts import (
    has_strategy as has_distribution_strategy,
)
from ....distribute.replicas.contexts import (
    in_cross_replica_context,
)
from ....distribute.replicas.replica_context import (
    ReplicaContext,
    get_replica_context,
)
from ....distribute.replicas.replica_context import (
    ReplicaContext as TowerContext,
)
from ....distribute.replicas.replica_context import (
    get_replica_context as get_tower_context,
)
from ....distribute.strategies.classic_strategies import (
    get_loss_reduction,
)
from ....distribute.strategies.contrib import (
    DistributeConfig,
    MirroredStrategy,
    OneDeviceStrategy,
    get_cross_replica_context,
    require_replica_context,
)
from ....distribute.strategies.contrib import (
    all_reduce_cross_device_ops as AllReduceCrossDeviceOps,  # noqa: N812
)
from ....distribute.strategies.contrib import (
    all_reduce_cross_device_ops as AllReduceCrossTowerOps,  # noqa: N812
)
from ....distribute.strategies.contrib import (
    get_cross_replica_context as get_cross_tower_context,
)
from ....distribute.strategies.contrib import (
    require_replica_context as require_tower_context,
)
from ....distribute.strategies.strategy import (
    StrategyV1 as DistributionStrategy,
)
from ....distribute.strategies.strategy import (
    get_strategy as get_distribution_strategy,
)
from ....distribute.strategies.unsupported import (
    ParameterServerStrategy,
    TPUStrategy,
)
from ....distribute.workers.strategy import (
    MultiWorkerMirroredStrategy as CollectiveAllReduceStrategy,
)
