"""`tf.distribute.coordinator`."""

from ...distribute.servers.coordinator import (
    ClusterCoordinator as ClusterCoordinator,
)
from ...distribute.servers.remote.current import (
    experimental_get_current_worker_index as experimental_get_current_worker_index,
)
from ...distribute.servers.values import (
    PerWorkerValues as _PerWorkerValue,
    RemoteValue as RemoteValue,
)

# Names that differ from ours, as type checkers want them said.
PerWorkerValue = _PerWorkerValue
