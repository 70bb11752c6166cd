"""Where determinism is wished for, numbers that nobody can repeat are refused in each form."""

import pytest

import emplace.tensorflow as tf
from emplace.base.errors import InvalidArgumentError


def test_raw_ops_want_a_seed():
    tf.config.experimental.enable_op_determinism()
    with pytest.raises(InvalidArgumentError, match="random ops must have a seed specified"):
        tf.raw_ops.TruncatedNormal(shape=[1], dtype=tf.float32)
    with pytest.raises(InvalidArgumentError, match="random ops must have a seed specified"):
        tf.raw_ops.RandomUniformInt(shape=[1], minval=0, maxval=3)
    assert tf.raw_ops.TruncatedNormal(shape=[1], dtype=tf.float32, seed=1).shape == [1]


def test_generators_must_begin_somewhere():
    tf.config.experimental.enable_op_determinism()
    with pytest.raises(RuntimeError, match='"from_non_deterministic_state" cannot be called when'):
        tf.random.Generator.from_non_deterministic_state()
    with pytest.raises(RuntimeError, match='"get_global_generator" cannot be called if'):
        tf.random.get_global_generator()
    tf.random.set_global_generator(tf.random.Generator.from_seed(50))
    assert tf.random.get_global_generator().normal([2]).shape == [2]
