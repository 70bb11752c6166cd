"""Seeds of datasets that are tensors: known at once, or when a session starts the iterator."""

from __future__ import annotations

from typing import Any

import emplace.tensorflow as tf

v1 = tf.compat.v1
ORDER = [4, 3, 2, 1, 0]  # TensorFlow 2.21's for seed 3 in a graph without one


def test_a_constant_of_a_graph_is_a_seed() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        data = v1.data.Dataset.range(5).shuffle(5, tf.constant(3, tf.int64))
        element = v1.data.make_one_shot_iterator(data).get_next()
        assert [int(session.run(element)) for _ in range(5)] == ORDER


def test_a_seed_may_be_fed() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        seed = v1.placeholder(tf.int64, [])
        iterator = v1.data.make_initializable_iterator(v1.data.Dataset.range(5).shuffle(5, seed))
        element = iterator.get_next()

        def order(value: Any) -> list[int]:
            session.run(iterator.initializer, {seed: value})
            return [int(session.run(element)) for _ in range(5)]

        assert order(3) == ORDER
        assert order(4) == order(4) != ORDER
