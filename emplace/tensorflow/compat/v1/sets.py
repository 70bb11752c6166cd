"""`tf.compat.v1.sets`."""

import importlib
from typing import Any

from ....ops.sparse.sets import (
    difference as _set_difference,
    intersection as _set_intersection,
    size as _set_size,
    union as _set_union,
)

# Names that differ from ours, as type checkers want them said.
set_difference = _set_difference
set_intersection = _set_intersection
set_size = _set_size
set_union = _set_union


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.sets"), name)
