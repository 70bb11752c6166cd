"""`tf.__internal__.autograph`."""

from ...graph.autograph.entry import (
    tf_convert as tf_convert,
)
from ...graph.autograph.settings import (
    control_status_ctx as control_status_ctx,
)
