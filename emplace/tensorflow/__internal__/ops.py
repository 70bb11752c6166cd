"""`tf.__internal__.ops`."""

from ...interop.keras_two import (
    broadcast_weights as broadcast_weights,
    is_resource_variable as is_resource_variable,
)
from ...names.lookup import (
    serve as _serve,
)

_serve("emplace.tensorflow", ("__internal__.ops",))
