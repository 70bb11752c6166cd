"""`tf.__internal__.saved_model`: what registers types; the format itself is not served."""

from ....names.lookup import (
    serve as _serve,
)
from . import (
    load as load,
)

_serve("emplace.tensorflow", ("__internal__.saved_model",))
