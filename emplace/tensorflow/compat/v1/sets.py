"""`tf.compat.v1.sets`."""

import importlib
from typing import Any

from ....ops.sparse.sets import difference as set_difference
from ....ops.sparse.sets import intersection as set_intersection
from ....ops.sparse.sets import size as set_size
from ....ops.sparse.sets import union as set_union


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.sets"), name)
