"""`tf.compat.v1.train`, as far as it does not need graphs."""

from ....classic.monitored.creators import (
    ChiefSessionCreator,
    SessionCreator,
    WorkerSessionCreator,
)
from ....classic.monitored.hooks import (
    FeedFnHook,
    FinalOpsHook,
    GlobalStepWaiterHook,
    LoggingTensorHook,
    NanLossDuringTrainingError,
    NanTensorHook,
    StepCounterHook,
    StopAtStepHook,
)
from ....classic.monitored.looper import (
    LooperThread,
)
from ....classic.monitored.profiler_hook import (
    ProfilerHook,
)
from ....classic.monitored.run_hooks import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from ....classic.monitored.saving_hooks import (
    CheckpointSaverHook,
    CheckpointSaverListener,
    SummarySaverHook,
)
from ....classic.monitored.scaffold import (
    Scaffold,
)
from ....classic.monitored.session_manager import (
    SessionManager,
)
from ....classic.monitored.sessions import (
    MonitoredSession,
    MonitoredTrainingSession,
    SingularMonitoredSession,
)
from ....classic.monitored.supervisor import (
    Supervisor,
    basic_train_loop,
)
from ....classic.monitored.timers import (
    SecondOrStepTimer,
)
from ....classic.pipelines import queue_runner
from ....classic.pipelines.batching import (
    batch,
    batch_join,
    maybe_batch,
    maybe_batch_join,
    maybe_shuffle_batch,
    maybe_shuffle_batch_join,
    shuffle_batch,
    shuffle_batch_join,
)
from ....classic.pipelines.producers import (
    input_producer,
    limit_epochs,
    match_filenames_once,
    range_input_producer,
    slice_input_producer,
    string_input_producer,
)
from ....classic.pipelines.queue_runner import QueueRunner, add_queue_runner, start_queue_runners
from ....distribute.cluster.spec import (
    ClusterDef,
    ClusterSpec,
    JobDef,
    ServerDef,
)
from ....distribute.servers.tasks import (
    Server,
)
from ....graph.placement.replicas import (
    replica_device_setter,
)
from ....ops.io.examples import (
    BytesList,
    Example,
    Feature,
    FeatureList,
    FeatureLists,
    Features,
    FloatList,
    Int64List,
    SequenceExample,
)
from ....state.checkpoint_files import (
    CheckpointReader as NewCheckpointReader,
)
from ....state.checkpoint_state import (
    checkpoint_exists,
    generate_checkpoint_state_proto,
    get_checkpoint_mtimes,
    get_checkpoint_state,
    latest_checkpoint,
    list_variables,
    load_checkpoint,
    load_variable,
    remove_checkpoint,
    update_checkpoint_state,
)
from ....state.checkpoint_waiting import (
    checkpoints_iterator,
)
from ....state.coordinator import (
    Coordinator,
)
from ....state.saver import (
    Saver,
    SaverDef,
    export_meta_graph,
    import_meta_graph,
)
from ....state.warm_start import (
    init_from_checkpoint,
    warm_start,
)
from ....summary.event_files import (
    summary_iterator,
)
from ....summary.graph_defs import write_graph
from ....training.averages import ExponentialMovingAverage
from ....training.checkpoint import Checkpoint
from ....training.checkpoint_manager import CheckpointManager
from ....training.global_step import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)
from ....training.optimizer import Optimizer
from ....training.optimizers import (
    AdadeltaOptimizer,
    AdagradOptimizer,
    AdamOptimizer,
    GradientDescentOptimizer,
    MomentumOptimizer,
    RMSPropOptimizer,
)
from ....training.proximal import (
    AdagradDAOptimizer,
    FtrlOptimizer,
    ProximalAdagradOptimizer,
    ProximalGradientDescentOptimizer,
)
from ....training.schedules import (
    cosine_decay,
    cosine_decay_restarts,
    exponential_decay,
    inverse_time_decay,
    linear_cosine_decay,
    natural_exp_decay,
    piecewise_constant,
    polynomial_decay,
)
from ....training.schedules import piecewise_constant as piecewise_constant_decay
