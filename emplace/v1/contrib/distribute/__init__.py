"""`tf.contrib.distribute`."""

from ....distribute.classic_strategies import (
    get_loss_reduction,
)
from ....distribute.contexts import (
    has_strategy as has_distribution_strategy,
)
from ....distribute.contexts import (
    in_cross_replica_context,
)
from ....distribute.contrib import (
    DistributeConfig,
    MirroredStrategy,
    OneDeviceStrategy,
    get_cross_replica_context,
    require_replica_context,
)
from ....distribute.contrib import (
    all_reduce_cross_device_ops as AllReduceCrossDeviceOps,  # noqa: N812
)
from ....distribute.contrib import (
    all_reduce_cross_device_ops as AllReduceCrossTowerOps,  # noqa: N812
)
from ....distribute.contrib import (
    get_cross_replica_context as get_cross_tower_context,
)
from ....distribute.contrib import (
    require_replica_context as require_tower_context,
)
from ....distribute.cross_device import (
    CrossDeviceOps,
)
from ....distribute.cross_device import (
    CrossDeviceOps as CrossTowerOps,
)
from ....distribute.cross_device import (
    ReductionToOneDevice as ReductionToOneDeviceCrossDeviceOps,
)
from ....distribute.cross_device import (
    ReductionToOneDevice as ReductionToOneDeviceCrossTowerOps,
)
from ....distribute.elsewhere import (
    ParameterServerStrategy,
    TPUStrategy,
)
from ....distribute.replica_context import (
    ReplicaContext,
    get_replica_context,
)
from ....distribute.replica_context import (
    ReplicaContext as TowerContext,
)
from ....distribute.replica_context import (
    get_replica_context as get_tower_context,
)
from ....distribute.strategy import (
    StrategyV1 as DistributionStrategy,
)
from ....distribute.strategy import (
    get_strategy as get_distribution_strategy,
)
from ....distribute.workers.strategy import (
    MultiWorkerMirroredStrategy as CollectiveAllReduceStrategy,
)
