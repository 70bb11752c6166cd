"""Public names whose code is loaded when a program asks for them, and where that code is."""

from __future__ import annotations

from .tables import by_name

_IN = "emplace.interop."
_NUMPY = "emplace.ops.numpy."

# (module, namespace, names); "=*" is the module itself.
NAMES = by_name((
    ("emplace.tensorflow", "compat", "v2=*"),
    ("emplace.tensorflow.__operators__", "", "__operators__=*"),
    (_IN + "initializers", "",
     "constant_initializer=ConstantV2 ones_initializer=OnesV2 zeros_initializer=ZerosV2 "
     "random_normal_initializer=RandomNormalV2 random_uniform_initializer=RandomUniformV2"),
    (_IN + "creators", "", "variable_creator_scope"),
    ("emplace.classic.functions.wrapping", "compat.v1", "wrap_function"),
    (_IN + "creators", "compat.v1", "variable_creator_scope=variable_creator_scope_v1"),
    (_IN + "conversions", "", "register_tensor_conversion_function"),
    (_IN + "gradients", "", "RegisterGradient no_gradient"),
    (_IN + "gradients", "compat.v1", "NoGradient=no_gradient NotDifferentiable=no_gradient"),
    (_IN + "gradient_recording", "__internal__", "record_gradient"),
    (_IN + "xla", "config.experimental", "disable_mlir_bridge"),
    (_IN + "graph_state", "", "get_current_name_scope inside_function is_symbolic_tensor"),
    (_IN + "graph_state", "__internal__", "get_name_scope=get_current_name_scope"),
    (_IN + "slices", "sparse", "mask"),
    (_IN + "slices", "compat.v1",
     "sparse_mask=mask convert_to_tensor_or_indexed_slices "
     "convert_to_tensor_or_sparse_tensor"),
    (_IN + "partitioners", "compat.v1",
     "fixed_size_partitioner min_max_variable_partitioner variable_axis_size_partitioner"),
    (_IN + "kinds", "types.experimental",
     "AtomicFunction Callable ConcreteFunction=ConcreteFunctionType FunctionType "
     "GenericFunction=PolymorphicFunction PolymorphicFunction SupportsTracingProtocol "
     "TensorLike TraceType"),
    (_IN + "compatibility", "compat",
     "complex_types forward_compatibility_horizon forward_compatible integral_types "
     "real_types"),
    (_IN + "compatibility", "debugging",
     "disable_traceback_filtering enable_traceback_filtering "
     "is_traceback_filtering_enabled"),
    (_IN + "compatibility", "experimental", "enable_strict_mode"),
    (_IN + "tensor_equality", "compat.v1", "disable_tensor_equality enable_tensor_equality"),
    (_IN + "type_dispatch", "experimental", "dispatch_for_api unregister_dispatch_for"),
    (_IN + "elementwise_dispatch", "experimental",
     "dispatch_for_binary_elementwise_apis dispatch_for_binary_elementwise_assert_apis "
     "dispatch_for_unary_elementwise_apis"),
    (_IN + "compatibility", "test",
     "disable_with_predicate is_built_with_xla is_cpu_target_available "
     "with_eager_op_as_function"),
    (_IN + "test_case", "compat.v1.test", "get_temp_dir mock"),
    (_IN + "test_gradients", "test", "compute_gradient"),
    (_IN + "test_gradients_v1", "compat.v1.test", "compute_gradient compute_gradient_error"),
    (_IN + "test_graph_defs", "test", "assert_equal_graph_def"),
    (_IN + "test_graph_defs", "compat.v1.test",
     "assert_equal_graph_def=assert_equal_graph_def_v1"),
    (_IN + "test_case", "test", "TestCase=TensorFlowTestCase main"),
    (_IN + "nesting", "__internal__.nest", "get_traverse_shallow_structure is_attrs sequence_like"),
    ("emplace.graph.function.function", "config",
     "experimental_functions_run_eagerly=functions_run_eagerly "
     "experimental_run_functions_eagerly=run_functions_eagerly"),
    ("emplace.tensorflow.linalg_experimental", "linalg", "experimental=*"),
    ("emplace.interop.operators.family", "linalg",
     "LinearOperator LinearOperatorAdjoint LinearOperatorBlockDiag "
     "LinearOperatorBlockLowerTriangular LinearOperatorCirculant LinearOperatorCirculant2D "
     "LinearOperatorCirculant3D LinearOperatorTridiag "
     "LinearOperatorComposition LinearOperatorInversion LinearOperatorKronecker "
     "LinearOperatorLowRankUpdate"),
    ("emplace.interop.operators.family", "linalg",
     "LinearOperatorDiag LinearOperatorFullMatrix LinearOperatorHouseholder "
     "LinearOperatorIdentity LinearOperatorLowerTriangular LinearOperatorPermutation "
     "LinearOperatorScaledIdentity LinearOperatorToeplitz LinearOperatorZeros"),
    ("emplace.data.library.saving", "data.experimental", "make_saveable_from_iterator"),
    ("emplace.data.library.saving", "compat.v1.data.experimental", "make_saveable_from_iterator"),
    ("emplace.tensorflow.compat.v1.mixed_precision", "compat.v1", "mixed_precision=*"),
    ("emplace.tensorflow.compat.v1.mixed_precision_experimental", "compat.v1.mixed_precision",
     "experimental=*"),
    ("emplace.tensorflow.train_experimental", "train", "experimental=*"),
    ("emplace.tensorflow.compat.v1.train_experimental", "compat.v1.train", "experimental=*"),
    ("emplace.training.checkpoints.checkpoint_options", "train", "CheckpointOptions"),
    ("emplace.training.checkpoints.checkpoint_options", "compat.v1.train", "CheckpointOptions"),
    ("emplace.ops.linalg.decomposition", "", "matrix_square_root=sqrtm"),
    ("emplace.ops.math.elementwise", "", "realdiv=truediv"),
    ("emplace.graph.representation.graph", "__internal__", "SymbolicTensor"),
    ("emplace.tensorflow.__internal__.decorator", "__internal__", "decorator=*"),
    ("emplace.tensorflow.__internal__.dispatch", "__internal__", "dispatch=*"),
    ("emplace.tensorflow.__internal__.feature_column", "__internal__", "feature_column=*"),
    ("emplace.tensorflow.feature_column", "", "feature_column=*"),
    ("emplace.tensorflow.compat.v1.feature_column", "compat.v1", "feature_column=*"),
    ("emplace.tensorflow.__internal__.eager_context", "__internal__", "eager_context=*"),
    ("emplace.tensorflow.__internal__.function", "__internal__", "function=*"),
    ("emplace.tensorflow.__internal__.saved_model", "__internal__", "saved_model=*"),
    ("emplace.tensorflow.__internal__.monitoring", "__internal__", "monitoring=*"),
    ("emplace.tensorflow.__internal__.mixed_precision", "__internal__", "mixed_precision=*"),
    ("emplace.tensorflow.__internal__.ops", "__internal__", "ops=*"),
    ("emplace.tensorflow.__internal__.test", "__internal__", "test=*"),
    ("emplace.tensorflow.__internal__.train", "__internal__", "train=*"),
    (_IN + "keras_two", "__internal__",
     "get_enclosing_xla_context is_tfrt_enabled load_context "
     "register_call_context_function register_clear_session_function "
     "register_get_session_function register_load_model_function"),
    (_IN + "keras_two", "__internal__.tracking",
     "DelegatingTrackableMixin TrackableReference register_session_provider"),
    ("emplace.distribute.servers.sharded", "__internal__.distribute", "ShardedVariable"),
    ("emplace.distribute.servers.values", "distribute.coordinator", "PerWorkerValues"),
    ("emplace.tensorflow.experimental.extension_type", "experimental", "extension_type=*"),
    ("emplace.tensorflow.__internal__.types.data", "__internal__.types", "data=*"),
    (_IN + "kinds", "__internal__.types", "Tensor=TensorType"),
    ("numpy", "experimental.numpy",
     "complex_=complex128 float_=float64 string_=bytes_ unicode_=str_"),
    ("emplace.ops.nn.isotonic", "nn", "isotonic_regression"),
    ("emplace.ops.nn.fractional_pool", "nn", "fractional_avg_pool fractional_max_pool"),
    ("emplace.ops.nn.fractional_pool", "compat.v1.nn",
     "fractional_avg_pool=fractional_avg_pool_v1 fractional_max_pool=fractional_max_pool_v1"),
    ("emplace.ops.array.volume_patches", "", "extract_volume_patches"),
    ("emplace.ops.image.frames", "image", "draw_bounding_boxes"),
    ("emplace.ops.image.frames", "compat.v1.image", "draw_bounding_boxes=draw_bounding_boxes_v1"),
    ("emplace.ops.sparse.sampled_product", "sparse", "sampled_addmm"),
    ("emplace.classic.functions.sparse", "compat.v1", "sparse_merge"),
    ("emplace.classic.functions.sparse", "compat.v1.sparse", "merge=sparse_merge"),
    ("emplace.classic.functions.images", "compat.v1.image", "resize_image_with_pad"),
    ("emplace.ops.image.random_boxes", "image",
     "sample_distorted_bounding_box stateless_sample_distorted_bounding_box"),
    ("emplace.ops.image.random_boxes", "compat.v1.image",
     "sample_distorted_bounding_box=sample_distorted_bounding_box_v1"),
    ("emplace.ops.image.codecs", "image", "decode_webp"),
    ("emplace.ops.image.codecs", "io", "decode_webp"),
    (_IN + "numpy_behavior", "experimental.numpy", "experimental_enable_numpy_behavior"),
    (_NUMPY + "random", "experimental.numpy", "random=*"),
    (_NUMPY + "elementary", "experimental.numpy",
     "angle arccosh arcsinh arctanh around bitwise_not cbrt conj conjugate deg2rad divmod exp2 "
     "fabs fix float_power gcd heaviside hypot imag iscomplex iscomplexobj isneginf isposinf "
     "isreal isrealobj lcm log10 log2 logaddexp logaddexp2 nanmean nanprod nansum nextafter "
     "positive ptp rad2deg real reciprocal round=round_ signbit sinc"),
    (_NUMPY + "pieces", "experimental.numpy",
     "append argsort asanyarray ascontiguousarray atleast_3d broadcast_arrays compress dsplit "
     "dstack empty_like flatten fliplr flipud hsplit ix_ pad rot90 sort vsplit"),
    (_NUMPY + "matrices", "experimental.numpy",
     "cross diag diag_indices diagflat diagonal einsum geomspace kron logspace polyval "
     "tensordot trace tri vander"),
    ("emplace.tensorflow.sysconfig", "compat.v1", "CXX11_ABI_FLAG CXX_VERSION MONOLITHIC_BUILD"),
    ("emplace.ops.array.space", "compat.v1.manip", "batch_to_space_nd=batch_to_space"),
    ("emplace.classic.functions.arrays", "compat.v1.manip", "gather_nd"),
    ("emplace.ops.array.shaping", "compat.v1.manip", "reshape"),
    ("emplace.tensorflow.compat.v1", "compat.v1.debugging",
     "is_finite is_inf is_nan is_non_decreasing is_strictly_increasing"),
    ("emplace.classic.functions.sparse", "compat.v1.image", "extract_image_patches"),
))  # fmt: skip
