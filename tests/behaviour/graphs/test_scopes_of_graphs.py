"""A scope of a graph is about that graph, whichever takes ops while it is entered."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf

CPU, GPU = "/device:CPU:0", "/device:GPU:1"


@pytest.fixture
def graphs():
    """Two graphs."""
    return tf.Graph(), tf.Graph()


def test_a_device_scope_of_a_graph_leaves_eager_ops_alone(graphs, virtual_gpus):
    virtual_gpus(2)
    graph, _ = graphs
    with graph.device(GPU):
        eager = tf.constant(1.0) + 1
        with graph.as_default():
            inside = tf.constant(1.0)
    with graph.as_default():
        after = tf.constant(1.0)
    assert eager.device.endswith("GPU:0")
    assert [inside.device, after.device] == [GPU, ""]


def test_each_graph_has_device_scopes_of_its_own(graphs):
    one, other = graphs
    with one.as_default():
        with one.device(GPU):
            with other.as_default():
                x = tf.constant(1.0)
                with one.as_default():
                    y = tf.constant(1.0)
                with one.device(CPU):
                    z = tf.constant(1.0)
                    with one.as_default():
                        u = tf.constant(1.0)
                with other.device(CPU):
                    v = tf.constant(1.0)
            w = tf.constant(1.0)
            with one.as_default():
                again = tf.constant(1.0)
        after = tf.constant(1.0)
    # As TensorFlow 2.21.
    found = [each.device for each in (x, y, z, u, v, w, again, after)]
    assert found == ["", GPU, "", CPU, CPU, GPU, GPU, ""]


def test_a_device_function_of_a_graph_is_asked_for_its_operations_only(graphs):
    one, other = graphs
    with one.device(lambda op: GPU if op.type == "Const" else ""):
        with other.as_default():
            x = tf.constant(1.0)
        with one.as_default(), one.device("/job:localhost"):
            y = tf.constant(1.0)
    assert [x.device, y.device] == ["", GPU]


def test_names_order_and_groups_are_the_graphs_own(graphs):
    one, other = graphs
    with one.as_default():
        first = tf.no_op()
        place = tf.constant(1.0)
    with one.name_scope("a"), one.control_dependencies([first]), one.colocate_with(place):
        with one.as_default():
            x = tf.constant(1.0, name="x")
        with other.as_default():
            y = tf.constant(1.0, name="x")
    assert [x.name, y.name] == ["a/x:0", "x:0"]
    assert [x.op.control_inputs, y.op.control_inputs] == [[first], []]
    assert [x.op.colocation_groups(), y.op.colocation_groups()] == [[b"loc:@Const"], [b"loc:@x"]]


def test_lifting_the_groups_of_a_graph_leaves_eager_device_scopes_alone(graphs, virtual_gpus):
    virtual_gpus(1)
    graph, _ = graphs
    with tf.device(CPU), graph.colocate_with(None, ignore_existing=True):
        x = tf.constant(1.0) + 1
    assert x.device.endswith("CPU:0")
