"""`tf.compat.v1.ragged`: what TF 1 has besides TF 2; the rest is that of TF 2."""

import importlib
from typing import Any

from ....graph.session.values.composites import (
    RaggedTensorValue as RaggedTensorValue,
)
from ....graph.session.values.placeholders import (
    ragged_placeholder as placeholder,
)
from ....interop.ragged_values import (
    constant_value as constant_value,
)


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.ragged"), name)
