"""Checkpoints of TF 1's Saver in objects: what TensorFlow 2.21 finds by name."""

from __future__ import annotations

import emplace.tensorflow as tf


def test_all_variables_of_a_name_get_its_value(tmp_path):
    saved = tf.Variable(3.0, name="scoped/c")
    path = tf.compat.v1.train.Saver([saved]).save(None, str(tmp_path / "names"))
    with tf.name_scope("scoped"):
        first = tf.Variable(0.0, name="c")
    second = tf.Variable(0.0, name="scoped/c")
    tf.train.Checkpoint(variables=[first, second]).restore(path).assert_consumed()
    assert [first.numpy(), second.numpy()] == [3.0, 3.0]
