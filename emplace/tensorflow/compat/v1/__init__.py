"""`tf.compat.v1`: what TF 1 has besides TF 2, and what has other arguments there.

Every name that is not here is the same as in TF 2.
"""

from __future__ import annotations

import importlib
from typing import Any

from ....base.dimensions import (
    Dimension as Dimension,
)
from ....base.dtypes import (
    QUANTIZED_DTYPES as QUANTIZED_DTYPES,
)
from ....base.errors import (
    OpError as OpError,
)
from ....base.logger import (
    get_logger as get_logger,
)
from ....classic.functions.arrays import (
    batch_gather as batch_gather,
    batch_to_space as batch_to_space,
    batch_to_space_nd as batch_to_space_nd,
    bincount as bincount,
    boolean_mask as boolean_mask,
    confusion_matrix as confusion_matrix,
    constant as constant,
    convert_to_tensor as convert_to_tensor,
    depth_to_space as depth_to_space,
    dimension_at_index as dimension_at_index,
    dimension_value as dimension_value,
    div as div,
    expand_dims as expand_dims,
    gather as gather,
    gather_nd as gather_nd,
    multinomial as multinomial,
    norm as norm,
    ones_like as ones_like,
    pad as pad,
    random_poisson as random_poisson,
    reverse_sequence as reverse_sequence,
    shape as shape,
    size as size,
    space_to_batch as space_to_batch,
    space_to_depth as space_to_depth,
    squeeze as squeeze,
    string_to_hash_bucket as string_to_hash_bucket,
    string_to_number as string_to_number,
    substr as substr,
    to_bfloat16 as to_bfloat16,
    to_complex64 as to_complex64,
    to_complex128 as to_complex128,
    to_double as to_double,
    to_float as to_float,
    to_int32 as to_int32,
    to_int64 as to_int64,
    transpose as transpose,
    verify_tensor_all_finite as verify_tensor_all_finite,
    where as where,
    zeros_like as zeros_like,
)
from ....classic.functions.assertions import (
    assert_equal as assert_equal,
    assert_greater as assert_greater,
    assert_greater_equal as assert_greater_equal,
    assert_integer as assert_integer,
    assert_less as assert_less,
    assert_less_equal as assert_less_equal,
    assert_near as assert_near,
    assert_negative as assert_negative,
    assert_non_negative as assert_non_negative,
    assert_non_positive as assert_non_positive,
    assert_none_equal as assert_none_equal,
    assert_positive as assert_positive,
    assert_rank as assert_rank,
    assert_rank_at_least as assert_rank_at_least,
    assert_rank_in as assert_rank_in,
    assert_scalar as assert_scalar,
    assert_type as assert_type,
)
from ....classic.functions.graphs import (
    gradients as gradients,
    hessians as hessians,
    tuple_ as _tuple,
)
from ....classic.functions.printing import (
    Print as Print,
)
from ....classic.functions.quantization import (
    quantize_v2 as quantize_v2,
)
from ....classic.functions.reductions import (
    arg_max as arg_max,
    arg_min as arg_min,
    argmax as argmax,
    argmin as argmin,
    count_nonzero as count_nonzero,
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_join as reduce_join,
    reduce_logsumexp as reduce_logsumexp,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
)
from ....classic.functions.sparse import (
    extract_image_patches as extract_image_patches,
    serialize_many_sparse as serialize_many_sparse,
    serialize_sparse as serialize_sparse,
    sparse_add as sparse_add,
    sparse_concat as sparse_concat,
    sparse_reduce_max as sparse_reduce_max,
    sparse_reduce_max_sparse as sparse_reduce_max_sparse,
    sparse_reduce_sum as sparse_reduce_sum,
    sparse_reduce_sum_sparse as sparse_reduce_sum_sparse,
    sparse_segment_mean as sparse_segment_mean,
    sparse_segment_sqrt_n as sparse_segment_sqrt_n,
    sparse_segment_sum as sparse_segment_sum,
    sparse_split as sparse_split,
    sparse_to_dense as sparse_to_dense,
)
from ....classic.functions.strings import (
    string_split as string_split,
)
from ....classic.programs.switches import (
    colocate_with as colocate_with,
    control_flow_v2_enabled as control_flow_v2_enabled,
    disable_control_flow_v2 as disable_control_flow_v2,
    disable_resource_variables as disable_resource_variables,
    enable_control_flow_v2 as enable_control_flow_v2,
    enable_resource_variables as enable_resource_variables,
    resource_variables_enabled as resource_variables_enabled,
)
from ....classic.scopes.assigning import (
    assign as assign,
    assign_add as assign_add,
    assign_sub as assign_sub,
    batch_scatter_update as batch_scatter_update,
    count_up_to as count_up_to,
    scatter_add as scatter_add,
    scatter_div as scatter_div,
    scatter_max as scatter_max,
    scatter_min as scatter_min,
    scatter_mul as scatter_mul,
    scatter_nd_add as scatter_nd_add,
    scatter_nd_sub as scatter_nd_sub,
    scatter_nd_update as scatter_nd_update,
    scatter_sub as scatter_sub,
    scatter_update as scatter_update,
)
from ....classic.scopes.collections import (
    GraphKeys as GraphKeys,
    add_to_collection as add_to_collection,
    add_to_collections as add_to_collections,
    all_variables as all_variables,
    get_collection as get_collection,
    get_collection_ref as get_collection_ref,
    global_variables as global_variables,
    local_variables as local_variables,
    model_variables as model_variables,
    moving_average_variables as moving_average_variables,
    trainable_variables as trainable_variables,
)
from ....classic.scopes.create_parts import (
    create_partitioned_variables as create_partitioned_variables,
)
from ....classic.scopes.initializers import (
    Constant as _constant_initializer,
    GlorotNormal as _glorot_normal_initializer,
    GlorotUniform as _glorot_uniform_initializer,
    Ones as _ones_initializer,
    Orthogonal as _orthogonal_initializer,
    RandomNormal as _random_normal_initializer,
    RandomUniform as _random_uniform_initializer,
    TruncatedNormal as _truncated_normal_initializer,
    UniformUnitScaling as _uniform_unit_scaling_initializer,
    VarianceScaling as _variance_scaling_initializer,
    Zeros as _zeros_initializer,
)
from ....classic.scopes.name_scopes import (
    name_scope_v1 as _name_scope,
    op_scope as op_scope,
)
from ....classic.scopes.readiness import (
    assert_variables_initialized as assert_variables_initialized,
    global_variables_initializer as global_variables_initializer,
    initialize_all_tables as initialize_all_tables,
    initialize_all_variables as initialize_all_variables,
    initialize_local_variables as initialize_local_variables,
    initialize_variables as initialize_variables,
    is_variable_initialized as is_variable_initialized,
    local_variables_initializer as local_variables_initializer,
    report_uninitialized_variables as report_uninitialized_variables,
    tables_initializer as tables_initializer,
    variables_initializer as variables_initializer,
)
from ....classic.scopes.seeds import (
    get_seed as get_seed,
    set_random_seed as set_random_seed,
)
from ....classic.scopes.templates import make_template as make_template
from ....classic.scopes.variable_scope import (
    AUTO_REUSE as AUTO_REUSE,
    VariableScope as VariableScope,
    get_local_variable as get_local_variable,
    get_variable as get_variable,
    get_variable_scope as get_variable_scope,
    no_regularizer as no_regularizer,
    variable_op_scope as variable_op_scope,
    variable_scope as variable_scope,
)
from ....core.context import (
    device_v1 as _device,
)
from ....devices.name import (
    DeviceSpecV1 as _DeviceSpec,
)
from ....graph.control_flow.v1 import (
    cond_v1 as _cond,
    while_loop_v1 as _while_loop,
)
from ....graph.function.python_functions import (
    py_func as py_func,
)
from ....graph.recording.default import (
    disable_eager_execution as disable_eager_execution,
    disable_v2_behavior as disable_v2_behavior,
    disable_v2_tensorshape as disable_v2_tensorshape,
    enable_eager_execution as enable_eager_execution,
    enable_v2_behavior as enable_v2_behavior,
    enable_v2_tensorshape as enable_v2_tensorshape,
    executing_eagerly_outside_functions as executing_eagerly_outside_functions,
    get_default_graph as get_default_graph,
    reset_default_graph as reset_default_graph,
)
from ....graph.recording.grouping import (
    group as group,
    no_op as no_op,
)
from ....graph.representation.graph import (
    Graph as Graph,
)
from ....graph.session.config import (
    message as message,
)
from ....graph.session.session import (
    InteractiveSession as InteractiveSession,
    Session as Session,
    get_default_session as get_default_session,
)
from ....graph.session.values.composites import (
    IndexedSlicesValue as IndexedSlicesValue,
)
from ....graph.session.values.placeholders import (
    placeholder as placeholder,
    placeholder_with_default as placeholder_with_default,
    sparse_placeholder as sparse_placeholder,
)
from ....ops.array.moving import (
    reverse as _reverse_v2,
)
from ....ops.array.scattering import (
    tensor_scatter_nd_add as _tensor_scatter_add,
    tensor_scatter_nd_sub as _tensor_scatter_sub,
    tensor_scatter_nd_update as _tensor_scatter_update,
)
from ....ops.array.select import (
    where as _where_v2,
)
from ....ops.array.sorting import (
    invert_permutation as invert_permutation,
)
from ....ops.array.unique import (
    setdiff1d as setdiff1d,
)
from ....ops.data_flow.accumulator_classes import (
    ConditionalAccumulator as ConditionalAccumulator,
    ConditionalAccumulatorBase as ConditionalAccumulatorBase,
    SparseConditionalAccumulator as SparseConditionalAccumulator,
)
from ....ops.data_flow.queue_classes import (
    FIFOQueue as FIFOQueue,
    PaddingFIFOQueue as PaddingFIFOQueue,
    PriorityQueue as PriorityQueue,
    QueueBase as QueueBase,
    RandomShuffleQueue as RandomShuffleQueue,
)
from ....ops.debugging.assertions import (
    assert_proper_iterable as assert_proper_iterable,
    assert_same_float_dtype as assert_same_float_dtype,
)
from ....ops.debugging.checks import (
    check_numerics as check_numerics,
    is_non_decreasing as is_non_decreasing,
    is_numeric_tensor as is_numeric_tensor,
    is_strictly_increasing as is_strictly_increasing,
)
from ....ops.image.random import (
    random_crop as random_crop,
)
from ....ops.io.csv import (
    decode_csv_v1 as _decode_csv,
)
from ....ops.io.decoding import (
    decode_base64 as decode_base64,
    decode_compressed as decode_compressed,
    decode_raw_v1 as _decode_raw,
    encode_base64 as encode_base64,
)
from ....ops.io.features import (
    FixedLenFeature as FixedLenFeature,
    FixedLenSequenceFeature as FixedLenSequenceFeature,
    SparseFeature as SparseFeature,
    VarLenFeature as VarLenFeature,
    parse_example_v1 as _parse_example,
    parse_single_example_v1 as _parse_single_example,
)
from ....ops.io.files import (
    matching_files as matching_files,
    read_file as read_file,
    write_file as write_file,
)
from ....ops.io.readers import (
    FixedLengthRecordReader as FixedLengthRecordReader,
    IdentityReader as IdentityReader,
    ReaderBase as ReaderBase,
    TextLineReader as TextLineReader,
    TFRecordReader as TFRecordReader,
    WholeFileReader as WholeFileReader,
)
from ....ops.io.sequences import (
    parse_single_sequence_example as parse_single_sequence_example,
)
from ....ops.io.sparse_texts import (
    deserialize_many_sparse as deserialize_many_sparse,
)
from ....ops.io.tensor_proto import (
    parse_tensor as parse_tensor,
    serialize_tensor as serialize_tensor,
)
from ....ops.linalg.decomposition import (
    cholesky as cholesky,
    eigh as _self_adjoint_eig,
    eigvalsh as _self_adjoint_eigvals,
    qr as qr,
    sqrtm as _matrix_square_root,
    svd as svd,
)
from ....ops.linalg.diagonal import (
    band_part as _matrix_band_part,
    diag as _matrix_diag,
    diag_part as _matrix_diag_part,
    set_diag as _matrix_set_diag,
    tensor_diag as _diag,
    tensor_diag_part as _diag_part,
    trace as trace,
)
from ....ops.linalg.norms import (
    cross as cross,
)
from ....ops.linalg.products import (
    matrix_transpose as matrix_transpose,
    sparse_matmul as sparse_matmul,
)
from ....ops.linalg.solving import (
    cholesky_solve as cholesky_solve,
    det as _matrix_determinant,
    inv as _matrix_inverse,
    lstsq as _matrix_solve_ls,
    solve as _matrix_solve,
    triangular_solve as _matrix_triangular_solve,
)
from ....ops.math.clipping import (
    clip_by_average_norm as clip_by_average_norm,
    global_norm as global_norm,
)
from ....ops.math.combine import (
    accumulate_n as accumulate_n,
    linspace as _lin_space,
)
from ....ops.math.complex import (
    angle as angle,
    imag as imag,
    real as real,
)
from ....ops.math.cumulative import (
    cumprod as cumprod,
)
from ....ops.math.elementwise import (
    ceil as ceil,
    conj as conj,
    expm1 as expm1,
    floordiv as _floor_div,
    floordiv as floordiv,
    floormod as _mod,
    floormod as floormod,
    is_finite as is_finite,
    is_inf as is_inf,
    is_nan as is_nan,
    log as log,
    log1p as log1p,
    logical_xor as logical_xor,
    reciprocal as reciprocal,
    rint as rint,
    rsqrt as rsqrt,
    squared_difference as squared_difference,
    truediv as _realdiv,
)
from ....ops.math.guarded import (
    divide_no_nan as _div_no_nan,
)
from ....ops.math.segment import (
    segment_max as segment_max,
    segment_mean as segment_mean,
    segment_min as segment_min,
    segment_prod as segment_prod,
    segment_sum as segment_sum,
    unsorted_segment_max as unsorted_segment_max,
    unsorted_segment_mean as unsorted_segment_mean,
    unsorted_segment_min as unsorted_segment_min,
    unsorted_segment_prod as unsorted_segment_prod,
    unsorted_segment_sqrt_n as unsorted_segment_sqrt_n,
    unsorted_segment_sum as unsorted_segment_sum,
)
from ....ops.math.special import (
    betainc as betainc,
    digamma as digamma,
    erf as erf,
    erfc as erfc,
    igamma as igamma,
    igammac as igammac,
    lbeta as lbeta,
    lgamma as lgamma,
    polygamma as polygamma,
    zeta as zeta,
)
from ....ops.nn.activation import (
    log_sigmoid as log_sigmoid,
)
from ....ops.quantization.fake import (
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
)
from ....ops.quantization.scales import (
    dequantize as dequantize,
    quantize as quantize,
    quantized_concat as quantized_concat,
)
from ....ops.random.stateful import (
    gamma as _random_gamma,
    normal as _random_normal,
    shuffle as _random_shuffle,
    truncated_normal as truncated_normal,
    uniform as _random_uniform,
)
from ....ops.signal.fourier import (
    fft as fft,
    fft2d as fft2d,
    fft3d as fft3d,
    ifft as ifft,
    ifft2d as ifft2d,
    ifft3d as ifft3d,
)
from ....ops.sparse.basic import (
    reorder as _sparse_reorder,
    reset_shape as _sparse_reset_shape,
    reshape as _sparse_reshape,
    retain as _sparse_retain,
    to_dense as _sparse_tensor_to_dense,
    to_indicator as _sparse_to_indicator,
    transpose as _sparse_transpose,
)
from ....ops.sparse.math import (
    maximum as _sparse_maximum,
    minimum as _sparse_minimum,
    softmax as _sparse_softmax,
)
from ....ops.sparse.matmul import (
    sparse_dense_matmul as _sparse_tensor_dense_matmul,
)
from ....ops.sparse.parts import (
    slice_ as _sparse_slice,
)
from ....ops.sparse.rows import (
    fill_empty_rows as _sparse_fill_empty_rows,
)
from ....ops.sparse.tensor import (
    SparseTensorValue as SparseTensorValue,
)
from ....ops.strings.basic import (
    join as _string_join,
    strip as _string_strip,
)
from ....ops.strings.hashing import (
    to_hash_bucket_fast as _string_to_hash_bucket_fast,
    to_hash_bucket_strong as _string_to_hash_bucket_strong,
)
from ....ops.strings.matching import (
    regex_replace as regex_replace,
)
from ....ops.strings.numbers import (
    as_string as as_string,
)
from ... import (
    queue as queue,
)
from ...version import (
    COMPILER_VERSION as COMPILER_VERSION,
    GIT_VERSION as GIT_VERSION,
    GRAPH_DEF_VERSION as GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER,
    GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER,
    VERSION as VERSION,
)
from . import (
    autograph as autograph,
    data as data,
    debugging as debugging,
    distribute as distribute,
    dtypes as dtypes,
    estimator as estimator,
    gfile as gfile,
    image as image,
    initializers as initializers,
    io as io,
    layers as layers,
    linalg as linalg,
    logging as logging,
    losses as losses,
    manip as manip,
    math as math,
    metrics as metrics,
    nn as nn,
    python_io as python_io,
    ragged as ragged,
    random as random,
    resource_loader as resource_loader,
    saved_model as saved_model,
    sets as sets,
    sparse as sparse,
    spectral as spectral,
    strings as strings,
    summary as summary,
    test as test,
    train as train,
)

