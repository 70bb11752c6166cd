"""Private names of TensorFlow that it exports under no public one, and where ours are."""

from __future__ import annotations

from ..names.tables import by_name

_HERE = "emplace.private."
_V1 = "emplace.tensorflow.compat.v1"

# Modules that stand in for a private one where nothing else has a name.
STAND_INS: dict[str, tuple[str, ...]] = {
    "distribute.strategy_combinations": ("emplace.private.strategy_combinations",),
    "eager.monitoring": ("emplace.interop.monitoring",),
    "eager.record": ("emplace.private.record",),
    "client.timeline": ("emplace.observe.timeline",),
    "trackable.data_structures": ("emplace.core.tracked_containers",),
    "framework.errors_impl": ("emplace.tensorflow.errors",),
    "framework.ops": (_V1,),
    "lib.io.tf_record": (_V1 + ".python_io",),
    "ops.array_ops": (_V1,),
    "ops.check_ops": (_V1,),
    "ops.control_flow_ops": (_V1,),
    "ops.init_ops": (_V1,),
    "ops.linalg_ops": ("emplace.tensorflow.linalg", _V1),
    "ops.math_ops": ("emplace.tensorflow.math", _V1),
    "ops.nn": ("emplace.tensorflow.nn", _V1 + ".nn"),
    "ops.nn_ops": ("emplace.tensorflow.nn", _V1 + ".nn"),
    "ops.random_ops": (_V1 + ".random", _V1),
    "ops.rnn": (_V1 + ".nn",),
    "ops.rnn_cell": (_V1 + ".rnn_cell",),
    "ops.state_ops": (_V1,),
    "ops.string_ops": ("emplace.tensorflow.strings", _V1),
    "ops.variable_scope": (_V1,),
    "ops.variables": (_V1,),
    "ops.linalg.linalg": ("emplace.tensorflow.linalg",),
    "platform.gfile": (_V1 + ".gfile",),
    "platform.test": (_V1 + ".test",),
    "platform.googletest": (_V1 + ".test",),
    "platform.flags": ("absl.flags",),
    "platform.tf_logging": (_V1 + ".logging",),
    "summary.summary": (_V1 + ".summary",),
    "training.training": (_V1 + ".train",),
    "training.training_util": (_V1 + ".train",),
    **{
        f"autograph.pyct.{name}": (f"malt.pyct.{name}",)
        for name in (
            "anno",
            "inspect_utils",
            "loader",
            "naming",
            "parser",
            "qual_names",
            "templates",
            "transformer",
            "static_analysis.activity",
            "common_transformers.anf",
        )
    },
    **{
        f"autograph.{name}": (f"malt.{name}",)
        for name in (
            "core.converter",
            "converters.break_statements",
            "converters.continue_statements",
            "converters.return_statements",
        )
    },
    "util.compat": ("emplace.tensorflow.compat",),
    "util.nest": ("emplace.tensorflow.nest", "emplace.tensorflow.__internal__.nest"),
    "util.tf_inspect": ("emplace.private.tf_inspect",),
    "util.object_identity": ("emplace.private.object_identity",),
}

# Names that libraries import and seldom use: classes that nothing here is an instance of, functions
# that raise when they are called.
NEVER: dict[str, str] = {
    "data.ops.from_generator_op": "_GeneratorDataset",
    "data.ops.from_sparse_tensor_slices_op": "_SparseTensorSliceDataset",
    "data.ops.from_tensor_slices_op": "_TensorSliceDataset",
    "data.ops.from_tensors_op": "_TensorDataset",
    "data.ops.range_op": "_RangeDataset",
    "distribute.input_lib": "DistributedDataset DistributedIterator",
    "ops.random_ops": "parameterized_truncated_normal",
    "ops.lookup_ops": "LookupInterface",
    "trackable.resource": "RestoredResource TrackableResource CapturableResource",
}

