"""`tf.io`."""

from ...ops.io.csv import (
    decode_csv,
)
from ...ops.io.decoding import (
    decode_base64,
    decode_compressed,
    decode_raw,
    encode_base64,
)
from ...ops.io.tensor_proto import (
    parse_tensor,
    serialize_tensor,
)
