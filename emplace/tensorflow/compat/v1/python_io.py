"""`tf.compat.v1.python_io`."""

from ....ops.io.records import (
    TFRecordCompressionType,
    TFRecordOptions,
    TFRecordWriter,
    tf_record_iterator,
)
