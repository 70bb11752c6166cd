"""Fractional pools: when windows change, what they refuse, and their gradients by raw ops. The
numbers and the words are TensorFlow's; contract cases have more of them.
"""

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.base.errors import InvalidArgumentError, UnimplementedError

_RATIOS = [1.0, 1.5, 1.5, 1.0]
_VALUE = np.arange(36.0).reshape(1, 6, 6, 1)
nn1 = tf.compat.v1.nn


def test_determinism_wants_seeds_of_largest_elements():
    tf.config.experimental.enable_op_determinism()
    tf.random.set_seed(1)
    refused = "tf.nn.fractional_max_pool requires a non-zero seed to be passed in when determinism"
    with pytest.raises(ValueError, match=refused):
        tf.nn.fractional_max_pool(_VALUE, _RATIOS)
    tf.nn.fractional_max_pool(_VALUE, _RATIOS, seed=1)
    for seeds in ({}, {"seed": 1, "deterministic": True}, {"seed": 1, "seed2": 1}):
        with pytest.raises(ValueError, match='requires "seed" and "seed2" to be non-zero'):
            nn1.fractional_max_pool(_VALUE, _RATIOS, **seeds)
    nn1.fractional_max_pool(_VALUE, _RATIOS, seed=1, seed2=1, deterministic=True)
    tf.nn.fractional_avg_pool(_VALUE, _RATIOS)
    nn1.fractional_avg_pool(_VALUE, _RATIOS)


@pytest.mark.parametrize("shape", [[1, 20, 30, 1], [None] * 4, None])
def test_windows_of_a_function_are_those_of_its_seed(shape):
    @tf.function(input_signature=[tf.TensorSpec(shape)])
    def windows(value):
        return tf.nn.fractional_max_pool(value, 1.6, seed=1)[1]

    rows = [0, 2, 4, 6, 7, 8, 10, 12, 14, 15, 17, 19, 20]
    assert windows(np.zeros([1, 20, 30, 1])).numpy().tolist() == rows


def test_windows_without_a_seed_change():
    tf.random.set_seed(3)
    value = np.zeros([1, 199, 199, 1])
    draw = tf.function(lambda: tf.nn.fractional_max_pool(value, 1.6)[1])
    assert draw().numpy().tolist() != draw().numpy().tolist()


@pytest.mark.parametrize("name", ["FractionalMaxPool", "FractionalAvgPool"])
@pytest.mark.parametrize(
    ("ratios", "error", "words"),
    [
        ([1, -1, 3, 1], InvalidArgumentError, "pooling_ratio cannot be smaller than 1, got: -1"),
        ([2, 2, 2, 1], UnimplementedError, "pooling is not yet supported on the batch nor channel"),
        (
            [1, 1.5, 7, 1], InvalidArgumentError,
            "Pooling ratio is higher than input dimension size for dimension 2. Input dim size: 6",
        ),
        ([1, 2, 2, 1, 1], InvalidArgumentError, "pooling_ratio field must specify 4 dimensions"),
    ],
)  # fmt: skip
def test_ratios_that_do_not_fit(name, ratios, error, words):
    with pytest.raises(error, match=words):
        getattr(tf.raw_ops, name)(value=_VALUE, pooling_ratio=ratios)


def _max_back(rows, cols):
    value = tf.constant(_VALUE)
    return tf.raw_ops.FractionalMaxPoolGrad(
        orig_input=value, orig_output=value[:, 1::2, 1::2], out_backprop=value[:, :3, :3],
        row_pooling_sequence=rows, col_pooling_sequence=cols,
    )  # fmt: skip


def test_what_the_gradient_of_largest_elements_refuses():
    even = [0, 2, 4, 6]
    assert float(tf.reduce_sum(_max_back(even, even))) == _VALUE[:, :3, :3].sum()
    for rows in ([0, 2, 6], [0, 4, 2, 6], [0, 20, 40, 60], [-9, -8, -7, 6]):
        with pytest.raises(InvalidArgumentError, match="tensor_out_dup is not the same as"):
            _max_back(rows, even)
    with pytest.raises(InvalidArgumentError, match="row_pooling_sequence must be a vector"):
        _max_back(0, even)


def test_what_the_gradient_of_means_refuses():
    def back(shape, rows, cols):
        return tf.raw_ops.FractionalAvgPoolGrad(
            orig_input_tensor_shape=shape, out_backprop=np.ones([1, 3, 3, 1]),
            row_pooling_sequence=rows, col_pooling_sequence=cols, overlapping=True,
        )  # fmt: skip

    even = [0, 2, 4, 6]
    refused = {
        "Row sequence tensor values must not be negative, got -10   1   2   3": (
            [1, 6, 6, 1], [-10, 1, 2, 3], even,
        ),
        "Column sequence tensor values must not be negative": ([1, 6, 6, 1], even, [1, 2, -3, 4]),
        "row_seq_tensor must have at least 4 elements, but got 3": ([1, 6, 6, 1], [0, 3, 6], even),
        "original input tensor shape must be1-dimensional": ([1, 6, 6], even, even),
        "Expected a non-negative size, got -6": ([1, -6, 6, 1], even, even),
    }  # fmt: skip
    for words, arguments in refused.items():
        with pytest.raises(InvalidArgumentError, match=words):
            back(*arguments)
