"""`tf.compat.v1.autograph`: what has other arguments there; the rest is that of TF 2."""

import importlib
from typing import Any

from ....classic.functions.graphs import (
    to_code as to_code,
    to_graph as to_graph,
)


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.autograph"), name)
