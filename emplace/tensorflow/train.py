"""`tf.train`."""

from ..distribute.cluster.spec import (
    ClusterDef as ClusterDef,
    ClusterSpec as ClusterSpec,
    JobDef as JobDef,
    ServerDef as ServerDef,
)
from ..ops.io.examples import (
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
from ..state.checkpoint_state import (
    get_checkpoint_state as get_checkpoint_state,
    latest_checkpoint as latest_checkpoint,
    list_variables as list_variables,
    load_checkpoint as load_checkpoint,
    load_variable as load_variable,
)
from ..state.checkpoint_waiting import (
    checkpoints_iterator as checkpoints_iterator,
)
from ..state.coordinator import (
    Coordinator as Coordinator,
)
from ..training.averages import (
    ExponentialMovingAverage as ExponentialMovingAverage,
)
from ..training.checkpoints.checkpoint import (
    Checkpoint as Checkpoint,
)
from ..training.checkpoints.checkpoint_manager import (
    CheckpointManager as CheckpointManager,
)
from ..training.checkpoints.views import (
    CheckpointView as CheckpointView,
    TrackableView as TrackableView,
)
from ..training.optimizers import (
    GradientDescentOptimizer as GradientDescentOptimizer,
)
