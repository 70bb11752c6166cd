"""`tf.autograph`."""

from ...graph.autograph.entry import (
    to_code as to_code,
    to_graph as to_graph,
)
from ...graph.autograph.settings import (
    set_verbosity as set_verbosity,
    trace as trace,
)
from . import (
    experimental as experimental,
)
