"""`tf.compat.v1`: what TF 1 has besides TF 2, and what has other arguments there.

Every name that is not here is the same as in TF 2.
"""

from __future__ import annotations

import importlib
from typing import Any

from ....base.shapes import (
    Dimension,
)
from ....core.context import (
    device_v1 as device,
)
from ....devices.name import (
    DeviceSpecV1 as DeviceSpec,
)
from ....graph.config import message
from ....graph.default import (
    SessionGraph as Graph,
)
from ....graph.default import (
    disable_eager_execution,
    disable_v2_behavior,
    enable_eager_execution,
    enable_v2_behavior,
    executing_eagerly_outside_functions,
    get_default_graph,
    reset_default_graph,
)
from ....graph.placeholders import (
    placeholder,
    placeholder_with_default,
    sparse_placeholder,
)
from ....graph.replicas import (
    colocate_with,
)
from ....graph.session import (
    InteractiveSession,
    Session,
    get_default_session,
)
from ....ops.array.unique import (
    setdiff1d,
)
from ....ops.data_flow.queue_ops import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    QueueBase,
    RandomShuffleQueue,
)
from ....ops.io.csv import (
    decode_csv_v1 as decode_csv,
)
from ....ops.io.decoding import (
    decode_base64,
    decode_compressed,
    encode_base64,
)
from ....ops.io.decoding import (
    decode_raw_v1 as decode_raw,
)
from ....ops.io.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    SparseFeature,
    VarLenFeature,
)
from ....ops.io.features import (
    parse_example_v1 as parse_example,
)
from ....ops.io.features import (
    parse_single_example_v1 as parse_single_example,
)
from ....ops.io.files import (
    matching_files,
    read_file,
    write_file,
)
from ....ops.io.tensor_proto import (
    parse_tensor,
    serialize_tensor,
)
from ....ops.math.clipping import (
    clip_by_average_norm,
)
from ....ops.sparse.tensor import (
    SparseTensorValue,
)
from ....training.grouping import group, no_op
from ... import queue
from . import (
    io,
    nn,
    python_io,
    train,
)


def __getattr__(name: str) -> Any:
    found = message(name)
    if found is not None:
        return found
    return getattr(importlib.import_module("emplace.tensorflow"), name)
