"""`tf.train`."""

from ..state.checkpoint_state import (
    get_checkpoint_state,
    latest_checkpoint,
    list_variables,
    load_checkpoint,
    load_variable,
)
