"""Features of AutoGraph on request. What is found and printed is what TensorFlow 2.21 has."""

from __future__ import annotations

import emplace.tensorflow as tf
import emplace.v1 as tf1

Feature = tf.autograph.experimental.Feature


def test_lists_may_be_arrays_of_tensors():
    @tf.function(experimental_autograph_options=Feature.LISTS)
    def doubled(n):
        found = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            found.append(i * 2)
        return found.stack()

    assert doubled(tf.constant(4)).numpy().tolist() == [0, 2, 4, 6]
    with tf1.Graph().as_default(), tf1.Session() as session:
        assert session.run(doubled(tf1.constant(3))).tolist() == [0, 2, 4]


def test_items_of_arrays_and_tensors_may_be_assigned():
    @tf.function(experimental_autograph_options=Feature.LISTS)
    def assigned(n):
        array, tensor, items = tf.TensorArray(tf.int32, size=2), tf.zeros([3], tf.int32), [0]
        array[0] = n
        array[1] = n + 1
        tensor[1] = n
        items[0] = n
        return array[1], tensor, items[0]

    found = [x.numpy().tolist() for x in assigned(tf.constant(4))]
    assert found == [5, [0, 4, 0], 4]


def test_print_prints_values_each_time(capfd):
    @tf.function(experimental_autograph_options=Feature.BUILTIN_FUNCTIONS)
    def counted(n):
        i = 0
        while i < n:
            print(i, "of", n, sep="-")
            i += 1
        print("text", tf.constant(["a", "b"]), end="!\n")
        print("static")
        return n

    counted(tf.constant(2))
    assert capfd.readouterr().out.splitlines() == [
        "static", "0-of-2", "1-of-2", "text [b'a' b'b']!",
    ]  # fmt: skip
    counted(tf.constant(1))
    assert capfd.readouterr().out.splitlines() == ["0-of-1", "text [b'a' b'b']!"]


def test_print_shows_tensors_of_the_graph_otherwise(capfd):
    @tf.function
    def plain(n):
        print(n)
        return n

    plain(tf.constant(2))
    assert capfd.readouterr().out == 'Tensor("n:0", shape=(), dtype=int32)\n'
