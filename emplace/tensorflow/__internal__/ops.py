"""`tf.__internal__.ops`."""

from ...interop.keras_two import (
    is_resource_variable as is_resource_variable,
)
from ...names.lookup import (
    serve as _serve,
)
from ...ops.nn.weights import (
    broadcast_weights as broadcast_weights,
)

_serve("emplace.tensorflow", ("__internal__.ops",))
