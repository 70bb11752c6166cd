"""`tf.__internal__.tf2`."""

from ...graph.recording.default import (
    is_tf2 as enabled,
)
