"""`tf.compat.v1.train.experimental`."""

from ....names.lookup import (
    serve_module as _serve_module,
)
from ....training.checkpoints.python_state import (
    PythonState as PythonState,
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

_serve_module(__name__, "compat.v1.train.experimental")
