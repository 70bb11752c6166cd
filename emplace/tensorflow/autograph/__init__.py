"""`tf.autograph`."""

from ...graph.autograph.entry import (
    to_code,
    to_graph,
)
from ...graph.autograph.settings import (
    set_verbosity,
    trace,
)
from . import (
    experimental,
)
