"""The TensorFlow 2 facade: `import emplace.tensorflow as tf`.

Nothing is defined here: every name is one of the layers below, under the name TensorFlow gives it.
One file per public namespace.
"""

from ..base import (
    loading as _loading,
)  # first: it stands for all that follows
from ..base.dtypes import (
    DType as DType,
    as_dtype as as_dtype,
    bfloat16 as bfloat16,
    bool_ as _bool,
    complex64 as complex64,
    complex128 as complex128,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    qint8 as qint8,
    qint16 as qint16,
    qint32 as qint32,
    quint8 as quint8,
    quint16 as quint16,
    resource as resource,
    string as string,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
    variant as variant,
)
from ..base.logger import (
    get_logger as get_logger,
)
from ..base.python_random import (
    draw_as_an_import as _draw_as_an_import,
)
from ..base.shapes import (
    TensorShape as TensorShape,
    broadcast_static_shape as broadcast_static_shape,
)
from ..core.aggregation import (
    AggregationMethod as AggregationMethod,
    VariableAggregation as VariableAggregation,
    VariableSynchronization as VariableSynchronization,
)
from ..core.context import (
    device as device,
    executing_eagerly as executing_eagerly,
)
from ..core.ragged import (
    RaggedTensor as RaggedTensor,
)
from ..core.tensor import (
    Tensor as Tensor,
)
from ..core.tensor_spec import (
    TensorSpec as TensorSpec,
)
from ..core.type_spec import (
    TypeSpec as TypeSpec,
)
from ..data.elements.optional import (
    OptionalSpec as OptionalSpec,
)
from ..data.elements.structure import (
    type_spec_from_value as type_spec_from_value,
)
from ..devices.name import (
    DeviceSpec as DeviceSpec,
)
from ..eager import (
    target as _eager,
)  # from here on, ops run when they are called
from ..eager.tape import (
    GradientTape as GradientTape,
    UnconnectedGradients as UnconnectedGradients,
)
from ..eager.variable import (
    Variable as Variable,
)
from ..graph.control_flow.branches import (
    cond as cond,
)
from ..graph.control_flow.gradients import (
    branches_and_loops as _control_gradients,
)
from ..graph.control_flow.gradients.hessians import (
    hessians as hessians,
)
from ..graph.control_flow.loops.functional import (
    foldl as foldl,
    foldr as foldr,
    map_fn as map_fn,
    scan as scan,
)
from ..graph.control_flow.loops.vectorized import (
    vectorized_map as vectorized_map,
)
from ..graph.control_flow.loops.while_loops import (
    while_loop as while_loop,
)
from ..graph.control_flow.switch import (
    case as case,
    switch_case as switch_case,
)
from ..graph.function import (
    inline as _inline,
)
from ..graph.function.custom_gradients import (
    custom_gradient as custom_gradient,
    grad_pass_through as grad_pass_through,
    recompute_grad as recompute_grad,
)
from ..graph.function.function import (
    function as function,
)
from ..graph.function.python_functions import (
    numpy_function as numpy_function,
    py_function as py_function,
)
from ..graph.recording.gradients import (
    gradients as gradients,
)
from ..graph.recording.grouping import (
    group as group,
    no_op as no_op,
    tuple_ as _tuple,
)
from ..graph.recording.module import (
    Module as Module,
)
from ..graph.recording.scopes import (
    control_dependencies as control_dependencies,
    init_scope as init_scope,
    name_scope as name_scope,
)
from ..graph.representation.graph import (
    Graph as Graph,
    Operation as Operation,
)
from ..interop.slices import IndexedSlicesSpec as IndexedSlicesSpec
from ..keras import (
    keras_when_touched as __getattr__,
)
from ..names.lookup import (
    serve as _serve,
)
from ..ops.array.barrier import (
    stop_gradient as stop_gradient,
)
from ..ops.array.gathering import (
    boolean_mask as boolean_mask,
    gather as gather,
    gather_nd as gather_nd,
    unravel_index as unravel_index,
)
from ..ops.array.joining import (
    concat as concat,
    parallel_stack as parallel_stack,
    split as split,
    stack as stack,
    unstack as unstack,
)
from ..ops.array.making import (
    constant as constant,
    fill as fill,
    meshgrid as meshgrid,
    one_hot as one_hot,
    ones as ones,
    ones_like as ones_like,
    range_ as _range,
    zeros as zeros,
    zeros_like as zeros_like,
)
from ..ops.array.moving import (
    reverse as reverse,
    reverse_sequence as reverse_sequence,
    roll as roll,
)
from ..ops.array.partition import (
    dynamic_partition as dynamic_partition,
    dynamic_stitch as dynamic_stitch,
)
from ..ops.array.repeating import (
    pad as pad,
    repeat as repeat,
    tile as tile,
)
from ..ops.array.scattering import (
    scatter_nd as scatter_nd,
    tensor_scatter_nd_add as tensor_scatter_nd_add,
    tensor_scatter_nd_max as tensor_scatter_nd_max,
    tensor_scatter_nd_min as tensor_scatter_nd_min,
    tensor_scatter_nd_sub as tensor_scatter_nd_sub,
    tensor_scatter_nd_update as tensor_scatter_nd_update,
)
from ..ops.array.searching import (
    searchsorted as searchsorted,
)
from ..ops.array.select import (
    where as where,
)
from ..ops.array.shaping import (
    bitcast as bitcast,
    broadcast_dynamic_shape as broadcast_dynamic_shape,
    broadcast_to as broadcast_to,
    ensure_shape as ensure_shape,
    expand_dims as expand_dims,
    get_static_value as get_static_value,
    guarantee_const as guarantee_const,
    identity as identity,
    identity_n as identity_n,
    rank as rank,
    reshape as reshape,
    shape as shape,
    shape_n as shape_n,
    size as size,
    squeeze as squeeze,
    transpose as transpose,
)
from ..ops.array.slicing import (
    slice_ as _slice,
    strided_slice as strided_slice,
)
from ..ops.array.sorting import (
    argsort as argsort,
    sort as sort,
)
from ..ops.array.space import (
    batch_to_space as batch_to_space,
    required_space_to_batch_paddings as required_space_to_batch_paddings,
    space_to_batch as _space_to_batch_nd,
    space_to_batch as space_to_batch,
)
from ..ops.array.tensor_array import (
    TensorArray as TensorArray,
)
from ..ops.array.unique import (
    unique as unique,
    unique_with_counts as unique_with_counts,
)
from ..ops.convert import (
    convert_to_tensor as convert_to_tensor,
    is_tensor as is_tensor,
)
from ..ops.debugging.assertions import (
    assert_equal as assert_equal,
    assert_greater as assert_greater,
    assert_less as assert_less,
)
from ..ops.debugging.checks import (
    Assert as Assert,
)
from ..ops.debugging.shape_assertions import (
    assert_rank as assert_rank,
)
from ..ops.linalg.decomposition import (
    eig as eig,
    eigh as eigh,
    eigvals as eigvals,
    eigvalsh as eigvalsh,
)
from ..ops.linalg.diagonal import (
    eye as eye,
)
from ..ops.linalg.einsum import (
    einsum as einsum,
    tensordot as tensordot,
)
from ..ops.linalg.norms import (
    norm as norm,
)
from ..ops.linalg.products import (
    matmul as matmul,
)
from ..ops.math.clipping import (
    clip_by_global_norm as clip_by_global_norm,
    clip_by_norm as clip_by_norm,
    saturate_cast as saturate_cast,
)
from ..ops.math.combine import (
    linspace as linspace,
    scalar_mul as scalar_mul,
)
from ..ops.math.complex import (
    complex as complex,
)
from ..ops.math.counting import (
    histogram_fixed_width as histogram_fixed_width,
    histogram_fixed_width_bins as histogram_fixed_width_bins,
    sequence_mask as sequence_mask,
)
from ..ops.math.cumulative import (
    cumsum as cumsum,
)
from ..ops.math.elementwise import (
    abs as abs,
    add as add,
    cast as cast,
    clip_by_value as clip_by_value,
    divide as divide,
    equal as equal,
    exp as exp,
    floor as floor,
    greater as greater,
    greater_equal as greater_equal,
    less as less,
    less_equal as less_equal,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    negative as negative,
    not_equal as not_equal,
    pow as pow,
    round as round,
    sigmoid as sigmoid,
    sign as sign,
    sqrt as sqrt,
    square as square,
    subtract as subtract,
    tanh as tanh,
    truediv as truediv,
    truncatediv as truncatediv,
    truncatemod as truncatemod,
)
from ..ops.math.reduction import (
    add_n as add_n,
    argmax as argmax,
    argmin as argmin,
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
)
from ..ops.math.statistics import (
    reduce_logsumexp as reduce_logsumexp,
)
from ..ops.math.trigonometry import (
    acos as acos,
    acosh as acosh,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atan2 as atan2,
    atanh as atanh,
    cos as cos,
    cosh as cosh,
    sin as sin,
    sinh as sinh,
    tan as tan,
)
from ..ops.ragged import (
    elementwise as _ragged_elementwise,
    operators as _ragged_operators,
    products as _ragged_products,
    reduction as _ragged_reduction,
    shape as _ragged_shape,
    text as _ragged_text,
)
from ..ops.ragged.spec import (
    RaggedTensorSpec as RaggedTensorSpec,
)
from ..ops.sparse.distance import (
    edit_distance as edit_distance,
)
from ..ops.sparse.tensor import (
    SparseTensor as SparseTensor,
    SparseTensorSpec as SparseTensorSpec,
)
from ..ops.strings.hashing import (
    fingerprint as fingerprint,
)
from ..ops.strings.numbers import (
    as_string as as_string,
)
from ..ops.strings.printing import (
    print_ as _print,
)
from ..ops.variables.indexed_slices import (
    IndexedSlices as IndexedSlices,
)
from ..summary.tensor_protos import (
    make_ndarray as make_ndarray,
    make_tensor_proto as make_tensor_proto,
)
from . import (
    __internal__,
    audio as audio,
    autodiff as autodiff,
    autograph as autograph,
    bitwise as bitwise,
    compat as compat,
    config as config,
    data as data,
    debugging as debugging,
    distribute as distribute,
    dtensor as dtensor,
    dtypes as dtypes,
    errors as errors,
    experimental as experimental,
    gpu as gpu,
    image as image,
    io as io,
    linalg as linalg,
    lite as lite,
    lookup as lookup,
    math as math,
    nest as nest,
    nn as nn,
    profiler as profiler,
    quantization as quantization,
    queue as queue,
    ragged as ragged,
    random as random,
    raw_ops as raw_ops,
    saved_model as saved_model,
    sets as sets,
    signal as signal,
    sparse as sparse,
    strings as strings,
    summary as summary,
    sysconfig as sysconfig,
    test as test,
    tpu as tpu,
    train as train,
    types as types,
    version as version,
    xla as xla,
)

