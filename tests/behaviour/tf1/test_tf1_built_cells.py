"""Cells and layers that a program builds itself, initial states, and what cells refuse. The names
and the words are TensorFlow's.
"""

import pytest

import emplace.tensorflow as tf

tf1 = tf.compat.v1
rnn_cell = tf1.nn.rnn_cell
_CELLS = [rnn_cell.BasicRNNCell, rnn_cell.GRUCell, rnn_cell.BasicLSTMCell, rnn_cell.LSTMCell]


@pytest.mark.parametrize("kind", _CELLS)
def test_cells_use_what_build_made(kind):
    with tf.Graph().as_default(), tf1.variable_scope("outer"):
        cells = [kind(3, dtype=tf.float32) for _ in range(2)]
        for cell in cells:
            cell.build(tf.TensorShape([5, 7]))
        variables = list(cells[0].variables)
        output, _ = cells[0](tf.zeros([5, 7]), cells[0].zero_state(5, tf.float32))
        assert output.shape == [5, 3]
        assert cells[0].built
        assert len(cells[0].variables) == len(variables)
        first, second = (cell.variables[0].name.split("/")[1] for cell in cells)
        assert second == f"{first}_1"


def test_layers_use_what_build_made():
    dense = tf1.layers.Dense(3)
    dense.build(tf.TensorShape([5, 7]))
    assert [each.name for each in dense.variables] == ["dense/kernel:0", "dense/bias:0"]
    dense.variables[1].assign([1.0, 2.0, 3.0])
    assert dense(tf.zeros([1, 7])).numpy().tolist() == [[1.0, 2.0, 3.0]]


def test_a_wrapper_builds_its_cell():
    cell = rnn_cell.DropoutWrapper(rnn_cell.BasicRNNCell(3))
    cell.build(tf.TensorShape([5, 7]))
    assert len(cell.wrapped_cell.variables) == 2


@pytest.mark.parametrize("kind", _CELLS)
def test_cells_refuse_integers(kind):
    with pytest.raises(ValueError, match="RNN cell only supports floating point inputs, but saw"):
        tf1.nn.dynamic_rnn(kind(3), tf.zeros([3, 4, 5], tf.int32), dtype=tf.int32)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((None, None, None), "batch_size and dtype cannot be None while constructing initial"),
        ((None, 3, None), "batch_size and dtype cannot be None while constructing initial"),
        (("inputs", 4, None), "batch size from input tensor is different from the input param. "),
        (("inputs", None, tf.int16), "dtype from input tensor is different from the input param."),
    ],
)
def test_initial_states_that_do_not_fit(arguments, words):
    inputs, *others = arguments
    cell = rnn_cell.BasicRNNCell(5)
    with pytest.raises(ValueError, match=words):
        cell.get_initial_state(tf.zeros([3, 4]) if inputs else None, *others)
    assert cell.get_initial_state(tf.zeros([3, 4]), tf.constant(3), "float32").shape == [3, 5]
    assert cell.get_initial_state(None, 3, tf.float32).shape == [3, 5]
