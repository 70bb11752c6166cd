"""`tf.compat.v1`: what TF 1 has besides TF 2, and what has other arguments there.

Every name that is not here is the same as in TF 2.
"""

from __future__ import annotations

import importlib
from typing import Any

from ....base.shapes import (
    Dimension,
)
from ....devices.name import (
    DeviceSpecV1 as DeviceSpec,
)
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
from ....graph.python_functions import (
    py_func,
)
from ....graph.session import (
    InteractiveSession,
    Session,
    get_default_session,
)
from ....ops.array.unique import (
    setdiff1d,
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
from . import nn


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow"), name)
