"""`tf.compat.v1.nn.rnn_cell`."""

from ....classic.models.rnn_cells import (
    BasicLSTMCell as BasicLSTMCell,
    BasicRNNCell as BasicRNNCell,
    DeviceWrapper as DeviceWrapper,
    DropoutWrapper as DropoutWrapper,
    GRUCell as GRUCell,
    LSTMCell as LSTMCell,
    LSTMStateTuple as LSTMStateTuple,
    MultiRNNCell as MultiRNNCell,
    ResidualWrapper as ResidualWrapper,
    RNNCell as RNNCell,
)
