"""`tf.nn.experimental`."""

from ..ops.dropout import general_dropout
