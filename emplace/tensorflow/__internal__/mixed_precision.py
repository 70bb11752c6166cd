"""`tf.__internal__.mixed_precision`."""

from ...training.mixed_precision import (
    register_loss_scale_wrapper as register_loss_scale_wrapper,
)
