"""`tf.compat.v1.linalg`: what has other arguments there; the rest is that of TF 2."""

import importlib
from typing import Any

from ....classic.functions.arrays import (
    norm as norm,
)
from ....ops.linalg.products import (
    matrix_transpose as _transpose,
)

# Names that differ from ours, as type checkers want them said.
transpose = _transpose


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.linalg"), name)
