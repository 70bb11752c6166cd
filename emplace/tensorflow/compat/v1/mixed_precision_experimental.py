"""`tf.compat.v1.mixed_precision.experimental`."""

from ....training.loss_scales import (
    DynamicLossScale as DynamicLossScale,
    FixedLossScale as FixedLossScale,
    LossScale as LossScale,
)
