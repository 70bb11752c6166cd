"""Public names of TensorFlow's that are not served, and what to use instead.

They exist, so that programs that only import them run; using one raises `NotImplementedError`.
"""

from __future__ import annotations

from .tables import by_name

_SAVED_MODEL = "Save a model with `model.save('model.keras')`, variables with tf.train.Checkpoint."
_SERVICE = "Read and transform the data in each process; see `Dataset.shard`."
_LIBRARY = "Write the op in Python: tf.function, tf.numpy_function or tf.custom_gradient."
_GRAPH_DEF = (
    "Keep the Python function that makes the graph, and call it with tf.Graph().as_default()."
)
_PROFILER = "Use emplace.watch(), whose report tells of ops, copies and memory."
_QUANTIZE = "Quantize with TensorFlow itself, or simulate it with tf.quantization.fake_quant_*."
_DISTRIBUTIONS = "Use tf.random and tf.math, or TensorFlow Probability."
_WEBP = "Convert the pictures to PNG or JPEG."
_PROTOS = "Parse the messages in Python with their own classes, inside tf.numpy_function."
_KERAS_INSIDES = "It is for Keras 2 (tf_keras); tf.keras is Keras 3."
_WORKERS = "Start processes with `emplace launch`."
_SESSION_TENSOR = "Keep the value in a tf.Variable."
_BOXES = "Decode the boxes with tf.math, and choose among them with tf.image.non_max_suppression."

