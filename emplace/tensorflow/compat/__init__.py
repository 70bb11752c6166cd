"""`tf.compat`."""

from ...base.texts import (
    as_bytes as as_bytes,
    as_str_any as as_str_any,
    as_text as _as_str,
    as_text as as_text,
    bytes_or_text_types as bytes_or_text_types,
    path_to_str as path_to_str,
)
from ...classic.functions.arrays import (
    dimension_at_index as dimension_at_index,
    dimension_value as dimension_value,
)
from . import (
    v1 as v1,
)

# Names that differ from ours, as type checkers want them said.
as_str = _as_str
