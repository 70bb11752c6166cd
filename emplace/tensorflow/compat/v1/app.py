"""`tf.compat.v1.app`."""

from absl import flags

from ....classic.app import run
