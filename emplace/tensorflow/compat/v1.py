"""`tf.compat.v1`, as far as it does not need graphs."""

from ...base.shapes import (
    Dimension,
)
from ...devices.name import (
    DeviceSpecV1 as DeviceSpec,
)
from ...ops.array.unique import (
    setdiff1d,
)
from ...ops.data_flow.queue_ops import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    QueueBase,
    RandomShuffleQueue,
)
from ...ops.io.csv import (
    decode_csv_v1 as decode_csv,
)
from ...ops.io.decoding import (
    decode_base64,
    decode_compressed,
    encode_base64,
)
from ...ops.io.decoding import (
    decode_raw_v1 as decode_raw,
)
from ...ops.io.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    SparseFeature,
    VarLenFeature,
)
from ...ops.io.features import (
    parse_example_v1 as parse_example,
)
from ...ops.io.features import (
    parse_single_example_v1 as parse_single_example,
)
from ...ops.io.files import (
    matching_files,
    read_file,
    write_file,
)
from ...ops.io.tensor_proto import (
    parse_tensor,
    serialize_tensor,
)
from ...ops.math.clipping import (
    clip_by_average_norm,
)
from ...ops.sparse.tensor import (
    SparseTensorValue,
)
from .. import queue
from . import (
    v1_io as io,
)
from . import (
    v1_nn as nn,
)
from . import (
    v1_python_io as python_io,
)
from . import (
    v1_train as train,
)
