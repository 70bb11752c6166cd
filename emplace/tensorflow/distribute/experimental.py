"""`tf.distribute.experimental`."""

from ...base.missing import (
    Missing,
)
from ...distribute.inputs.inputs import (
    ValueContext,
)
from ...distribute.reductions.cross_device import (
    CollectiveHints,
    CommunicationImplementation,
    CommunicationOptions,
)
from ...distribute.reductions.cross_device import (
    CommunicationImplementation as CollectiveCommunication,
)
from ...distribute.servers.strategy import (
    ParameterServerStrategy,
)
from ...distribute.strategies.central_storage import (
    CentralStorageStrategy,
)
from ...distribute.strategies.unsupported import (
    TPUStrategy,
)
from ...distribute.workers.strategy import (
    ExperimentalMultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
)
from . import (
    coordinator,
    partitioners,
)

_INSTEAD = "There is one machine: use tf.distribute.MirroredStrategy."

PreemptionCheckpointHandler = Missing.of(
    "tf.distribute.experimental.PreemptionCheckpointHandler",
    "Use tf.train.CheckpointManager, or Keras's BackupAndRestore.",
)
PreemptionWatcher = Missing.of("tf.distribute.experimental.PreemptionWatcher", _INSTEAD)
TerminationConfig = Missing.of("tf.distribute.experimental.TerminationConfig", _INSTEAD)
rpc = Missing.of("tf.distribute.experimental.rpc", _INSTEAD)
