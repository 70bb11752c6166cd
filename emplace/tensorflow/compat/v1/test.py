"""`tf.compat.v1.test`: that of TF 2, and what is late (see `emplace/names`)."""

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.test"), name)
