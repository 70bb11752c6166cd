"""TF 1's checkpoints and variables of eager mode."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf


def test_variables_of_eager_mode_take_a_checkpoints_values_at_once(tmp_path):
    train, prefix = tf.compat.v1.train, str(tmp_path / "c")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.compat.v1.get_variable("a/v", initializer=[1.0, 2.0])
        session.run(tf.compat.v1.global_variables_initializer())
        train.Saver().save(session, prefix)
    one, other = tf.Variable([0.0, 0.0]), tf.Variable([0.0, 0.0], name="a/v")
    train.init_from_checkpoint(prefix, {"a/v": one})
    train.warm_start(prefix, [other])
    assert one.numpy().tolist() == other.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match=r"Shape of variable w:0 \(\(3,\)\) doesn't match"):
        train.init_from_checkpoint(prefix, {"a/v": tf.Variable([0.0] * 3, name="w")})
