"""`tf.distribute.experimental`."""

from ...base.missing import (
    Missing as Missing,
)
from ...distribute.inputs.inputs import (
    ValueContext as ValueContext,
)
from ...distribute.reductions.cross_device import (
    CollectiveHints as CollectiveHints,
    CommunicationImplementation as CommunicationImplementation,
    CommunicationImplementation as _CollectiveCommunication,
    CommunicationOptions as CommunicationOptions,
)
from ...distribute.servers.strategy import (
    ParameterServerStrategy as ParameterServerStrategy,
)
from ...distribute.strategies.central_storage import (
    CentralStorageStrategy as CentralStorageStrategy,
)
from ...distribute.strategies.unsupported import (
    TPUStrategy as TPUStrategy,
)
from ...distribute.workers.strategy import (
    ExperimentalMultiWorkerMirroredStrategy as _MultiWorkerMirroredStrategy,
)
from . import (
    coordinator as coordinator,
    partitioners as partitioners,
)

# Names that differ from ours, as type checkers want them said.
CollectiveCommunication = _CollectiveCommunication
MultiWorkerMirroredStrategy = _MultiWorkerMirroredStrategy

_INSTEAD = "There is one machine: use tf.distribute.MirroredStrategy."

PreemptionCheckpointHandler = Missing.of(
    "tf.distribute.experimental.PreemptionCheckpointHandler",
    "Use tf.train.CheckpointManager, or Keras's BackupAndRestore.",
)
PreemptionWatcher = Missing.of("tf.distribute.experimental.PreemptionWatcher", _INSTEAD)
TerminationConfig = Missing.of("tf.distribute.experimental.TerminationConfig", _INSTEAD)
rpc = Missing.of("tf.distribute.experimental.rpc", _INSTEAD)
