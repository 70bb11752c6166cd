"""`tf.compat.v1.dtypes`: what TF 1 has besides TF 2; the rest is that of TF 2."""

import importlib
from typing import Any

from ....ops.strings.numbers import (
    as_string as as_string,
)


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.dtypes"), name)