NAMES = by_name((
    (_PROTOS, "compat.v1", "decode_json_example"),
    ("Guard it with Python's threading.Lock around the call.", "", "CriticalSection"),
    ("Pass tensors and structures of them.", "", "NoneTensorSpec TensorArraySpec"),
    ("Use tf.math.top_k, which is exact.", "", "approx_top_k"),
    ("Tensors here are never pinned by hand.", "", "check_pinned"),
    ("Use tf.nn.convolution.", "", "conv"),
    ("Use the gradients of tf.nn.conv2d, by tf.GradientTape.", "",
     "conv2d_backprop_filter_v2 conv2d_backprop_input_v2"),
    ("Use tf.signal.fft, fft2d and fft3d.", "", "fftnd ifftnd irfftnd rfftnd"),
    (_GRAPH_DEF, "", "graph_util import_graph_def"),
    (_LIBRARY, "", "load_library load_op_library nondifferentiable_batch_function"),
    ("Use tf.RaggedTensor's methods.", "", "ragged_fill_empty_rows ragged_fill_empty_rows_grad"),
    ("Use tf.random.shuffle on tf.range.", "", "random_index_shuffle"),
    (_KERAS_INSIDES, "__internal__",
     "create_c_op execute_fn_for_device graph_util lift_to_graph"),
    (_SAVED_MODEL, "__internal__.saved_model",
     "SavedModelBuilder decode_proto encode_structure load_partial parse_saved_model"),
    (_KERAS_INSIDES, "__internal__.ops", "get_resource_handle_data"),
    (_KERAS_INSIDES, "__internal__.test", "ParameterizedBenchmark"),
    (_KERAS_INSIDES, "__internal__.eager_context",
     "get_config get_executor set_soft_device_placement"),
    (_WORKERS, "__internal__.distribute", "multi_process_runner"),
    (_WORKERS, "__internal__.distribute.combinations", "env"),
    (_KERAS_INSIDES, "__internal__.tracking",
     "CheckpointInitialValue CheckpointInitialValueCallable ObjectGraphView "
     "saveable_objects_from_trackable "
     "streaming_restore wrap"),
    ("There is no MLIR here.", "config.experimental", "enable_mlir_bridge"),
    (_WORKERS, "config.experimental", "ClusterDeviceFilters"),
    (_WORKERS, "config", "experimental_connect_to_cluster experimental_connect_to_host"),
    ("Use tf.lookup.StaticHashTable.", "data.experimental",
     "DatasetInitializer index_table_from_dataset table_from_dataset"),
    (_SERVICE, "data.experimental", "distributed_save get_model_proto service"),
    ("Use emplace.watch() and tf.debugging.enable_check_numerics.", "debugging", "experimental"),
    ("Use SlurmClusterResolver or TFConfigClusterResolver.", "distribute.cluster_resolver",
     "KubernetesExecutableLocation"),
    ("Use tf.experimental.ExtensionType.", "experimental",
     "StructuredTensor"),
    ("Eager ops run when they are called.", "experimental",
     "async_clear_error async_scope function_executor_type"),
    ("Copy the files to a local file system.", "experimental", "register_filesystem_plugin"),
    (_WEBP, "image", "decode_jxl"),
    (_BOXES, "image", "generate_bounding_box_proposals"),
    (_WEBP, "io", "decode_jxl"),
    (_PROTOS, "io", "decode_json_example decode_proto encode_proto"),
    ("Use tf.io.matching_files.", "io", "match_filenames_once"),
    ("Use Keras's RNN cells and wrappers.", "nn",
     "RNNCellDeviceWrapper RNNCellDropoutWrapper RNNCellResidualWrapper"),
    ("Use the argument `dilations` of convolutions.", "nn", "with_space_to_batch"),
    (_PROFILER, "profiler.experimental", "ProfilerOptions client server"),
    (_QUANTIZE, "quantization", "experimental"),
    (_SAVED_MODEL, "saved_model", "experimental"),
    (_LIBRARY, "sysconfig", "get_compile_flags get_include get_lib get_link_flags"),
    ("Measure with emplace.watch() or Python's timeit.", "test", "Benchmark benchmark_config"),
    (_WORKERS, "test", "create_local_cluster"),
    ("Synchronize by reading a value, `x.numpy()`.", "test", "experimental"),
    ("Leave it out: a checkpoint is one file.", "train.experimental",
     "MaxShardSizePolicy ShardByTaskPolicy ShardableTensor ShardingCallback"),
    ("Read the records in Python, with tf.data.Dataset.from_generator.", "compat.v1", "LMDBReader"),
    ("Use tf.debugging.enable_check_numerics.", "compat.v1", "add_check_numerics_ops"),
    ("Use a tf.Graph of its own.", "compat.v1", "container"),
    (_SESSION_TENSOR, "compat.v1", "delete_session_tensor get_session_handle get_session_tensor"),
    (_DISTRIBUTIONS, "compat.v1", "distributions"),
    (_LIBRARY, "compat.v1", "load_file_system_library user_ops"),
    ("Use TensorSpec.", "compat.v1.data.experimental", "Structure TensorArrayStructure"),
    ("Use `Dataset.map(...).batch(...)`.", "compat.v1.data.experimental",
     "map_and_batch_with_legacy_function"),
    (_SAVED_MODEL, "compat.v1.saved_model",
     "Builder build_signature_def build_tensor_info builder classification_signature_def "
     "get_tensor_from_tensor_info is_valid_signature load load_v2 loader main_op "
     "main_op_with_restore maybe_saved_model_directory predict_signature_def "
     "regression_signature_def save signature_def_utils simple_save utils"),
    (_PROFILER, "compat.v1", "profiler"),
    (_QUANTIZE, "compat.v1.nn",
     "quantized_avg_pool quantized_conv2d quantized_max_pool quantized_relu_x"),
    ("Use tf.compat.v1.nn.dynamic_rnn, or Keras's RNN.", "compat.v1.nn",
     "raw_rnn static_state_saving_rnn"),
    (_QUANTIZE, "compat.v1.train", "do_quantize_training_on_graphdef"),
    ("Use a linear model of scikit-learn, or of Keras.", "compat.v1.train",
     "sdca_fprint sdca_optimizer sdca_shrink_l1"),
    ("Use tf.sparse.sparse_dense_matmul.", "compat.v1.sparse", "matmul"),
    ("Use unittest.mock.patch.", "compat.v1.test", "StubOutForTesting"),
    ("Use the path of the file that you test.", "compat.v1.test", "test_src_dir_path"),
    ("Catch tf.errors.OpError.", "errors", "raise_exception_on_not_ok_status"),
    ("Fetch what you need.", "experimental", "output_all_intermediates"),
    ("Use time.time(), in tf.py_function.", "", "timestamp"),
))  # fmt: skip
