"""`tf.experimental`."""

from ...data.elements.optional import (
    Optional as Optional,
)
from ...ops.extension.batching import (
    BatchableExtensionType as BatchableExtensionType,
    ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder,
)
from ...ops.extension.types import (
    ExtensionType as ExtensionType,
    ExtensionTypeSpec as ExtensionTypeSpec,
)
from ...ops.ragged.partition import (
    RowPartition as RowPartition,
)
from ...ops.ragged.shape import (
    DynamicRaggedShape as DynamicRaggedShape,
)
from .. import (
    dtensor as dtensor,
)
from . import (
    dlpack as dlpack,
    numpy as numpy,
)
