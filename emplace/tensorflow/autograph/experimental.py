"""`tf.autograph.experimental`."""

from ...graph.autograph.settings import (
    Feature,
    do_not_convert,
    set_loop_options,
)
