"""`tf.experimental.extension_type`."""

from ...interop.extension_values import (
    as_dict as as_dict,
)
