"""`tf.nn.experimental`."""

from ..ops.nn.dropout import general_dropout, stateless_dropout
