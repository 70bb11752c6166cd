"""`tf.compat.v1.summary`."""

from tensorboard.compat.proto.event_pb2 import Event, SessionLog, TaggedRunMetadata
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryDescription

from ....summary.file_writer import FileWriter, FileWriterCache
from ....summary.ops import (
    audio,
    get_summary_description,
    histogram,
    image,
    merge,
    merge_all,
    scalar,
    tensor_summary,
    text,
)
from ....summary.writers import all_v2_summary_ops, initialize
