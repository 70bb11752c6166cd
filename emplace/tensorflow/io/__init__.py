"""`tf.io`."""

from ...ops.image.codecs import (
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
from ...ops.io.csv import (
    decode_csv,
)
from ...ops.io.decoding import (
    decode_base64,
    decode_compressed,
    decode_raw,
    encode_base64,
)
from ...ops.io.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
    parse_example,
    parse_single_example,
)
from ...ops.io.files import (
    matching_files,
    read_file,
    write_file,
)
from ...ops.io.records import (
    TFRecordOptions,
    TFRecordWriter,
)
from ...ops.io.sequences import parse_sequence_example, parse_single_sequence_example
from ...ops.io.tensor_proto import (
    parse_tensor,
    serialize_tensor,
)
from ...summary.graph_defs import write_graph
from . import (
    gfile,
)
