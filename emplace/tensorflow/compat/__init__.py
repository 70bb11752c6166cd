"""`tf.compat`."""

from ...base.texts import (
    as_bytes,
    as_str_any,
    as_text,
    bytes_or_text_types,
    path_to_str,
)
from ...base.texts import (
    as_text as as_str,
)
from ...classic.functions.arrays import (
    dimension_at_index,
    dimension_value,
)
from . import v1
