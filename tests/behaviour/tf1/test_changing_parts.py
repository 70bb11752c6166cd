"""TF 1's functions on variables take parts of them, and eager variables TF 1's arguments."""

from __future__ import annotations

import emplace.tensorflow as tf

v1 = tf.compat.v1


def test_assign_takes_a_part_of_a_variable_eagerly() -> None:
    v = tf.Variable([1, 2, 3])
    v1.assign(v[1], 7)
    v1.assign(v[2:], [8])
    assert v.numpy().tolist() == [1, 7, 8]


def test_assign_takes_a_part_of_a_variable_in_a_graph() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.Variable([1, 2, 3])
        change = v1.assign(v[1:2], [7])
        session.run(v.initializer)
        assert session.run(change).tolist() == [1, 7, 3]
        assert session.run(v).tolist() == [1, 7, 3]


def test_an_eager_variable_takes_the_arguments_of_tf1() -> None:
    v = v1.Variable(1.0, use_resource=True, collections=["mine"], expected_shape=[])
    assert v.numpy() == 1.0
