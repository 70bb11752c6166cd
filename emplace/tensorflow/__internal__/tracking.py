"""`tf.__internal__.tracking`."""

from ...core.tracking import (
    AutoTrackable as AutoTrackable,
    Trackable as Trackable,
    TrackableDataStructure as TrackableDataStructure,
    no_automatic_dependency_tracking as no_automatic_dependency_tracking,
    sticky_attribute_assignment as sticky_attribute_assignment,
)
