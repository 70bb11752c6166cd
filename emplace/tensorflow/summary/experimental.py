"""`tf.summary.experimental`."""

from ...summary.writers import get_step, set_step, summary_scope, write_raw_pb
