"""`tf.summary`."""

from ...summary.values import audio, histogram, image, scalar, text
from ...summary.writers import (
    SummaryWriter,
    create_file_writer,
    create_noop_writer,
    flush,
    record_if,
    should_record_summaries,
    trace_export,
    trace_off,
    trace_on,
    write,
)
from ...summary.writers import write_graph as graph
from . import experimental