# Names that differ from ours, as type checkers want them said.
constant_initializer = _constant_initializer
glorot_normal_initializer = _glorot_normal_initializer
glorot_uniform_initializer = _glorot_uniform_initializer
ones_initializer = _ones_initializer
orthogonal_initializer = _orthogonal_initializer
random_normal_initializer = _random_normal_initializer
random_uniform_initializer = _random_uniform_initializer
truncated_normal_initializer = _truncated_normal_initializer
uniform_unit_scaling_initializer = _uniform_unit_scaling_initializer
variance_scaling_initializer = _variance_scaling_initializer
zeros_initializer = _zeros_initializer
name_scope = _name_scope
device = _device
DeviceSpec = _DeviceSpec
cond = _cond
while_loop = _while_loop
tuple = _tuple
reverse_v2 = _reverse_v2
tensor_scatter_add = _tensor_scatter_add
tensor_scatter_sub = _tensor_scatter_sub
tensor_scatter_update = _tensor_scatter_update
where_v2 = _where_v2
decode_csv = _decode_csv
decode_raw = _decode_raw
parse_example = _parse_example
parse_single_example = _parse_single_example
self_adjoint_eig = _self_adjoint_eig
self_adjoint_eigvals = _self_adjoint_eigvals
matrix_square_root = _matrix_square_root
matrix_band_part = _matrix_band_part
matrix_diag = _matrix_diag
matrix_diag_part = _matrix_diag_part
matrix_set_diag = _matrix_set_diag
diag = _diag
diag_part = _diag_part
matrix_determinant = _matrix_determinant
matrix_inverse = _matrix_inverse
matrix_solve_ls = _matrix_solve_ls
matrix_solve = _matrix_solve
matrix_triangular_solve = _matrix_triangular_solve
lin_space = _lin_space
floor_div = _floor_div
mod = _mod
realdiv = _realdiv
div_no_nan = _div_no_nan
random_gamma = _random_gamma
random_normal = _random_normal
random_shuffle = _random_shuffle
random_uniform = _random_uniform
sparse_reorder = _sparse_reorder
sparse_reset_shape = _sparse_reset_shape
sparse_reshape = _sparse_reshape
sparse_retain = _sparse_retain
sparse_tensor_to_dense = _sparse_tensor_to_dense
sparse_to_indicator = _sparse_to_indicator
sparse_transpose = _sparse_transpose
sparse_maximum = _sparse_maximum
sparse_minimum = _sparse_minimum
sparse_softmax = _sparse_softmax
sparse_tensor_dense_matmul = _sparse_tensor_dense_matmul
sparse_slice = _sparse_slice
sparse_fill_empty_rows = _sparse_fill_empty_rows
string_join = _string_join
string_strip = _string_strip
string_to_hash_bucket_fast = _string_to_hash_bucket_fast
string_to_hash_bucket_strong = _string_to_hash_bucket_strong


def __getattr__(name: str) -> Any:
    found = message(name)
    if found is not None:
        return found
    if name == "app":  # absl's flags are loaded only for programs that have some
        return importlib.import_module(".app", __name__)
    if name == "flags":
        return importlib.import_module("absl.flags")
    if name == "keras":
        return importlib.import_module("emplace.keras").load_for_tf1()
    return getattr(importlib.import_module("emplace.tensorflow"), name)
