"""`tf.__internal__.tf2`."""

from ...graph.recording.default import (
    is_tf2 as _enabled,
)

# Names that differ from ours, as type checkers want them said.
enabled = _enabled
