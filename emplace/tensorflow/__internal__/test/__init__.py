"""`tf.__internal__.test`."""

from ....names.lookup import (
    serve as _serve,
)
from . import (
    combinations as combinations,
)

_serve("emplace.tensorflow", ("__internal__.test",))
