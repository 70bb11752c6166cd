"""`tf.compat.v1.mixed_precision`."""

from ....names.lookup import (
    serve as _serve,
)
from ....training.loss_scales import (
    DynamicLossScale as DynamicLossScale,
    FixedLossScale as FixedLossScale,
    LossScale as LossScale,
)
from ....training.mixed_precision import (
    MixedPrecisionLossScaleOptimizer as MixedPrecisionLossScaleOptimizer,
    disable_mixed_precision_graph_rewrite as disable_mixed_precision_graph_rewrite,
    enable_mixed_precision_graph_rewrite as enable_mixed_precision_graph_rewrite,
)

_serve("emplace.tensorflow", ("compat.v1.mixed_precision",))
