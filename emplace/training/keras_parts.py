"""What Keras is told of TF 1's optimizers: the guide of TensorFlow 2.0 alpha compiles with one.

The import hook hands the module in when Keras loads it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .optimizers import GradientDescentOptimizer


def adjust_optimizers(module: ModuleType) -> None:
    """Makes `keras.src.optimizers` take TF 1's gradient descent for its own."""
    get = module.get

    @functools.wraps(get)
    def found(identifier: object) -> Any:
        if isinstance(identifier, GradientDescentOptimizer):
            return module.SGD(identifier.learning_rate)
        return get(identifier)

    module.get = found  # type: ignore[attr-defined]


ADJUSTMENTS: dict[str, Callable[[ModuleType], None]] = {"keras.src.optimizers": adjust_optimizers}
