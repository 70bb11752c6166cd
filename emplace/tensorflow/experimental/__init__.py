"""`tf.experimental`."""

from ...base.dtypes import (
    float4_e2m1fn as float4_e2m1fn,
    float8_e4m3b11fnuz as float8_e4m3b11fnuz,
    float8_e4m3fn as float8_e4m3fn,
    float8_e4m3fnuz as float8_e4m3fnuz,
    float8_e5m2 as float8_e5m2,
    float8_e5m2fnuz as float8_e5m2fnuz,
    int2 as int2,
    int4 as int4,
    uint2 as uint2,
    uint4 as uint4,
)
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
