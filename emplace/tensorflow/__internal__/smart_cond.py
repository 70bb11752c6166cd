"""`tf.__internal__.smart_cond`."""

from ...graph.control import (
    cond as smart_cond,
)