# (module, private module, names).
NAMES = by_name((
    (_HERE + "marks", "util.deprecation",
     "deprecated deprecated_alias deprecated_arg_values deprecated_args "
     "deprecated_argument_lookup deprecated_endpoints hide_attribute_from_api "
     "rewrite_argument_docstring silence"),
    (_HERE + "marks", "util.tf_export",
     "api_export get_canonical_name_for_symbol get_symbol_from_name keras_export kwarg_only "
     "tf_export"),
    (_HERE + "marks", "util.dispatch",
     "add_fallback_dispatch_list register_binary_elementwise_api "
     "register_unary_elementwise_api"),
    ("emplace.interop.dispatch", "util.dispatch",
     "GlobalOpDispatcher OpDispatcher add_dispatch_support dispatch_for_types"),
    ("emplace.interop.decorators", "util.tf_decorator",
     "TFDecorator make_decorator rewrap unwrap"),
    (_HERE + "tf_inspect", "util.tf_contextlib", "contextmanager"),
    (_HERE + "structures", "util.nest",
     "assert_shallow_structure flatten_dict_items flatten_with_joined_string_paths "
     "flatten_with_tuple_paths is_nested_or_composite is_sequence_or_composite "
     "map_structure_with_paths map_structure_with_tuple_paths "
     "map_structure_with_tuple_paths_up_to"),
    ("emplace.base.nest", "util.nest", "is_sequence=is_nested"),
    (_HERE + "structures", "ops.ragged.ragged_util", "assert_splits_match"),
    (_HERE + "structures", "util.variable_utils",
     "convert_variables_to_tensors replace_variables_with_atoms"),
    ("emplace.ops.convert", "framework.ops",
     "convert_to_tensor_v2=convert_to_tensor "
     "convert_to_tensor_v2_with_dispatch=convert_to_tensor is_dense_tensor_like=is_tensor"),
    ("emplace.classic.scopes.name_scopes", "framework.ops", "name_scope_v1"),
    ("emplace.classic.scopes.in_parts", "ops.variables", "PartitionedVariable"),
    ("emplace.classic.scopes.in_parts", "ops.variable_scope", "_PartitionInfo=PartitionInfo"),
    ("emplace.interop.gradient_registry", "framework.ops",
     "_gradient_registry=GRADIENTS gradient_registry=GRADIENTS get_gradient_function"),
    ("emplace.core.tensor", "framework.ops", "Tensor"),
    ("emplace.core.tensor", "framework.tensor", "Tensor"),
    ("emplace.core.tensor_spec", "framework.tensor", "DenseSpec=TensorSpec TensorSpec"),
    ("emplace.core.tensor_spec", "framework.tensor_spec", "DenseSpec=TensorSpec TensorSpec"),
    ("emplace.core.composite", "framework.composite_tensor", "CompositeTensor"),
    ("emplace.private.structures", "framework.composite_tensor",
     "is_composite_or_composite_value replace_composites_with_components"),
    ("emplace.core.type_spec", "framework.type_spec", "BatchableTypeSpec TypeSpec"),
    ("emplace.data.elements.structure", "framework.type_spec", "type_spec_from_value"),
    ("emplace.ops.convert", "framework.tensor_util",
     "is_tensor is_tf_type=is_tensor"),
    ("emplace.ops.array.shaping", "framework.tensor_util", "constant_value=get_static_value"),
    (_HERE + "shapes", "framework.tensor_util", "constant_value_as_shape"),
    (_HERE + "shapes", "framework.tensor_shape",
     "TensorShapeV1=TensorShape TensorShapeV2=TensorShape as_dimension as_shape matrix scalar "
     "unknown_shape vector"),
    ("emplace.ops.convert", "framework.tensor_conversion",
     "convert_to_tensor_v2=convert_to_tensor "
     "convert_to_tensor_v2_with_dispatch=convert_to_tensor"),
    ("emplace.ops.convert", "framework.tensor_conversion_registry", "convert=convert_to_tensor"),
    ("emplace.tensorflow.__internal__.smart_cond", "framework.smart_cond", "smart_cond"),
    (_HERE + "shapes", "framework.smart_cond", "smart_constant_value"),
    ("emplace.interop.test_case", "framework.test_util", "TensorFlowTestCase"),
    ("emplace.interop.test_decorators", "framework.test_util",
     "deprecated_graph_mode_only run_all_in_deprecated_graph_mode_only "
     "run_all_in_graph_and_eager_modes run_deprecated_v1 run_gpu_only "
     "run_in_graph_and_eager_modes run_v1_only run_v2_only disable_xla disable_tfrt "
     "disable_mlir_bridge is_xla_enabled enable_control_flow_v2 also_run_as_tf_function "
     "disable_cudnn_autotune disable_control_flow_v2 with_control_flow_v2 no_xla_auto_jit "
     "xla_allow_fallback disable_asan disable_msan disable_tsan run_without_tensor_float_32 "
     "run_all_without_tensor_float_32 assert_no_new_pyobjects_executing_eagerly "
     "assert_no_garbage_created enable_output_all_intermediates assert_no_new_tensors"),
    ("emplace.interop.test_case", "platform.test", "TestCase=TensorFlowTestCase main"),
    ("emplace.core.ragged", "ops.ragged.ragged_tensor", "RaggedTensor"),
    ("emplace.eager.variable", "ops.resource_variable_ops",
     "BaseResourceVariable=Variable ResourceVariable=Variable"),
    (_HERE + "structures", "ops.resource_variable_ops", "is_resource_variable"),
    ("emplace.private.flow", "ops.control_flow_util",
     "EnableControlFlowV2 GraphOrParentsInXlaContext IsInXLAContext enable_control_flow_v2"),
    ("emplace.graph.control_flow.loops.vectorized", "ops.parallel_for.control_flow_ops",
     "vectorized_map"),
    (_HERE + "flow", "ops.array_ops", "prevent_gradient"),
    (_HERE + "flow", "ops.control_flow_case", "_case_helper=case_helper"),
    (_HERE + "device_lib", "pywrap_tfe",
     "TF_ListPluggablePhysicalDevices=list_pluggable_physical_devices"),
    (_HERE + "flow", "ops.parallel_for.control_flow_ops", "pfor"),
    ("emplace.tensorflow.__internal__.tf2", "tf2", "enabled"),
    ("emplace.eager.tape", "eager.backprop", "GradientTape"),
    ("emplace.distribute.variables.variables", "distribute.values",
     "DistributedVariable MirroredVariable SyncOnReadVariable"),
    ("emplace.distribute.variables.aggregating", "distribute.ps_values", "AggregatingVariable"),
    ("emplace.data.iteration.iterator", "data.ops.iterator_ops", "IteratorSpec OwnedIterator"),
    ("emplace.data.library.multi_device", "data.ops.multi_device_iterator_ops",
     "MultiDeviceIterator MultiDeviceIteratorSpec OwnedMultiDeviceIterator"),
    ("emplace.graph.function.function", "eager.def_function", "Function function"),
    ("emplace.graph.function.function", "eager.polymorphic_function.polymorphic_function",
     "Function function"),
    ("emplace.graph.function.calling", "eager.function", "ConcreteFunction"),
    ("emplace.core.tracking", "trackable.base", "Trackable"),
    ("emplace.core.tracking", "trackable.autotrackable", "AutoTrackable"),
    ("emplace.core.tracking", "trackable.data_structures", "NoDependency"),
    ("emplace.core.tracked_containers", "trackable.data_structures",
     "List ListWrapper"),
    ("emplace.data.library.global_shuffle", "data.experimental.ops.global_shuffle_op",
     "_global_shuffle=global_shuffle"),
    ("emplace.data.elements.structure", "data.util.structure", "type_spec_from_value"),
    (_HERE + "keras_two", "saved_model.model_utils.mode_keys",
     "EstimatorModeKeys KerasModeKeys"),
    (_HERE + "keras_two", "saved_model.save", "save_and_return_nodes"),
    (_HERE + "keras_two", "ops.resource_variable_ops", "VariableSpec"),
    (_HERE + "keras_two", "ops.control_flow_util", "ENABLE_CONTROL_FLOW_V2"),
    (_HERE + "keras_two", "framework.ops",
     "NullContextmanager convert_to_tensor_or_composite name_from_scope_name numpy_text uid"),
    (_HERE + "keras_two", "keras.backend", "get_graph"),
    (_HERE + "keras_two", "ops.linalg.linear_operator", "make_composite_tensor"),
    (_HERE + "keras_two", "util.nest",
     "_is_namedtuple=is_namedtuple _yield_value=yield_value "
     "_yield_sorted_items=yield_sorted_items"),
    ("emplace.ops.array.shaping", "framework.tensor_util",
     "try_evaluate_constant=get_static_value"),
    ("emplace.ops.ragged.pick", "ops.ragged.ragged_getitem", "ragged_tensor_getitem=getitem"),
    ("emplace.graph.control_flow.loops.functional", "ops.ragged.ragged_map_ops", "map_fn"),
))  # fmt: skip
