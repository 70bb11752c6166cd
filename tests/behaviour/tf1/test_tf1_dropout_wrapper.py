"""What `DropoutWrapper` drops for a seed: inputs, outputs and states by seeds of their own. The
masks are TensorFlow's.
"""

import numpy as np
import pytest

import emplace.tensorflow as tf

tf1 = tf.compat.v1
rnn_cell = tf1.nn.rnn_cell
_ONES = np.ones([3, 4], np.float32)


class _Same(rnn_cell.RNNCell):
    """Outputs are the inputs, and the state stays."""

    def __init__(self, state_size=4):
        super().__init__()
        self._size = state_size

    state_size = property(lambda self: self._size)
    output_size = property(lambda self: 4)

    def __call__(self, inputs, state, scope=None):
        return inputs, state


def _kept(cell):
    """Which elements of the output and of the state a graph with a seed keeps."""
    with tf.Graph().as_default():
        tf1.set_random_seed(5)
        wrapped = cell()
        state = tf.nest.map_structure(lambda _: tf.constant(_ONES), wrapped.state_size)
        with tf1.Session() as session:
            output, state = session.run(wrapped(tf.constant(_ONES), state))
    rows = [output, *tf.nest.flatten(state)]
    return [["".join("x" if each else "." for each in row) for row in value] for value in rows]


_ALL = ["xxxx"] * 3


@pytest.mark.parametrize(
    ("cell", "kept"),
    [
        (
            lambda: rnn_cell.DropoutWrapper(_Same(), 0.5, 0.6, 0.7, seed=3),
            [["x.x.", "..x.", "x..."], ["x..x", ".x.x", ".xxx"]],
        ),
        (
            lambda: rnn_cell.DropoutWrapper(_Same((4, 4)), state_keep_prob=0.7, seed=3),
            [_ALL, ["x..x", ".x.x", ".xxx"], _ALL],
        ),
        (
            lambda: rnn_cell.DropoutWrapper(
                _Same(rnn_cell.LSTMStateTuple(4, 4)), state_keep_prob=0.5, seed=3
            ),
            [_ALL, _ALL, ["xxxx", "xx.x", "xx.x"]],
        ),
        (
            lambda: rnn_cell.DropoutWrapper(
                _Same(rnn_cell.LSTMStateTuple(4, 4)), state_keep_prob=0.5, seed=3,
                dropout_state_filter_visitor=lambda state: True,
            ),
            [_ALL, ["....", "...x", ".xx."], ["xxxx", "xx.x", "xx.x"]],
        ),
        (
            lambda: rnn_cell.DropoutWrapper(
                _Same((4, 4)), state_keep_prob=0.5, seed=3,
                dropout_state_filter_visitor=lambda state: (
                    (False, True) if isinstance(state, tuple) else True
                ),
            ),
            [_ALL, _ALL, ["xxxx", "xx.x", "xx.x"]],
        ),
        (
            lambda: rnn_cell.DropoutWrapper(
                _Same(), state_keep_prob=0.5, dropout_state_filter_visitor=lambda state: False
            ),
            [_ALL, _ALL],
        ),
        (
            lambda: rnn_cell.DropoutWrapper(
                _Same(), 0.5, 0.6, 0.7, variational_recurrent=True, input_size=4,
                dtype=tf.float32, seed=3,
            ),
            [["x.x."] * 3, ["x..x"] * 3],
        ),
        (
            lambda: rnn_cell.DropoutWrapper(
                _Same(), 0.5, 0.6, 0.7, variational_recurrent=True,
                input_size=tf.TensorShape([4]), dtype=tf.float32,
            ),
            [["..x."] * 3, ["xxxx"] * 3],
        ),
    ],
)  # fmt: skip
def test_masks(cell, kept):
    assert _kept(cell) == kept


def test_steps_of_a_recurrent_mask_drop_the_same():
    cell = rnn_cell.DropoutWrapper(
        _Same(), 0.5, variational_recurrent=True, input_size=4, dtype=tf.float32
    )
    first, second = (cell(tf.constant(_ONES), tf.constant(_ONES))[0].numpy() for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_what_a_wrapper_refuses():
    refused = {
        "Parameter input_keep_prob must be between 0 and 1: 2": {"input_keep_prob": 2.0},
        "Parameter output_keep_prob must be between 0 and 1: -1": {"output_keep_prob": -1.0},
        "When variational_recurrent=True, dtype must be provided": {"variational_recurrent": True},
        "input_keep_prob < 1.0 or is unknown, input_size must be provided": {
            "input_keep_prob": 0.5, "variational_recurrent": True, "dtype": tf.float32,
        },
    }  # fmt: skip
    for words, arguments in refused.items():
        with pytest.raises(ValueError, match=words):
            rnn_cell.DropoutWrapper(_Same(), **arguments)
    with pytest.raises(TypeError, match="dropout_state_filter_visitor must be callable"):
        rnn_cell.DropoutWrapper(_Same(), dropout_state_filter_visitor=3)
