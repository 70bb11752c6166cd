"""`tf.compat.v1.saved_model.tag_constants`."""

from ....saved_model import (
    GPU as GPU,
    SERVING as SERVING,
    TPU as TPU,
    TRAINING as TRAINING,
)
