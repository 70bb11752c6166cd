"""`tf.distribute.experimental`."""

from ...distribute.central_storage import (
    CentralStorageStrategy,
)
from ...distribute.cross_device import (
    CollectiveHints,
    CommunicationImplementation,
    CommunicationOptions,
)
from ...distribute.cross_device import (
    CommunicationImplementation as CollectiveCommunication,
)
from ...distribute.elsewhere import (
    MultiWorkerMirroredStrategy,
    ParameterServerStrategy,
    TPUStrategy,
)
from ...distribute.inputs import (
    ValueContext,
)
