"""`tf.train.experimental`."""

from ..names.lookup import (
    serve_module as _serve_module,
)
from ..training.checkpoints.python_state import (
    PythonState as PythonState,
)

_serve_module(__name__, "train.experimental")
