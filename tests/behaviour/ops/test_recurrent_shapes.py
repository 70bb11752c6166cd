"""What raw recurrent cells and dilated convolutions say of inputs that do not fit each other."""

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.base.errors import InvalidArgumentError


def lstm(**others):
    shapes = {
        "x": [2, 3], "cs_prev": [2, 4], "h_prev": [2, 4], "w": [7, 16], "wci": [4], "wcf": [4],
        "wco": [4], "b": [16],
    }  # fmt: skip
    return {name: tf.ones(shape) for name, shape in (shapes | others).items()}


@pytest.mark.parametrize("use_peephole", [False, True])
@pytest.mark.parametrize(
    ("name", "shape", "text"),
    [
        ("cs_prev", [4], "cs_prev_tensor must be rank 2 but is rank 1"),
        ("cs_prev", [], "cs_prev_tensor must be rank 2 but is rank 0"),
        ("cs_prev", [3, 4], r"cs_prev.dims\(0\) != batch_size: 3 vs. 2"),
        ("wci", [], "wci_tensor must be rank 1 but is rank 0"),
        ("wco", [4, 1], "wco_tensor must be rank 1 but is rank 2"),
        ("w", [7, 15], r"w.dim_size\(1\) != cell_size \* 4: 15 vs. 16"),
        ("b", [], "b_tensor must be rank 1 but is rank 0"),
        ("b", [4], r"b.dim_size\(0\) != cell_size \* 4: 4 vs. 16"),
    ],
)
def test_a_cell_stretches_nothing(use_peephole, name, shape, text):
    with pytest.raises(InvalidArgumentError, match=text):
        tf.raw_ops.LSTMBlockCell(**lstm(**{name: shape}), use_peephole=use_peephole)


@pytest.mark.parametrize("op", ["BlockLSTM", "BlockLSTMV2"])
@pytest.mark.parametrize(
    ("name", "shape", "text"),
    [
        ("cs_prev", [], "cs_prev must be 2D"),
        ("wcf", [3], r"wcf.dim_size\(0\) != cell_size: 3 vs. 4"),
        ("wcf", [], "wcf must be 1D"),
        ("b", [], "b must be 1D"),
    ],
)
def test_all_steps_of_a_cell_stretch_nothing(op, name, shape, text):
    inputs = lstm(**({"x": [2, 2, 3]} | {name: shape}))
    with pytest.raises(InvalidArgumentError, match=text):
        getattr(tf.raw_ops, op)(seq_len_max=tf.constant(2, tf.int64), **inputs)
    inputs = lstm(x=[2, 2, 3])
    with pytest.raises(InvalidArgumentError, match="must be rank 0 but is rank 1"):
        getattr(tf.raw_ops, op)(seq_len_max=tf.constant([2], tf.int64), **inputs)


def test_a_gated_cell_stretches_nothing():
    shapes = {"x": [2, 3], "h_prev": [2, 4], "w_ru": [7, 8], "w_c": [7, 4], "b_ru": [], "b_c": [4]}
    with pytest.raises(InvalidArgumentError, match="Rank of b_ru must be 1, got 0"):
        tf.raw_ops.GRUBlockCell(**{name: tf.ones(shape) for name, shape in shapes.items()})


def test_dilated_convolutions_take_one_dtype_and_a_rate_for_each_direction():
    value, filters = np.ones((1, 8, 8, 2)), np.ones((3, 3, 2, 4), np.float32)
    with pytest.raises(InvalidArgumentError, match="was expected to be a double tensor but is a"):
        tf.nn.atrous_conv2d(value, filters, 2, "SAME")
    value = value.astype(np.float32)
    expected = tf.nn.atrous_conv2d(value, filters, 2, "SAME")
    for rate in ([2, 2], [2], np.array([2, 2])):
        assert np.array_equal(tf.nn.atrous_conv2d(value, filters, rate, "SAME"), expected)
    with pytest.raises(ValueError, match=r"must be positive. Received: dilation_rate=\[2, 0\]"):
        tf.nn.atrous_conv2d(value, filters, [2, 0], "SAME")
    with pytest.raises(TypeError, match="'paddings' has DataType float32"):
        tf.nn.atrous_conv2d_transpose(value, filters, [1, 8, 8, 4], 2.0, "SAME")
