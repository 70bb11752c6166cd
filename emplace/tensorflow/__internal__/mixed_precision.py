"""`tf.__internal__.mixed_precision`."""

from ...interop.keras_two import (
    register_loss_scale_wrapper as register_loss_scale_wrapper,
)
