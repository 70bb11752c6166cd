"""`tf.__internal__.tracking`."""

from ...core.tracking import (
    AutoTrackable,
    Trackable,
    no_automatic_dependency_tracking,
)
