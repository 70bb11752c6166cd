"""`tf.contrib.rnn`."""

from ....classic.models.rnn import static_bidirectional_rnn, static_rnn
from ....classic.models.rnn_cells import (
    BasicLSTMCell,
    BasicRNNCell,
    DeviceWrapper,
    DropoutWrapper,
    GRUCell,
    LSTMCell,
    LSTMStateTuple,
    MultiRNNCell,
    ResidualWrapper,
    RNNCell,
)
