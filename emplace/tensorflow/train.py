"""`tf.train`."""

from ..distribute.cluster.spec import (
    ClusterDef,
    ClusterSpec,
    JobDef,
    ServerDef,
)
from ..ops.io.examples import (
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
from ..state.checkpoint_state import (
    get_checkpoint_state,
    latest_checkpoint,
    list_variables,
    load_checkpoint,
    load_variable,
)
from ..state.checkpoint_waiting import (
    checkpoints_iterator,
)
from ..state.coordinator import (
    Coordinator,
)
from ..training.averages import ExponentialMovingAverage
from ..training.checkpoint import Checkpoint
from ..training.checkpoint_manager import CheckpointManager
from ..training.optimizers import (
    GradientDescentOptimizer,
)
