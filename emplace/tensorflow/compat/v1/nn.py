"""`tf.compat.v1.nn`: what has other arguments there; the rest is that of TF 2."""

from __future__ import annotations

import importlib
from typing import Any

from ....ops.nn.normalization import fused_batch_norm


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.nn"), name)
