"""`tf.raw_ops`: one function per op, made from the op's record when it is asked for."""

from ..ops.raw import (
    raw_attribute as __getattr__,
    raw_names as __dir__,
)