# Names that differ from ours, as type checkers want them said.
bool = _bool
tuple = _tuple
range = _range
slice = _slice
space_to_batch_nd = _space_to_batch_nd
print = _print

half = float16
double = float64
newaxis = None
__version__ = version.VERSION
__compiler_version__ = version.COMPILER_VERSION

# What is not here may be late, or refused: see emplace/names.
_serve(
    __name__,
    (
        "", "__internal__", "__internal__.distribute", "__internal__.distribute.combinations", "__internal__.nest",
        "__internal__.tracking", "__internal__.types", "compat", "compat.v1",
        "compat.v1.data.experimental", "compat.v1.debugging", 
        "compat.v1.image", "compat.v1.io", "compat.v1.manip",
        "compat.v1.metrics", "compat.v1.nn", "compat.v1.ragged", "compat.v1.random", "compat.v1.saved_model", "compat.v1.train",
        "compat.v1.sparse", "compat.v1.test", "config", "config.experimental",
        "data.experimental", "debugging", "distribute.cluster_resolver", "distribute.coordinator", "errors",
        "distribute.experimental", "dtypes",
        "experimental", "experimental.numpy", "image", "io", "linalg", "lookup.experimental",
        "math", "nn", "profiler.experimental", "quantization", "ragged", "random.experimental",
        "saved_model", "sparse", "sysconfig", "test", "train", "types.experimental",
    ),
)  # fmt: skip

_draw_as_an_import()
_loading.end()
