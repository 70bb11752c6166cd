"""`tf.compat.v1.io`."""

from ....classic.pipelines.producers import match_filenames_once
from ....ops.data_flow.queue_ops import (
    PaddingFIFOQueue,
    PriorityQueue,
    QueueBase,
    RandomShuffleQueue,
)
from ....ops.image.codecs import (
    decode_and_crop_jpeg,
    decode_bmp,
    decode_gif,
    decode_image,
    decode_jpeg,
    decode_png,
    encode_jpeg,
    encode_png,
    extract_jpeg_shape,
    is_jpeg,
)
from ....ops.io.csv import decode_csv_v1 as decode_csv
from ....ops.io.decoding import decode_base64, decode_compressed, encode_base64
from ....ops.io.decoding import decode_raw_v1 as decode_raw
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
from ....ops.io.files import matching_files, read_file, write_file
from ....ops.io.records import (
    TFRecordCompressionType,
    TFRecordOptions,
    TFRecordWriter,
    tf_record_iterator,
)
from ....ops.io.sequences import parse_sequence_example, parse_single_sequence_example
from ....ops.io.tensor_proto import parse_tensor, serialize_tensor
from ....summary.graph_defs import write_graph
from ...io import gfile as gfile
