"""The layers of docs/ARCHITECTURE.md hold: imports point up the list, never down, never hidden."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "emplace"

# Top to bottom: a module imports only from what stands above it. Inside a room (a folder, or a
# folder in a folder) the same order holds between files; a room without a list of files is a set
# of leaves that ignore each other. A module belongs to the longest name that fits it.
LAYERS: dict[str, list[str]] = {
    "base": [
        "errors", "arguments", "sizes", "flags", "flag_mistakes", "torch_environment", "log",
        "logger",
        "files", "protos", "board_protos",
        "dtypes", "dimensions", "shapes", "typing",
        "nest", "missing", "late_binding", "build", "texts", "sections", "garbage", "loading",
        "lines", "pages", "python_random", "stacks",
    ],
    "codegen": [
        "library", "program", "lines", "kernel_text", "exponential", "normal", "pointwise", "text",
        "code", "worth", "crowd", "crew", "team", "rows", "philox", "cross_entropy",
        "adam",
        "winograd/schemes", "winograd/tiles", "winograd/filters", "winograd/convolution",
        "winograd/filter_gradient", "winograd/shares", "winograd/work", "winograd/kernels",
        "depthwise/strips", "depthwise/texts", "depthwise/kernels",
        "products/texts", "products/kernels", "products/narrow", "products/pieces",
    ],
    "devices": [
        "name", "charges", "memory", "workspaces", "modes", "meter", "backend", "heap", "cpu",
        "cuda_capture", "cuda", "mps", "virtual", "late", "strict_capture", "strict", "aside",
        "constants", "known", "device", "phantom",
        "inventory", "config", "limits", "released", "table", "doctor",
    ],
    "core": [
        "ending", "cancellation", "symbolic_value", "tensor_list", "tensor", "type_spec",
        "composite", "tensor_spec", "tracking", "tracked_containers", "aggregation",
        "missing_devices", "context", "settings",
        "events", "places", "summaries", "ragged",
    ],
    "holders": [
        "walkers", "values", "names", "keras_objects", "census", "texts", "refusals",
    ],
    "ops": [
        "waiting", "op", "deferred", "infer", "widen", "host_values", "convert", "arguments",
        "order", "large", "counts", "composite", "limits", "changes", "machine_code",

        "array/movement", "array/shaping", "array/making", "array/joining", "array/grown",
        "array/gathering",
        "array/scattering", "array/slicing", "array/select", "array/repeating", "array/moving",
        "array/space", "array/partition", "array/sorting", "array/searching", "array/top_k",
        "array/unique", "array/tensor_list", "array/tensor_array",
        "array/updating", "array/list_array", "array/barrier", "array/dlpack",
        "array/volume_patches",

        "math/unsigned", "math/elementwise", "math/bitwise", "math/trigonometry", "math/complex",
        "math/guarded", "math/reduction", "math/cumulative", "math/statistics", "math/segment",
        "math/counting", "math/combine", "math/clipping", "math/integrals", "math/special",
        "math/choices", "math/map_steps", "math/map_program", "math/fused_map", "math/fused_rows",
        "math/fused_scalars", "math/kept_values", "math/scaled_sums",
        "debugging/summaries", "debugging/checks", "debugging/assertions",
        "debugging/shape_assertions", "debugging/print_through",

        "variables/indexed_slices", "variables/slice_info", "variables/resource",
        "variables/resource_slices", "variables/parts", "variables/following", "variables/training",

        "linalg/machine_products", "linalg/narrow_products", "linalg/pieced_products",
        "linalg/matrix_routines", "linalg/products", "linalg/einsum",
        "linalg/einsum_products", "linalg/decomposition",
        "linalg/diagonal", "linalg/norms", "linalg/solving", "linalg/tridiagonal",

        "random/philox", "random/draws", "random/seeds", "random/stateless", "random/index_shuffle",
        "random/streams",
        "random/rejection", "random/truncated", "random/distributions",
        "random/sobol", "random/stateful", "random/raw", "random/generator_state",

        "signal/fourier", "signal/cosine", "signal/windows", "signal/mel", "signal/frames",

        "quantization/fake", "quantization/round_trip", "quantization/scales",

        "collective/packing", "collective/sums", "collective/ways",

        "strings/basic", "strings/hashing", "strings/numbers", "strings/patterns",
        "strings/matching",

        "sparse/tensor", "sparse/unranked", "sparse/places",
        "sparse/turns", "sparse/basic", "sparse/parts",
        "sparse/reduction", "sparse/math", "sparse/matmul", "sparse/sampled_product", "sparse/sets",
        "sparse/picked_segments", "sparse/rows", "sparse/counts", "sparse/dense_counts",
        "sparse/cross", "sparse/distance",

        "nn/softmax_rows", "nn/activation", "nn/dropout", "nn/embedding", "nn/loss", "nn/moments",
        "nn/window", "nn/normalization", "nn/response_rows", "nn/local_response",
        "nn/conv_depthwise", "nn/conv_plan", "nn/conv_products",
        "nn/conv_winograd", "nn/conv_kernels", "nn/convolution", "nn/morphology",
        "nn/pool_kernels", "nn/pooling",
        "nn/sequences", "nn/recurrent", "nn/ctc_labels", "nn/ctc", "nn/ctc_unique",
        "nn/fractional_windows", "nn/fractional_pool",
        "nn/isotonic", "nn/weights",

        "audio/wav",

        "ragged/rows", "ragged/validity", "ragged/making", "ragged/constant", "ragged/methods",
        "ragged/partition", "ragged/shape", "ragged/pick",
        "ragged/array", "ragged/cross", "ragged/segments", "ragged/images", "ragged/products",
        "ragged/reduction",
        "ragged/elementwise", "ragged/operators", "ragged/spec", "ragged/text",

        "strings/split", "strings/scripts", "strings/unicode", "strings/printing",

        "image/resize", "image/color", "image/shape", "image/warp", "image/bitmaps",
        "image/codecs",
        "image/encoding", "image/random", "image/random_boxes",
        "image/suppression", "image/glimpse", "image/boxes", "image/quality", "image/frames",

        "io/decoding", "io/csv", "io/tensor_proto", "io/sparse_texts", "io/paths", "io/files",
        "io/gfile", "io/records", "io/examples", "io/parse_example", "io/partitions", "io/features",
        "io/parse_sequence", "io/sequences",

        "data_flow/turns", "data_flow/queues", "data_flow/queue_ops", "data_flow/queue_classes",
        "io/readers", "data_flow/accumulators", "data_flow/accumulator_ops",
        "data_flow/accumulator_classes",

        "sampling/draws", "sampling/candidates", "sampling/losses", "sampling/raw",

        "lookup/table_ops", "lookup/initializers", "lookup/saving", "lookup/tables",

        "extension/fields", "extension/types", "extension/batching",

        "numpy/types", "numpy/arrays", "numpy/math", "numpy/elementary", "numpy/pieces",
        "numpy/matrices", "numpy/random", "numpy/indexing",

        "operators", "likeness", "raw_numbers", "raw",
    ],
    "grads": [
        "rules", "replacing",

        "array/shaping", "array/making", "array/joining", "array/gathering", "array/scattering",
        "array/slicing", "array/select", "array/repeating", "array/moving", "array/space",
        "array/sorting", "array/barrier", "array/tensor_list", "array/updating",

        "math/elementwise", "math/trigonometry", "math/complex", "math/guarded", "math/reduction",
        "math/cumulative", "math/statistics", "math/segment", "math/counting", "math/special",

        "nn/activation", "nn/normalization", "nn/local_response", "nn/loss", "nn/convolution",
        "nn/pooling", "nn/recurrent", "nn/ctc", "nn/isotonic",

        "variables", "linalg", "random", "sampling", "signal", "quantization", "audio", "sparse",
        "ragged", "collective",

        "image", "families",
    ],
    "eager": [
        "place_errors", "place", "numerics", "keeping", "scratch", "phantom_kernel", "route",
        "failure", "bounds", "kernel", "rollback", "target", "backward", "jacobians", "tape",
        "forward", "variable_operators", "variable", "generator",
    ],
    "graph/representation": ["names/unique", "names/results", "copies", "device_scopes",
        "default_graph", "default_session", "elsewhere", "control_edges", "node_text",
        "operation",
        "names/operations", "elements", "ops", "lint", "graph", "names/operation_text"],
    "graph/shape_inference": [
        "array_shapes", "counted_shapes", "merged_shapes", "sparse_shapes", "shapes", "lists",
        "narrow_inputs", "variable_changes", "shape_errors"],
    "graph/recording": ["deferred", "value_dependent", "default", "func_graph", "target", "scopes",
        "gradients", "sparse_arguments", "ragged_arguments", "variable", "grouping", "module"],
    "graph/placement": ["operations", "group", "errors", "grouping", "placer", "log_lines",
        "replicas"],
    "graph/passes": ["constant_folding", "feeding", "specialisation", "prune",
        "replacing", "padded_convolutions", "scaled_filters", "fusion", "optimizer_steps",
        "row_wise", "alike", "followers", "joined_replicas", "common_subexpressions", "chains",
        "makers", "maps", "choices", "differences", "moments_of_columns", "barriers",
        "loop_pairs", "known_likes", "views", "einsum_products", "grown", "many_products",
        "small_maps", "scalars", "early_scalars", "kept_values", "scaled_sums",
        "late_averages", "rewriting"],
    "graph/plan": ["splitting", "steps", "failures", "text",
        "writing/values", "writing/liveness", "writing/transfers", "writing/attributes",
        "writing/constants", "writing/deferred_calls", "writing/kernels", "writing/places",
        "writing/writer", "together",
        "plan", "host_numbers", "capturable", "captured", "reservation", "build",
        "phantom_world", "projection", "batches", "foresight", "jit"],
    "graph/codegen": ["loop_values", "maps", "views", "lowered", "lowering", "layouts", "calls",
        "loops", "beside", "plans"],
    "graph/function": ["arguments/signatures", "arguments/argument_checks",
        "arguments/concrete_arguments", "arguments/trace_keys", "arguments/signature_casts",
        "arguments/traced_values",
        "printed", "inline", "op_by_op", "calling", "lifting", "retracing", "weak_methods", "facts",
        "function", "custom_gradients", "python_functions"],
    "graph/control_flow": ["known_around", "bodies", "iterations", "branches", "switch",
        "loops/invariants", "loops/trip_counts", "loops/while_loops", "loops/sums", "loops/scans",
        "loops/encoding", "loops/results", "loops/functional", "loops/vectorized",
        "v1",
        "gradients/body_copies", "gradients/branch_slices", "gradients/branches_and_loops",
        "gradients/hessians"],
    "graph/session": ["values/placeholders", "values/feeds", "values/composites",
        "values/fetches", "values/arrays",
        "timeouts", "traces", "partial", "resources", "config", "checks",
        "callables", "session"],
    "graph/autograph": ["settings", "symbols", "branches", "operators", "loops", "builtins",
        "handlers", "load", "failures", "convert", "calls", "entry"],
    "data/elements": ["nesting", "structure", "plain_specs", "batchable", "optional", "padding",
        "row_parts"],
    "data/iteration": ["position", "resuming", "node", "seeds", "bound", "memory", "saved_files",
        "iterator", "devices"],
    "data/functions": ["traced", "rowwise"],
    "data/nodes": ["element_files", "generating", "sources", "selecting", "transforms",
        "batching", "threads", "dense_to_ragged", "storing", "mixing", "listing"],
    "data/dataset": ["options", "base", "nested", "methods/iteration", "methods/sources",
        "methods/elementwise", "methods/selection", "methods/combining", "methods/batching",
        "methods/grouping", "methods/storing", "methods/reductions", "fingerprints", "dataset",
        "files"],
    "data/library": ["saving", "batch_sizes", "access", "global_shuffle", "looping", "queries",
        "tables", "experimental", "structures", "v1", "multi_device"],
    "classic/scopes": ["arguments", "name_scopes", "collections", "initializers", "assigning",
        "readiness", "seeds", "messages", "variable_making", "in_parts", "making_parts",
        "own_variables", "variable_scope", "templates", "create_parts", "op_names"],
    "classic/programs": ["app", "switches", "mnist"],
    "classic/functions": ["reductions", "arrays", "strings", "nn", "windows", "embeddings",
        "conv_gradients", "images", "printing", "assertions", "sparse", "graphs",
        "files", "quantization", "wrapping"],
    "classic/models": ["losses", "metrics/parts", "metrics/means", "metrics/counts",
        "metrics/thresholds", "metrics/classes", "metrics/ranking", "layer", "layers", "rnn_cells",
        "rnn_wrappers", "rnn_inputs", "rnn"],
    "classic/contrib": ["arg_scope", "regularizers", "layers", "seq2seq", "decoders",
        "legacy_seq2seq"],
    "distribute/cluster": ["spec", "resolver", "tf_config", "slurm"],
    "distribute/replicas": ["contexts", "values", "baton", "replica_context"],
    "distribute/reductions": ["batched", "cross_device"],
    "distribute/variables": ["reading", "variables", "making", "aggregating"],
    "distribute/inputs": ["inputs", "looping", "classic_inputs"],
    "distribute/analysis": ["variable_snapshots", "one_replica", "differences", "equivalence",
        "device_times",
        "scaling", "measuring"],
    "distribute/strategies": ["extended", "classic_methods", "strategy", "one_device",
        "mirrored", "central_storage", "classic_strategies", "contrib", "loss", "keras_parts",
        "unsupported"],
    "distribute/servers": ["partitioners", "sharded", "variables", "remote/rpc", "remote/tasks",
        "remote/current", "remote/serialisation", "remote/remote_variables",
        "remote/remote_workers", "remote/links", "strategy", "values", "queue", "coordinator"],
    "distribute/workers": ["processes/roles", "processes/meeting", "processes/watch",
        "processes/sums", "processes/ring", "processes/shared", "processes/link", "writing",
        "callbacks", "ops", "reductions", "files",
        "inputs", "extended", "strategy", "processes/begin", "processes/launch"],
    "state": [
        "checkpoint_files", "checkpoint_state", "checkpoint_waiting", "object_names",
        "slices", "save_ops",
        "saved_variables", "saver", "vocabularies", "warm_start", "coordinator",
    ],
    "training": ["optimizer", "built_in", "optimizers", "proximal", "schedules", "averages",
        "moving_averages", "global_step",
        "loss_scales", "mixed_precision",
        "checkpoints/own_values", "checkpoints/object_graph", "checkpoints/python_state",
        "checkpoints/unused_values",
        "checkpoints/restoring",
        "checkpoints/restoring_names", "checkpoints/load_status",
        "checkpoints/checkpoint_options", "checkpoints/checkpoint",
        "checkpoints/checkpoint_manager", "checkpoints/views", "keras_parts", "keras_logs"],
    "summary": [
        "event_files", "encoding", "ops", "graph_defs", "file_writer", "writers", "values",
        "tensor_protos",
    ],
    "classic/pipelines": [
        "queue_runner", "producers", "batching_sparse", "batching",
    ],
    "classic/columns": [
        "checks", "column", "lengths", "numeric", "categorical", "vocabulary", "crossed",
        "sequences", "tables", "shared", "state", "models", "serialisation",
    ],
    "observe": [
        "placement_log", "timeline", "recorder", "report", "memory", "explain_plan",
        "explain_model", "explain", "hardware", "kernels", "estimated", "estimate_model",
        "model_batches", "estimate",
    ],
    "classic/monitored": [
        "run_hooks", "timers", "hooks", "saving_hooks", "profiler_hook", "session_manager",
        "scaffold", "creators", "sessions", "looper", "supervisor", "sync_replicas",
    ],
    "classic/estimator": [
        "spec", "replicas", "inputs", "estimator", "training",
    ],
    "raw": [
        "definitions", "rows", "arguments", "sharing", "records", "calls",
        "arrays", "control", "crosses", "datasets", "dataset_versions", "files", "images",
        "fractional_pools", "linalg", "lists",
        "list_gradients", "lookup_tables", "math", "nn", "others", "random_numbers",
        "recurrent_checks", "recurrent",
        "sparse_parts", "staging", "state", "tensor_arrays", "training", "table", "refusals",
        "lookup", "created",
    ],
    "interop": ["initializers", "creators", "conversions", "op_forms", "gradient_registry",
        "gradient_recording", "gradients", "graph_state", "slices",
        "partitioners", "ragged_values", "extension_values", "kinds", "compatibility", "nesting",
        "decorators", "api_operators", "resource_loader", "test_gradients", "test_gradients_v1",
        "test_assertions",
        "test_case", "test_combinations", "test_strategies", "test_decorators", "dispatch",
        "asking", "keras_two", "monitoring", "xla", "test_graph_defs",
        "promotion/lattice", "promotion/weak_tensor", "promotion/values", "promotion/functions",
        "promotion/operators", "promotion/places",
        "numpy_behavior", "type_dispatch", "elementwise_dispatch", "tensor_equality",
        "operators/slicing", "operators/base", "operators/hints", "operators/simple",
        "operators/identities", "operators/blocks",
        "operators/patterned", "operators/circulant", "operators/combined", "operators/banded",
        "operators/functions", "operators/family",
        "operators/conjugate_gradient", "saved_model_options",
    ],
    "names": ["tables", "lookup", "late", "refused"],
    "hook": [],
    "keras": [],
    "tensorflow": [],
    "runtime": [],
    "private": ["eager_context", "eager_execute", "xla", "sparse_csr_matrix_ops",
                "framework_config", "type_spec_registry", "data_distribute", "device_lib", "marks",
                "tf_inspect", "object_identity", "structures", "shapes", "flow", "keras_two",
                "record", "strategy_combinations", "own_names", "modules"],
    "program": [],
    "cli": [],
    "__main__": [],
    "testing": [],
}  # fmt: skip

# Modules that load ours late on purpose: vendors' backends, and commands that must start fast.
LATE = {"devices/inventory.py", "cli.py", "testing.py"}

TORCH = {
    "base/dtypes.py",
    "base/typing.py",  # for the type checker alone
    "codegen/adam.py",
    "codegen/cross_entropy.py",
    "codegen/depthwise/kernels.py",
    "codegen/library.py",
    "codegen/products/kernels.py",
    "codegen/philox.py",
    "codegen/rows.py",
    "core/events.py",
    "core/settings.py",
    "core/tensor.py",
    "distribute/servers/remote/current.py",
    "distribute/servers/remote/rpc.py",
    "distribute/workers/callbacks.py",
    "distribute/workers/inputs.py",
    "distribute/workers/processes/launch.py",
    "distribute/workers/processes/link.py",
    "distribute/workers/processes/meeting.py",
    "distribute/workers/processes/ring.py",
    "distribute/workers/processes/shared.py",
    "distribute/workers/processes/sums.py",
    "distribute/workers/ops.py",
    "distribute/workers/strategy.py",
    "eager/bounds.py",
    "eager/failure.py",
    "eager/keeping.py",
    "eager/kernel.py",
    "eager/numerics.py",
    "eager/scratch.py",
    "eager/phantom_kernel.py",
    "eager/target.py",
    "graph/codegen/beside.py",
    "graph/codegen/calls.py",
    "graph/codegen/loops.py",
    "graph/codegen/lowered.py",
    "graph/codegen/lowering.py",
    "graph/control_flow/loops/sums.py",
    "graph/control_flow/loops/trip_counts.py",
    "graph/passes/common_subexpressions.py",
    "graph/passes/constant_folding.py",
    "graph/passes/known_likes.py",
    "graph/plan/captured.py",
    "graph/plan/jit.py",
    "graph/plan/phantom_world.py",
    "graph/plan/writing/constants.py",
    "graph/plan/writing/deferred_calls.py",
    "graph/plan/reservation.py",
    "graph/recording/target.py",
    "graph/session/values/arrays.py",
    "holders/values.py",
    "observe/hardware.py",
}
TORCH_FOLDERS = {"devices", "ops", "grads", "data", "raw"}


def modules() -> list[Path]:
    return sorted(p for p in PACKAGE.rglob("*.py") if p.name != "__init__.py")


@functools.cache
def imports_of(path: Path) -> list[tuple[int, str, bool]]:
    """(line, dotted module below emplace or a third party's name, hidden) of each import."""
    tree = ast.parse(path.read_text())
    open_ones = set(map(id, top_level(tree)))
    package = path.relative_to(PACKAGE.parent).parts[:-1]
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            stem = ".".join(filter(None, [base, node.module or ""]))
            names = sorted({module_named(stem, alias.name) for alias in node.names})
        else:
            continue
        hidden = id(node) not in open_ones
        found += [(node.lineno, name, hidden) for name in names]
    return found


@functools.cache
def module_named(package: str, name: str) -> str:
    """What `from package import name` loads: a module of ours below the package, or the package."""
    full = f"{package}.{name}"
    file = PACKAGE.parent.joinpath(*full.split("."))
    is_ours = full.startswith(PACKAGE.name) and (file.is_dir() or file.with_suffix(".py").exists())
    return full if is_ours else package


def top_level(tree: ast.Module) -> list[ast.stmt]:
    """Statements that run at import, those under `if TYPE_CHECKING` included."""
    statements = list(tree.body)
    for each in tree.body:
        if isinstance(each, ast.If):
            statements += each.body
    return statements


@functools.cache
def types_only(path: Path) -> set[int]:
    """The lines of imports under `if TYPE_CHECKING`, which never run."""
    guarded = [
        each for each in ast.parse(path.read_text()).body
        if isinstance(each, ast.If) and ast.unparse(each.test) == "TYPE_CHECKING"
    ]  # fmt: skip
    return {node.lineno for each in guarded for node in each.body}


def room_of(module: str) -> tuple[str, str]:
    """The room that lists a module, and the module's place below it."""
    path = module.removeprefix(f"{PACKAGE.name}.").replace(".", "/")
    rooms = [room for room in LAYERS if f"{path}/".startswith(f"{room}/")]
    assert rooms, f"{path} is in no layer"
    room = max(rooms, key=len)
    return room, path.removeprefix(room).lstrip("/")


@functools.cache
def rank(module: str) -> tuple[int, int]:
    """Where a module stands: its room, and its place there (the facade has none)."""
    room, file = room_of(module)
    files = LAYERS[room]
    return list(LAYERS).index(room), files.index(file) if files and file else 0


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def test_every_module_has_its_place_in_the_layers() -> None:
    for path in modules():
        room, file = room_of(module_name(path))
        assert not LAYERS[room] or file in LAYERS[room], f"{path} is not listed in its layer"


def test_every_module_in_the_layers_exists() -> None:
    listed = {f"{room}/{file}.py" for room, files in LAYERS.items() for file in files}
    assert not [name for name in sorted(listed) if not (PACKAGE / name).exists()]


def test_modules_import_only_from_above() -> None:
    wrong = []
    for path in modules():
        here, name = rank(module_name(path)), str(path.relative_to(PACKAGE))
        typing_only = types_only(path)
        for line, target, hidden in imports_of(path):
            if not target.startswith("emplace"):
                continue
            if hidden and name not in LATE:
                wrong.append(f"{name}:{line} hides its import of {target}")
            is_facade = name.startswith("tensorflow/") and "tensorflow" in target
            if hidden or target == "emplace" or is_facade:
                continue
            if line in typing_only and room_of(target)[0] == room_of(module_name(path))[0]:
                continue  # a mixin names the class that it is part of
            if rank(target) >= here:
                if rank(target)[0] == here[0] and line in types_only(path):
                    continue  # never runs, and stays in the room
                wrong.append(f"{name}:{line} imports {target}, which stands below it")
    assert not wrong, "\n".join(wrong)


def test_torch_is_used_only_where_kernels_and_devices_are() -> None:
    wrong = []
    for path in modules():
        name = str(path.relative_to(PACKAGE))
        if name in TORCH or name.split("/")[0] in TORCH_FOLDERS:
            continue
        uses = [line for line, target, _ in imports_of(path) if target.split(".")[0] == "torch"]
        wrong += [f"{name}:{line}" for line in uses]
    assert not wrong, "\n".join(wrong)


def test_the_facade_defines_no_functions_or_classes() -> None:
    for path in (PACKAGE / "tensorflow").rglob("*.py"):
        for node in ast.parse(path.read_text()).body:
            is_own = isinstance(node, ast.FunctionDef | ast.ClassDef)
            assert not is_own or node.name in ("__getattr__", "__dir__"), f"{path}: {node.name}"


def test_files_stay_small_enough_to_read() -> None:
    for path in modules():
        assert len(path.read_text().splitlines()) <= 1000, f"{path} should be split by subject"
