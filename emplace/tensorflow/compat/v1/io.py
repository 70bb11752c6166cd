"""`tf.compat.v1.io`, as far as it does not need graphs."""

from ....ops.io.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from ....ops.io.features import (
    parse_example_v1 as parse_example,
)
from ....ops.io.features import (
    parse_single_example_v1 as parse_single_example,
)
from ....ops.io.records import (
    TFRecordCompressionType,
    TFRecordOptions,
    TFRecordWriter,
    tf_record_iterator,
)
from ....summary.graph_defs import write_graph
