"""`tf.xla.experimental`."""

from ...interop.xla import (
    compile as compile,
    jit_scope as jit_scope,
)
