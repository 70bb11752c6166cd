"""`tf.raw_ops`: one function per op, made when it is asked for."""

from ..raw import (
    raw_attribute as __getattr__,
    raw_names as __dir__,
)
