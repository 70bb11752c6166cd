"""`tf.__internal__.eager_context`."""

from ...interop.keras_two import (
    eager_mode as eager_mode,
    get_device_name as get_device_name,
)
from ...names.lookup import (
    serve as _serve,
)

_serve("emplace.tensorflow", ("__internal__.eager_context",))
