"""`tf.distribute.experimental`."""

from ...distribute.elsewhere import (
    MultiWorkerMirroredStrategy,
    ParameterServerStrategy,
    TPUStrategy,
)
from ...distribute.strategy import (
    ValueContext,
)
