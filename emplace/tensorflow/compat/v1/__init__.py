"""`tf.compat.v1`: what TF 1 has besides TF 2, and what has other arguments there.

Every name that is not here is the same as in TF 2.
"""

from __future__ import annotations

import importlib
from typing import Any

from ....base.dimensions import Dimension
from ....base.dtypes import QUANTIZED_DTYPES
from ....base.errors import OpError
from ....base.logger import get_logger
from ....classic.functions.arrays import (
    batch_gather,
    batch_to_space,
    batch_to_space_nd,
    bincount,
    boolean_mask,
    confusion_matrix,
    constant,
    convert_to_tensor,
    depth_to_space,
    dimension_at_index,
    dimension_value,
    div,
    expand_dims,
    gather,
    gather_nd,
    multinomial,
    norm,
    ones_like,
    pad,
    random_poisson,
    reverse_sequence,
    shape,
    size,
    space_to_batch,
    space_to_depth,
    squeeze,
    string_to_hash_bucket,
    string_to_number,
    substr,
    to_bfloat16,
    to_complex64,
    to_complex128,
    to_double,
    to_float,
    to_int32,
    to_int64,
    transpose,
    verify_tensor_all_finite,
    where,
    zeros_like,
)
from ....classic.functions.assertions import (
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_negative,
    assert_non_negative,
    assert_non_positive,
    assert_none_equal,
    assert_positive,
    assert_rank,
    assert_rank_at_least,
    assert_rank_in,
    assert_scalar,
)
from ....classic.functions.printing import Print
from ....classic.functions.reductions import (
    arg_max,
    arg_min,
    argmax,
    argmin,
    count_nonzero,
    reduce_all,
    reduce_any,
    reduce_join,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from ....classic.functions.sparse import (
    extract_image_patches,
    sparse_add,
    sparse_concat,
    sparse_reduce_max,
    sparse_reduce_max_sparse,
    sparse_reduce_sum,
    sparse_reduce_sum_sparse,
    sparse_segment_mean,
    sparse_segment_sqrt_n,
    sparse_segment_sum,
    sparse_split,
    sparse_to_dense,
)
from ....classic.functions.strings import string_split
from ....classic.programs.switches import (
    colocate_with,
    control_flow_v2_enabled,
    disable_control_flow_v2,
    disable_resource_variables,
    enable_control_flow_v2,
    enable_resource_variables,
    resource_variables_enabled,
)
from ....classic.scopes.assigning import (
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
from ....classic.scopes.collections import (
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
from ....classic.scopes.initializers import (
    Constant as constant_initializer,
)
from ....classic.scopes.initializers import (
    GlorotNormal as glorot_normal_initializer,
)
from ....classic.scopes.initializers import (
    GlorotUniform as glorot_uniform_initializer,
)
from ....classic.scopes.initializers import (
    Ones as ones_initializer,
)
from ....classic.scopes.initializers import (
    Orthogonal as orthogonal_initializer,
)
from ....classic.scopes.initializers import (
    RandomNormal as random_normal_initializer,
)
from ....classic.scopes.initializers import (
    RandomUniform as random_uniform_initializer,
)
from ....classic.scopes.initializers import (
    TruncatedNormal as truncated_normal_initializer,
)
from ....classic.scopes.initializers import (
    UniformUnitScaling as uniform_unit_scaling_initializer,
)
from ....classic.scopes.initializers import (
    VarianceScaling as variance_scaling_initializer,
)
from ....classic.scopes.initializers import (
    Zeros as zeros_initializer,
)
from ....classic.scopes.name_scopes import name_scope_v1 as name_scope
from ....classic.scopes.name_scopes import op_scope
from ....classic.scopes.readiness import (
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
from ....classic.scopes.seeds import (
    get_seed,
    set_random_seed,
)
from ....classic.scopes.variable_scope import (
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
from ....core.context import (
    device_v1 as device,
)
from ....devices.name import (
    DeviceSpecV1 as DeviceSpec,
)
from ....graph.control_flow.v1 import (
    cond_v1 as cond,
)
from ....graph.control_flow.v1 import (
    while_loop_v1 as while_loop,
)
from ....graph.function.python_functions import (
    py_func,
)
from ....graph.recording.default import (
    disable_eager_execution,
    disable_v2_behavior,
    disable_v2_tensorshape,
    enable_eager_execution,
    enable_v2_behavior,
    enable_v2_tensorshape,
    executing_eagerly_outside_functions,
    get_default_graph,
    reset_default_graph,
)
from ....graph.recording.grouping import (
    group,
    no_op,
)
from ....graph.recording.grouping import (
    tuple_ as tuple,
)
from ....graph.representation.graph import (
    Graph,
)
from ....graph.session.composites import (
    IndexedSlicesValue,
)
from ....graph.session.config import message
from ....graph.session.placeholders import (
    placeholder,
    placeholder_with_default,
    sparse_placeholder,
)
from ....graph.session.session import (
    InteractiveSession,
    Session,
    get_default_session,
)
from ....ops.array.moving import reverse as reverse_v2
from ....ops.array.scattering import tensor_scatter_nd_add as tensor_scatter_add
from ....ops.array.scattering import tensor_scatter_nd_sub as tensor_scatter_sub
from ....ops.array.scattering import tensor_scatter_nd_update as tensor_scatter_update
from ....ops.array.select import where as where_v2
from ....ops.array.sorting import invert_permutation
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
from ....ops.debugging.assertions import (
    assert_integer,
    assert_proper_iterable,
    assert_same_float_dtype,
    assert_type,
)
from ....ops.debugging.checks import (
    check_numerics,
    is_non_decreasing,
    is_numeric_tensor,
    is_strictly_increasing,
)
from ....ops.image.random import random_crop
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
from ....ops.io.readers import (
    FixedLengthRecordReader,
    IdentityReader,
    ReaderBase,
    TextLineReader,
    TFRecordReader,
    WholeFileReader,
)
from ....ops.io.sequences import parse_single_sequence_example
from ....ops.io.tensor_proto import (
    parse_tensor,
    serialize_tensor,
)
from ....ops.linalg.decomposition import cholesky, qr, svd
from ....ops.linalg.decomposition import eigh as self_adjoint_eig
from ....ops.linalg.decomposition import eigvalsh as self_adjoint_eigvals
from ....ops.linalg.decomposition import sqrtm as matrix_square_root
from ....ops.linalg.diagonal import band_part as matrix_band_part
from ....ops.linalg.diagonal import diag as matrix_diag
from ....ops.linalg.diagonal import diag_part as matrix_diag_part
from ....ops.linalg.diagonal import set_diag as matrix_set_diag
from ....ops.linalg.diagonal import tensor_diag as diag
from ....ops.linalg.diagonal import tensor_diag_part as diag_part
from ....ops.linalg.diagonal import trace
from ....ops.linalg.norms import cross
from ....ops.linalg.products import matrix_transpose
from ....ops.linalg.solving import cholesky_solve
from ....ops.linalg.solving import det as matrix_determinant
from ....ops.linalg.solving import inv as matrix_inverse
from ....ops.linalg.solving import lstsq as matrix_solve_ls
from ....ops.linalg.solving import solve as matrix_solve
from ....ops.linalg.solving import triangular_solve as matrix_triangular_solve
from ....ops.math.clipping import (
    clip_by_average_norm,
    global_norm,
)
from ....ops.math.combine import accumulate_n
from ....ops.math.combine import linspace as lin_space
from ....ops.math.complex import angle, imag, real
from ....ops.math.cumulative import cumprod
from ....ops.math.elementwise import (
    ceil,
    conj,
    expm1,
    floordiv,
    floormod,
    is_finite,
    is_inf,
    is_nan,
    log,
    log1p,
    logical_xor,
    reciprocal,
    rint,
    rsqrt,
    squared_difference,
)
from ....ops.math.elementwise import floordiv as floor_div
from ....ops.math.elementwise import floormod as mod
from ....ops.math.elementwise import truediv as realdiv
from ....ops.math.guarded import divide_no_nan as div_no_nan
from ....ops.math.segment import (
    segment_max,
    segment_mean,
    segment_min,
    segment_prod,
    segment_sum,
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)
from ....ops.math.special import (
    betainc,
    digamma,
    erf,
    erfc,
    igamma,
    igammac,
    lbeta,
    lgamma,
    polygamma,
    zeta,
)
from ....ops.nn.activation import log_sigmoid
from ....ops.quantization.fake import (
    fake_quant_with_min_max_args,
    fake_quant_with_min_max_args_gradient,
    fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_gradient,
    fake_quant_with_min_max_vars_per_channel,
    fake_quant_with_min_max_vars_per_channel_gradient,
)
from ....ops.quantization.scales import dequantize, quantize, quantized_concat
from ....ops.quantization.scales import quantize as quantize_v2
from ....ops.random.stateful import (
    gamma as random_gamma,
)
from ....ops.random.stateful import (
    normal as random_normal,
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
from ....ops.signal.fourier import fft, fft2d, fft3d, ifft, ifft2d, ifft3d
from ....ops.sparse.basic import reorder as sparse_reorder
from ....ops.sparse.basic import reset_shape as sparse_reset_shape
from ....ops.sparse.basic import reshape as sparse_reshape
from ....ops.sparse.basic import retain as sparse_retain
from ....ops.sparse.basic import to_dense as sparse_tensor_to_dense
from ....ops.sparse.basic import to_indicator as sparse_to_indicator
from ....ops.sparse.basic import transpose as sparse_transpose
from ....ops.sparse.math import maximum as sparse_maximum
from ....ops.sparse.math import minimum as sparse_minimum
from ....ops.sparse.math import softmax as sparse_softmax
from ....ops.sparse.matmul import sparse_dense_matmul as sparse_tensor_dense_matmul
from ....ops.sparse.parts import slice_ as sparse_slice
from ....ops.sparse.rows import fill_empty_rows as sparse_fill_empty_rows
from ....ops.sparse.tensor import (
    SparseTensorValue,
)
from ....ops.strings.basic import join as string_join
from ....ops.strings.basic import strip as string_strip
from ....ops.strings.hashing import to_hash_bucket_fast as string_to_hash_bucket_fast
from ....ops.strings.hashing import to_hash_bucket_strong as string_to_hash_bucket_strong
from ....ops.strings.matching import regex_replace
from ....ops.strings.numbers import as_string
from ... import queue
from ...version import (
    COMPILER_VERSION,
    GIT_VERSION,
    GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER,
    GRAPH_DEF_VERSION_MIN_PRODUCER,
    VERSION,
)
from . import (
    data,
    distribute,
    estimator,
    gfile,
    image,
    initializers,
    io,
    layers,
    logging,
    losses,
    manip,
    metrics,
    nn,
    python_io,
    random,
    sets,
    spectral,
    strings,
    summary,
    train,
)


def __getattr__(name: str) -> Any:
    found = message(name)
    if found is not None:
        return found
    if name == "app":  # absl's flags are loaded only for programs that have some
        return importlib.import_module(".app", __name__)
    if name == "flags":
        return importlib.import_module("absl.flags")
    return getattr(importlib.import_module("emplace.tensorflow"), name)
