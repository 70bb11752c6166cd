"""`tf.distribute.coordinator`."""

from ...distribute.servers.coordinator import (
    ClusterCoordinator,
)
from ...distribute.servers.current import (
    experimental_get_current_worker_index,
)
from ...distribute.servers.values import (
    PerWorkerValues as PerWorkerValue,
)
from ...distribute.servers.values import (
    RemoteValue,
)
