"""Operations made by the name of their op, and scopes that follow values and threads."""

from __future__ import annotations

import threading

import pytest

import emplace.tensorflow as tf
from emplace.base.board_protos import board_proto

v1 = tf.compat.v1
AttrValue = board_proto("attr_value_pb2", "AttrValue")
NodeDef = board_proto("node_def_pb2", "NodeDef")


def test_create_op_adds_the_operation_of_that_name() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.constant([1.0, 2.0])
        axis = tf.constant(0)
    negative = graph.create_op("Neg", [x], [tf.float32], name="negative")
    joined = graph.create_op(
        "ConcatV2", [x, negative.outputs[0], axis], attrs={"N": AttrValue(i=2)}
    )
    whole = graph.create_op("Cast", [x], attrs={"DstT": AttrValue(type=3)})
    assert (negative.name, joined.name, whole.name) == ("negative", "ConcatV2", "Cast")
    assert negative.graph is graph
    assert tf.executing_eagerly()
    with v1.Session(graph=graph) as session:
        assert session.run(joined.outputs[0]).tolist() == [1.0, 2.0, -1.0, -2.0]
        assert session.run(whole.outputs[0]).tolist() == [1, 2]


def test_create_op_refuses_what_is_no_op_no_tensor_or_too_few() -> None:
    graph = tf.Graph()
    with pytest.raises(RuntimeError, match=r"^Op type not registered 'Nope' in binary running on"):
        graph.create_op("Nope", [])
    with pytest.raises(TypeError, match=r"^Input #0 is not a tensor: 1.0$"):
        graph.create_op("Neg", [1.0])
    with pytest.raises(ValueError, match=r"create_op: Neg takes 1 inputs \(x\), got 0\."):
        graph.create_op("Neg", [])
    graph.finalize()
    with pytest.raises(RuntimeError, match="Graph is finalized and cannot be modified"):
        graph.create_op("NoOp", [])


def test_a_node_def_becomes_an_operation_of_its_very_name() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = v1.placeholder(tf.float32)
        with graph.name_scope("outer"):
            node = NodeDef(name="neg", op="Neg", device="/cpu:0", attr={"T": AttrValue(type=1)})
            made = tf.Operation.from_node_def(node, graph, [x], control_inputs=[])
    assert (made.name, made.type, made.device) == ("neg", "Neg", "/device:CPU:0")
    with pytest.raises(ValueError, match=r"^Duplicate node name in graph: 'neg'"):
        tf.Operation.from_node_def(node, graph, [x])
    for name in ("", "_neg", "-neg", "neg:0"):
        with pytest.raises(ValueError, match=f"^`{name}` is not a valid node name"):
            tf.Operation.from_node_def(NodeDef(name=name, op="NoOp"), graph)


def test_in_a_name_scope_the_graph_of_its_values_is_the_default_one() -> None:
    one, other = tf.Graph(), tf.Graph()
    with one.as_default():
        x, y = v1.placeholder(tf.float32), v1.placeholder(tf.float32)
    with other.as_default():
        z = v1.placeholder(tf.float32)
        with v1.name_scope(None, "layer", [x, y, 3.0]) as scope:
            assert v1.get_default_graph() is one
            assert tf.add(x, y).name == "layer/Add:0"
        assert v1.get_default_graph() is other
        with pytest.raises(ValueError, match="must be from the same graph as"):
            v1.name_scope("layer", values=[x, z]).__enter__()
        assert v1.get_default_graph() is other
    assert scope == "layer/"


def _in_two_threads(graph: tf.Graph, scope: object) -> list[tf.Operation]:
    """What two threads add to a graph, each in a scope that it opened before the other one had
    left its own.
    """
    opened = [threading.Event(), threading.Event()]
    added: list[tf.Operation] = [None, None]

    def build(i: int) -> None:
        with graph.as_default(), scope(i):
            opened[i].set()
            opened[1].wait(10)
            added[i] = tf.constant(1.0, name="x").op

    threads = [threading.Thread(target=build, args=(i,)) for i in range(2)]
    for thread, event in zip(threads, opened, strict=True):
        thread.start()
        assert event.wait(10)
    for thread in threads:
        thread.join()
    return added


def test_threads_that_build_one_graph_have_name_scopes_of_their_own() -> None:
    graph = tf.Graph()
    added = _in_two_threads(graph, lambda i: graph.name_scope(f"scope{i}"))
    assert [each.name for each in added] == ["scope0/x", "scope1/x"]
    with graph.as_default():
        assert tf.constant(1.0, name="y").op.name == "y"


def test_threads_may_have_control_dependencies_and_colocation_of_their_own() -> None:
    graph = tf.Graph()
    with graph.as_default():
        awaited = [tf.constant(float(i), name=f"awaited{i}").op for i in range(2)]
    graph.switch_to_thread_local()
    added = _in_two_threads(graph, lambda i: graph.control_dependencies([awaited[i]]))
    assert [each.control_inputs for each in added] == [[awaited[0]], [awaited[1]]]
    added = _in_two_threads(graph, lambda i: graph.colocate_with(awaited[i]))
    assert [each.colocation_groups() for each in added] == [
        [b"loc:@awaited0"], [b"loc:@awaited1"]
    ]  # fmt: skip


def test_a_function_colocates_with_a_variable_from_outside() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def f() -> tf.Tensor:
        with v1.colocate_with(v):
            return tf.constant(2.0)

    assert float(f()) == 2.0


def test_a_slice_of_a_variable_is_told_as_a_text_and_read_again() -> None:
    info = tf.Variable.SaveSliceInfo("a/w", [4, 2], [2, 0], [2, 1])
    assert info.spec == "4 2 2,2:0,1"
    again = tf.Variable.SaveSliceInfo.from_spec(info.spec)
    assert vars(again) == vars(info) | {"full_name": None}
    message = info.to_proto()
    read = v1.Variable.SaveSliceInfo(save_slice_info_def=message, import_scope="b")
    assert vars(read) == vars(info) | {"full_name": "b/a/w"}
    assert info.to_proto(export_scope="b") is None
    for text, told in {
        "0": "Spec string must contain space-separated full_shape info.",
        "a b": "Spec string full_shape must be a sequence of integers. Found 'a', which is not an",
        "0 0:0": "Spec string must contain comma-separated pairs of offsets and shapes.",
        "0 a,0:0:0": "Spec string var_offset must be an integer. Found 'a', which is not an",
        "0 0,a:0:0": "Spec string var_shape must be an integer. Found 'a', which is not an",
    }.items():
        with pytest.raises(ValueError, match=told):
            tf.Variable.SaveSliceInfo.from_spec(text)


def test_a_node_tells_its_attributes_as_messages() -> None:
    with tf.Graph().as_default():
        queue = v1.FIFOQueue(
            5, [tf.float32, tf.int32], [[2, 3], []], shared_name="shared", name="Q"
        )
    attr = queue.queue_ref.op.node_def.attr
    assert attr["shared_name"] == AttrValue(s=b"shared")
    assert attr["capacity"] == AttrValue(i=5)
    assert list(attr["component_types"].list.type) == [1, 3]
    assert [dim.size for dim in attr["shapes"].list.shape[0].dim] == [2, 3]
    assert "missing" not in attr
