"""`tf.dtypes`."""

from ..base.dtypes import (
    QUANTIZED_DTYPES as QUANTIZED_DTYPES,
    DType as DType,
    as_dtype as as_dtype,
    bfloat16 as bfloat16,
    bool_ as _bool,
    complex64 as complex64,
    complex128 as complex128,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    qint8 as qint8,
    qint16 as qint16,
    qint32 as qint32,
    quint8 as quint8,
    quint16 as quint16,
    resource as resource,
    string as string,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
    variant as variant,
)
from ..ops.math.clipping import (
    saturate_cast as saturate_cast,
)
from ..ops.math.complex import (
    complex as complex,
)
from ..ops.math.elementwise import (
    cast as cast,
)
from . import (
    dtypes_experimental as _experimental,
)

# Names that differ from ours, as type checkers want them said.
bool = _bool

half = float16
double = float64
experimental = _experimental
