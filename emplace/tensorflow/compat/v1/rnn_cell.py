"""`tf.compat.v1.nn.rnn_cell`."""

from ....classic.models.rnn_cells import (
    BasicLSTMCell as BasicLSTMCell,
    BasicRNNCell as BasicRNNCell,
    GRUCell as GRUCell,
    LSTMCell as LSTMCell,
    LSTMStateTuple as LSTMStateTuple,
    MultiRNNCell as MultiRNNCell,
    RNNCell as RNNCell,
)
from ....classic.models.rnn_wrappers import (
    DeviceWrapper as DeviceWrapper,
    DropoutWrapper as DropoutWrapper,
    ResidualWrapper as ResidualWrapper,
)
