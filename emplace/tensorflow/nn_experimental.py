"""`tf.nn.experimental`."""

from ..ops.dropout import general_dropout, stateless_dropout
