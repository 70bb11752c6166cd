"""`tf.summary`."""

from ...summary.values import (
    audio as audio,
    histogram as histogram,
    image as image,
    scalar as scalar,
    text as text,
)
from ...summary.writers import (
    SummaryWriter as SummaryWriter,
    create_file_writer as create_file_writer,
    create_noop_writer as create_noop_writer,
    flush as flush,
    record_if as record_if,
    should_record_summaries as should_record_summaries,
    trace_export as trace_export,
    trace_off as trace_off,
    trace_on as trace_on,
    write as write,
    write_graph as _graph,
)
from . import (
    experimental as experimental,
)

# Names that differ from ours, as type checkers want them said.
graph = _graph
