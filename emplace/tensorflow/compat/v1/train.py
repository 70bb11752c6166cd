"""`tf.compat.v1.train`, as far as it does not need graphs."""

from ....classic.monitored.creators import (
    ChiefSessionCreator as ChiefSessionCreator,
    SessionCreator as SessionCreator,
    WorkerSessionCreator as WorkerSessionCreator,
)
from ....classic.monitored.hooks import (
    FeedFnHook as FeedFnHook,
    FinalOpsHook as FinalOpsHook,
    GlobalStepWaiterHook as GlobalStepWaiterHook,
    LoggingTensorHook as LoggingTensorHook,
    NanLossDuringTrainingError as NanLossDuringTrainingError,
    NanTensorHook as NanTensorHook,
    StepCounterHook as StepCounterHook,
    StopAtStepHook as StopAtStepHook,
)
from ....classic.monitored.looper import (
    LooperThread as LooperThread,
)
from ....classic.monitored.profiler_hook import (
    ProfilerHook as ProfilerHook,
)
from ....classic.monitored.run_hooks import (
    SessionRunArgs as SessionRunArgs,
    SessionRunContext as SessionRunContext,
    SessionRunHook as SessionRunHook,
    SessionRunValues as SessionRunValues,
)
from ....classic.monitored.saving_hooks import (
    CheckpointSaverHook as CheckpointSaverHook,
    CheckpointSaverListener as CheckpointSaverListener,
    SummarySaverHook as SummarySaverHook,
)
from ....classic.monitored.scaffold import (
    Scaffold as Scaffold,
)
from ....classic.monitored.session_manager import (
    SessionManager as SessionManager,
)
from ....classic.monitored.sessions import (
    MonitoredSession as MonitoredSession,
    MonitoredTrainingSession as MonitoredTrainingSession,
    SingularMonitoredSession as SingularMonitoredSession,
)
from ....classic.monitored.supervisor import (
    Supervisor as Supervisor,
    basic_train_loop as basic_train_loop,
)
from ....classic.monitored.sync_replicas import (
    SyncReplicasOptimizer as SyncReplicasOptimizer,
)
from ....classic.monitored.timers import (
    SecondOrStepTimer as SecondOrStepTimer,
)
from ....classic.pipelines import (
    queue_runner as queue_runner,
)
from ....classic.pipelines.batching import (
    batch as batch,
    batch_join as batch_join,
    maybe_batch as maybe_batch,
    maybe_batch_join as maybe_batch_join,
    maybe_shuffle_batch as maybe_shuffle_batch,
    maybe_shuffle_batch_join as maybe_shuffle_batch_join,
    shuffle_batch as shuffle_batch,
    shuffle_batch_join as shuffle_batch_join,
)
from ....classic.pipelines.producers import (
    input_producer as input_producer,
    limit_epochs as limit_epochs,
    match_filenames_once as match_filenames_once,
    range_input_producer as range_input_producer,
    slice_input_producer as slice_input_producer,
    string_input_producer as string_input_producer,
)
from ....classic.pipelines.queue_runner import (
    QueueRunner as QueueRunner,
    add_queue_runner as add_queue_runner,
    start_queue_runners as start_queue_runners,
)
from ....distribute.cluster.spec import (
    ClusterDef as ClusterDef,
    ClusterSpec as ClusterSpec,
    JobDef as JobDef,
    ServerDef as ServerDef,
)
from ....distribute.servers.remote.tasks import (
    Server as Server,
)
from ....graph.placement.replicas import (
    replica_device_setter as replica_device_setter,
)
from ....ops.io.examples import (
    BytesList as BytesList,
    Example as Example,
    Feature as Feature,
    FeatureList as FeatureList,
    FeatureLists as FeatureLists,
    Features as Features,
    FloatList as FloatList,
    Int64List as Int64List,
    SequenceExample as SequenceExample,
)
from ....state.checkpoint_files import (
    CheckpointReader as _NewCheckpointReader,
)
from ....state.checkpoint_state import (
    checkpoint_exists as checkpoint_exists,
    generate_checkpoint_state_proto as generate_checkpoint_state_proto,
    get_checkpoint_mtimes as get_checkpoint_mtimes,
    get_checkpoint_state as get_checkpoint_state,
    latest_checkpoint as latest_checkpoint,
    list_variables as list_variables,
    load_checkpoint as load_checkpoint,
    load_variable as load_variable,
    remove_checkpoint as remove_checkpoint,
    update_checkpoint_state as update_checkpoint_state,
)
from ....state.checkpoint_waiting import (
    checkpoints_iterator as checkpoints_iterator,
)
from ....state.coordinator import (
    Coordinator as Coordinator,
)
from ....state.saver import (
    Saver as Saver,
    SaverDef as SaverDef,
    export_meta_graph as export_meta_graph,
    import_meta_graph as import_meta_graph,
)
from ....state.vocabularies import VocabInfo as VocabInfo
from ....state.warm_start import (
    init_from_checkpoint as init_from_checkpoint,
    warm_start as warm_start,
)
from ....summary.event_files import (
    summary_iterator as summary_iterator,
)
from ....summary.graph_defs import (
    write_graph as write_graph,
)
from ....training.averages import (
    ExponentialMovingAverage as ExponentialMovingAverage,
)
from ....training.checkpoints.checkpoint import (
    Checkpoint as Checkpoint,
)
from ....training.checkpoints.checkpoint_manager import (
    CheckpointManager as CheckpointManager,
)
from ....training.global_step import (
    assert_global_step as assert_global_step,
    create_global_step as create_global_step,
    get_global_step as get_global_step,
    get_or_create_global_step as get_or_create_global_step,
    global_step as global_step,
)
from ....training.optimizer import (
    Optimizer as Optimizer,
)
from ....training.optimizers import (
    AdadeltaOptimizer as AdadeltaOptimizer,
    AdagradOptimizer as AdagradOptimizer,
    AdamOptimizer as AdamOptimizer,
    GradientDescentOptimizer as GradientDescentOptimizer,
    MomentumOptimizer as MomentumOptimizer,
    RMSPropOptimizer as RMSPropOptimizer,
)
from ....training.proximal import (
    AdagradDAOptimizer as AdagradDAOptimizer,
    FtrlOptimizer as FtrlOptimizer,
    ProximalAdagradOptimizer as ProximalAdagradOptimizer,
    ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer,
)
from ....training.schedules import (
    cosine_decay as cosine_decay,
    cosine_decay_restarts as cosine_decay_restarts,
    exponential_decay as exponential_decay,
    inverse_time_decay as inverse_time_decay,
    linear_cosine_decay as linear_cosine_decay,
    natural_exp_decay as natural_exp_decay,
    noisy_linear_cosine_decay as noisy_linear_cosine_decay,
    piecewise_constant as _piecewise_constant_decay,
    piecewise_constant as piecewise_constant,
    polynomial_decay as polynomial_decay,
)

# Names that differ from ours, as type checkers want them said.
NewCheckpointReader = _NewCheckpointReader
piecewise_constant_decay = _piecewise_constant_decay
