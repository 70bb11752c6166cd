"""`tf.compat.v1.summary`."""

from tensorboard.compat.proto.event_pb2 import Event, SessionLog, TaggedRunMetadata
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryDescription

from ....summary.file_writer import (
    FileWriter as FileWriter,
    FileWriterCache as FileWriterCache,
)
from ....summary.ops import (
    audio as audio,
    get_summary_description as get_summary_description,
    histogram as histogram,
    image as image,
    merge as merge,
    merge_all as merge_all,
    scalar as scalar,
    tensor_summary as tensor_summary,
    text as text,
)
from ....summary.writers import (
    all_v2_summary_ops as all_v2_summary_ops,
    initialize as initialize,
)
