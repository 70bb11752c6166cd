"""`tf.compat.v1`: what TF 1 has besides TF 2, and what has other arguments there.

Every name that is not here is the same as in TF 2.
"""

from __future__ import annotations

import importlib
from typing import Any

from ....base.shapes import (
    Dimension,
)
from ....classic.assigning import (
    assign,
    assign_add,
    assign_sub,
    batch_scatter_update,
    count_up_to,
    scatter_add,
    scatter_div,
    scatter_max,
    scatter_min,
    scatter_mul,
    scatter_nd_add,
    scatter_nd_sub,
    scatter_nd_update,
    scatter_sub,
    scatter_update,
)
from ....classic.collections import (
    GraphKeys,
    add_to_collection,
    add_to_collections,
    all_variables,
    get_collection,
    get_collection_ref,
    global_variables,
    local_variables,
    model_variables,
    moving_average_variables,
    trainable_variables,
)
from ....classic.initializers import (
    Constant as constant_initializer,
)
from ....classic.initializers import (
    GlorotNormal as glorot_normal_initializer,
)
from ....classic.initializers import (
    GlorotUniform as glorot_uniform_initializer,
)
from ....classic.initializers import (
    Ones as ones_initializer,
)
from ....classic.initializers import (
    Orthogonal as orthogonal_initializer,
)
from ....classic.initializers import (
    RandomNormal as random_normal_initializer,
)
from ....classic.initializers import (
    RandomUniform as random_uniform_initializer,
)
from ....classic.initializers import (
    TruncatedNormal as truncated_normal_initializer,
)
from ....classic.initializers import (
    UniformUnitScaling as uniform_unit_scaling_initializer,
)
from ....classic.initializers import (
    VarianceScaling as variance_scaling_initializer,
)
from ....classic.initializers import (
    Zeros as zeros_initializer,
)
from ....classic.readiness import (
    assert_variables_initialized,
    global_variables_initializer,
    initialize_all_tables,
    initialize_all_variables,
    initialize_local_variables,
    initialize_variables,
    is_variable_initialized,
    local_variables_initializer,
    report_uninitialized_variables,
    tables_initializer,
    variables_initializer,
)
from ....classic.seeds import (
    get_seed,
    set_random_seed,
)
from ....classic.variable_scope import (
    AUTO_REUSE,
    VariableScope,
    get_local_variable,
    get_variable,
    get_variable_scope,
    make_template,
    no_regularizer,
    variable_op_scope,
    variable_scope,
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
from ....graph.grouping import (
    group,
    no_op,
)
from ....graph.grouping import (
    tuple_ as tuple,
)
from ....graph.placeholders import (
    placeholder,
    placeholder_with_default,
    sparse_placeholder,
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
from ....ops.random.stateful import (
    gamma as random_gamma,
)
from ....ops.random.stateful import (
    normal as random_normal,
)
from ....ops.random.stateful import (
    poisson as random_poisson,
)
from ....ops.random.stateful import (
    shuffle as random_shuffle,
)
from ....ops.random.stateful import (
    truncated_normal,
)
from ....ops.random.stateful import (
    uniform as random_uniform,
)
from ....ops.sparse.tensor import (
    SparseTensorValue,
)
from . import initializers, nn


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow"), name)
