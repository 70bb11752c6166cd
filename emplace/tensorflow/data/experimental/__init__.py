"""`tf.data.experimental`."""

from ....data.node import (
    AUTOTUNE,
)
from ....data.node import (
    INFINITE as INFINITE_CARDINALITY,
)
from ....data.node import (
    UNKNOWN as UNKNOWN_CARDINALITY,
)
from ....data.options import (
    AutoShardPolicy,
    AutotuneAlgorithm,
    AutotuneOptions,
    DistributeOptions,
    ExternalStatePolicy,
    OptimizationOptions,
    ServiceOptions,
    ThreadingOptions,
)
