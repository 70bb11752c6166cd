"""`tf.__internal__.function`."""

from ...graph.function.function import (
    Function as Function,
)
