"""`tf.tpu`: not served."""

from ..base.missing import (
    Missing as Missing,
)

_INSTEAD = "There are no TPUs here; use GPUs or virtual GPUs."

XLAOptions = Missing.of("tf.tpu.XLAOptions", _INSTEAD)
experimental = Missing.of("tf.tpu.experimental", _INSTEAD)
