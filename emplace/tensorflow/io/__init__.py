"""`tf.io`."""

from ...ops.image.codecs import (
    decode_and_crop_jpeg as decode_and_crop_jpeg,
    decode_bmp as decode_bmp,
    decode_gif as decode_gif,
    decode_image as decode_image,
    decode_jpeg as decode_jpeg,
    decode_png as decode_png,
    extract_jpeg_shape as extract_jpeg_shape,
    is_jpeg as is_jpeg,
)
from ...ops.image.encoding import (
    encode_jpeg as encode_jpeg,
    encode_png as encode_png,
)
from ...ops.io.csv import (
    decode_csv as decode_csv,
)
from ...ops.io.decoding import (
    decode_base64 as decode_base64,
    decode_compressed as decode_compressed,
    decode_raw as decode_raw,
    encode_base64 as encode_base64,
)
from ...ops.io.features import (
    FixedLenFeature as FixedLenFeature,
    FixedLenSequenceFeature as FixedLenSequenceFeature,
    RaggedFeature as RaggedFeature,
    SparseFeature as SparseFeature,
    VarLenFeature as VarLenFeature,
    parse_example as parse_example,
    parse_single_example as parse_single_example,
)
from ...ops.io.files import (
    matching_files as matching_files,
    read_file as read_file,
    write_file as write_file,
)
from ...ops.io.records import (
    TFRecordOptions as TFRecordOptions,
    TFRecordWriter as TFRecordWriter,
)
from ...ops.io.sequences import (
    parse_sequence_example as parse_sequence_example,
    parse_single_sequence_example as parse_single_sequence_example,
)
from ...ops.io.sparse_texts import (
    deserialize_many_sparse as deserialize_many_sparse,
    serialize_many_sparse as serialize_many_sparse,
    serialize_sparse as serialize_sparse,
)
from ...ops.io.tensor_proto import (
    parse_tensor as parse_tensor,
    serialize_tensor as serialize_tensor,
)
from ...summary.graph_defs import (
    write_graph as write_graph,
)
from . import (
    gfile as gfile,
)
