"""The TensorFlow 2 facade: `import emplace.tensorflow as tf`.

Nothing is defined here: every name is one of the layers below, under the name TensorFlow gives it.
One file per public namespace.
"""

from ..base.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    qint8,
    qint16,
    qint32,
    quint8,
    quint16,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from ..base.dtypes import (
    bool_ as bool,
)
from ..base.logger import (
    get_logger,
)
from ..base.shapes import (
    TensorShape,
    broadcast_static_shape,
)
from ..core.aggregation import (
    AggregationMethod,
    VariableAggregation,
    VariableSynchronization,
)
from ..core.context import (
    device,
    executing_eagerly,
)
from ..core.ragged import (
    RaggedTensor,
)
from ..core.tensor import (
    Tensor,
)
from ..core.tensor_spec import (
    TensorSpec,
)
from ..core.type_spec import (
    TypeSpec,
)
from ..data.elements.optional import (
    OptionalSpec,
)
from ..data.elements.structure import (
    type_spec_from_value,
)
from ..devices.name import (
    DeviceSpec,
)
from ..eager import target as _eager  # from here on, ops run when they are called
from ..eager.tape import (
    GradientTape,
    UnconnectedGradients,
)
from ..eager.variable import (
    Variable,
)
from ..graph.control_flow import gradients as _control_gradients
from ..graph.control_flow.branches import cond
from ..graph.control_flow.functional import (
    foldl,
    foldr,
    map_fn,
    scan,
)
from ..graph.control_flow.hessians import (
    hessians,
)
from ..graph.control_flow.switch import (
    case,
    switch_case,
)
from ..graph.control_flow.vectorized import (
    vectorized_map,
)
from ..graph.control_flow.while_loops import while_loop
from ..graph.function import inline as _inline
from ..graph.function.custom_gradients import (
    custom_gradient,
    grad_pass_through,
    recompute_grad,
)
from ..graph.function.function import (
    function,
)
from ..graph.function.python_functions import (
    numpy_function,
    py_function,
)
from ..graph.recording.gradients import (
    gradients,
)
from ..graph.recording.grouping import (
    group,
    no_op,
)
from ..graph.recording.grouping import (
    tuple_ as tuple,
)
from ..graph.recording.module import (
    Module,
)
from ..graph.recording.scopes import (
    control_dependencies,
    init_scope,
    name_scope,
)
from ..graph.representation.graph import (
    Graph,
    Operation,
)
from ..keras import (
    keras_when_touched as __getattr__,
)
from ..ops.array.barrier import (
    stop_gradient,
)
from ..ops.array.gathering import (
    boolean_mask,
    gather,
    gather_nd,
    unravel_index,
)
from ..ops.array.joining import (
    concat,
    parallel_stack,
    split,
    stack,
    unstack,
)
from ..ops.array.making import (
    constant,
    fill,
    meshgrid,
    one_hot,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from ..ops.array.making import (
    range_ as range,
)
from ..ops.array.moving import (
    reverse,
    reverse_sequence,
    roll,
)
from ..ops.array.partition import (
    dynamic_partition,
    dynamic_stitch,
)
from ..ops.array.repeating import (
    pad,
    repeat,
    tile,
)
from ..ops.array.scattering import (
    scatter_nd,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
)
from ..ops.array.searching import (
    searchsorted,
)
from ..ops.array.select import (
    where,
)
from ..ops.array.shaping import (
    bitcast,
    broadcast_dynamic_shape,
    broadcast_to,
    ensure_shape,
    expand_dims,
    get_static_value,
    guarantee_const,
    identity,
    identity_n,
    rank,
    reshape,
    shape,
    shape_n,
    size,
    squeeze,
    transpose,
)
from ..ops.array.slicing import (
    slice_ as slice,
)
from ..ops.array.slicing import (
    strided_slice,
)
from ..ops.array.sorting import (
    argsort,
    sort,
)
from ..ops.array.space import (
    batch_to_space,
    required_space_to_batch_paddings,
    space_to_batch,
)
from ..ops.array.space import (
    space_to_batch as space_to_batch_nd,
)
from ..ops.array.tensor_array import (
    TensorArray,
)
from ..ops.array.unique import (
    unique,
    unique_with_counts,
)
from ..ops.convert import (
    convert_to_tensor,
    is_tensor,
)
from ..ops.debugging.assertions import (
    assert_equal,
    assert_greater,
    assert_less,
)
from ..ops.debugging.checks import (
    Assert,
)
from ..ops.debugging.shape_assertions import (
    assert_rank,
)
from ..ops.linalg.decomposition import (
    eig,
    eigh,
    eigvals,
    eigvalsh,
)
from ..ops.linalg.diagonal import (
    eye,
)
from ..ops.linalg.einsum import (
    einsum,
    tensordot,
)
from ..ops.linalg.norms import (
    norm,
)
from ..ops.linalg.products import (
    matmul,
)
from ..ops.math.clipping import (
    clip_by_global_norm,
    clip_by_norm,
    saturate_cast,
)
from ..ops.math.combine import (
    linspace,
    scalar_mul,
)
from ..ops.math.complex import (
    complex,
)
from ..ops.math.counting import (
    histogram_fixed_width,
    histogram_fixed_width_bins,
    sequence_mask,
)
from ..ops.math.cumulative import (
    cumsum,
)
from ..ops.math.elementwise import (
    abs,
    add,
    cast,
    clip_by_value,
    divide,
    equal,
    exp,
    floor,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    pow,
    round,
    sigmoid,
    sign,
    sqrt,
    square,
    subtract,
    tanh,
    truediv,
    truncatediv,
    truncatemod,
)
from ..ops.math.reduction import (
    add_n,
    argmax,
    argmin,
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from ..ops.math.statistics import (
    reduce_logsumexp,
)
from ..ops.math.trigonometry import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    sin,
    sinh,
    tan,
)
from ..ops.ragged import elementwise as _ragged_elementwise
from ..ops.ragged import operators as _ragged_operators
from ..ops.ragged import reduction as _ragged_reduction
from ..ops.ragged import shape as _ragged_shape
from ..ops.ragged.spec import (
    RaggedTensorSpec,
)
from ..ops.sparse.distance import edit_distance
from ..ops.sparse.tensor import (
    SparseTensor,
    SparseTensorSpec,
)
from ..ops.strings.numbers import (
    as_string,
)
from ..ops.strings.printing import (
    print_ as print,
)
from ..ops.variables.indexed_slices import (
    IndexedSlices,
)
from ..summary.tensor_protos import make_ndarray, make_tensor_proto
from . import (
    __internal__,
    audio,
    autodiff,
    autograph,
    bitwise,
    compat,
    config,
    data,
    debugging,
    distribute,
    dtensor,
    dtypes,
    errors,
    experimental,
    gpu,
    image,
    io,
    linalg,
    lite,
    lookup,
    math,
    nest,
    nn,
    profiler,
    quantization,
    queue,
    ragged,
    random,
    raw_ops,
    saved_model,
    sets,
    signal,
    sparse,
    strings,
    summary,
    sysconfig,
    test,
    tpu,
    train,
    types,
    version,
)

half = float16
double = float64
newaxis = None
__version__ = version.VERSION
