"""`tf.__internal__.monitoring`."""

from ...interop.monitoring import (
    BoolGauge as BoolGauge,
)
