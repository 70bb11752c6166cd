"""`tf.__internal__.ops`."""

from ...interop.keras_two import (
    broadcast_weights as broadcast_weights,
    is_resource_variable as is_resource_variable,
)
