"""`tf.nn.experimental`."""

from ..ops.nn.dropout import (
    general_dropout as general_dropout,
    stateless_dropout as stateless_dropout,
)
