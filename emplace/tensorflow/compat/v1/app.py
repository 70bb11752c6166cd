"""`tf.compat.v1.app`."""

from absl import flags

from ....classic.programs.app import (
    run as run,
)
