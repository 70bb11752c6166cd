"""`tf.contrib.rnn`."""

from ....classic.models.rnn import (
    static_bidirectional_rnn as static_bidirectional_rnn,
    static_rnn as static_rnn,
)
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
