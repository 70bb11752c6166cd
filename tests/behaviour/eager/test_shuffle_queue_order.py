"""A queue that shuffles gives its elements in TensorFlow's order. Its answers."""

import pytest

import emplace.tensorflow as tf


def _order(**arguments):
    queue = tf.queue.RandomShuffleQueue(20, 0, [tf.int32], [[]], **arguments)
    queue.enqueue_many([tf.range(8)])
    return queue.dequeue_many(8)


@pytest.mark.parametrize(
    ("seed", "order"),
    [
        (0, [1, 7, 2, 0, 6, 5, 3, 4]),
        (5, [7, 4, 0, 6, 5, 1, 2, 3]),
        (123456789012, [4, 2, 1, 6, 7, 3, 0, 5]),
    ],
)
def test_of_its_own_seed(seed, order):
    assert _order(seed=seed).numpy().tolist() == order


def test_of_the_programs_seed():
    tf.random.set_seed(7)
    assert _order().numpy().tolist() == [2, 7, 5, 3, 0, 1, 4, 6]
    assert _order().numpy().tolist() == [0, 1, 3, 2, 7, 4, 6, 5]
    assert _order(shared_name="y").numpy().tolist() == [5, 4, 1, 3, 7, 6, 2, 0]
    assert _order(seed=3).numpy().tolist() == [1, 3, 2, 6, 5, 0, 4, 7]
    tf.random.set_seed(7)
    assert tf.function(_order)().numpy().tolist() == [5, 7, 0, 6, 3, 4, 1, 2]


def test_of_a_graphs_seed():
    with tf.Graph().as_default():
        tf.compat.v1.set_random_seed(4)
        queue = tf.queue.RandomShuffleQueue(20, 0, [tf.int32], [[]])
        put, rows = queue.enqueue_many([tf.range(8)]), queue.dequeue_many(8)
        for _ in range(2):
            with tf.compat.v1.Session() as session:
                session.run(put)
                assert session.run(rows).tolist() == [1, 2, 3, 7, 5, 6, 0, 4]


def test_of_raw_seeds():
    handle = tf.raw_ops.RandomShuffleQueueV2(
        component_types=[tf.int32], shapes=[[]], seed=3, seed2=9, shared_name="raw"
    )
    tf.raw_ops.QueueEnqueueManyV2(handle=handle, components=[tf.range(8)])
    (rows,) = tf.raw_ops.QueueDequeueManyV2(handle=handle, n=8, component_types=[tf.int32])
    assert rows.numpy().tolist() == [2, 1, 6, 7, 3, 0, 4, 5]
