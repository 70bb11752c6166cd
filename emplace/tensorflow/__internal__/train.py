"""`tf.__internal__.train`."""

from ...interop.keras_two import (
    set_using_mixed_precision_policy as set_using_mixed_precision_policy,
)
from ...names.lookup import (
    serve as _serve,
)
from ...state.checkpoint_state import (
    write_checkpoint_state as update_checkpoint_state,
)
from ...training.mixed_precision import (
    is_mixed_precision_graph_rewrite_enabled as is_mixed_precision_graph_rewrite_enabled,
)
from ...training.moving_averages import (
    assign_moving_average as assign_moving_average,
)

_serve("emplace.tensorflow", ("__internal__.train",))
