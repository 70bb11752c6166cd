"""`tf.dtypes`."""

from ..base.dtypes import (
    QUANTIZED_DTYPES,
    DType,
    as_dtype,
    bfloat16,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    qint8,
    qint16,
    qint32,
    quint8,
    quint16,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from ..base.dtypes import bool_ as bool
from ..ops.math.clipping import saturate_cast
from ..ops.math.complex import complex
from ..ops.math.elementwise import cast

half = float16
double = float64
