"""TF 1 graphs and devices: what operations ask for, and what placement makes of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

import emplace
import emplace.tensorflow.compat.v1 as tf1
from emplace.graph.representation.graph import Operation


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    with tf1.Graph().as_default() as graph:
        yield graph


def asked(*scopes: Any) -> str:
    """What a constant inside of these device scopes asks for."""
    with contextlib.ExitStack() as stack:
        for scope in scopes:
            stack.enter_context(tf1.device(scope))
        device: str = tf1.constant(1.0, name="c").op.device
        return device


@pytest.mark.parametrize(
    ("scopes", "device"),
    [
        ((), ""),
        (("/gpu",), "/device:GPU:*"),
        (("/task:0/device:cpu:0",), "/task:0/device:CPU:0"),
        (("/job:w/task:1", "/cpu:0"), "/job:w/task:1/device:CPU:0"),
        (("/job:w/cpu:3", "/gpu"), "/job:w/device:GPU:3"),
        (("/job:w", None, "/cpu:0"), "/device:CPU:0"),
        (("/job:a", lambda op: "/task:1", "/cpu:2"), "/job:a/task:1"),
        ((lambda op: "/cpu:0", "/gpu:0"), "/cpu:0"),
        (("/gpu:0", lambda op: ""), "/device:GPU:0"),
        ((lambda op: "/bad",), "/bad"),
        ((lambda op: tf1.DeviceSpec(job="x"),), "/job:x"),
        ((lambda op: "/cpu:1", None, "/gpu:1"), "/device:GPU:1"),
        ((lambda op: f"{op.device}/task:2", lambda op: "/job:z"), "/job:z/task:2"),
    ],
)
def test_an_operation_keeps_what_the_scopes_ask_for(scopes, device):
    assert asked(*scopes) == device


def test_a_device_function_sees_the_operation_and_what_inner_scopes_say():
    seen = []

    def place(op: Operation) -> str:
        seen.append((op.name, op.type, op.device))
        return op.device

    assert asked(place, "/cpu:1") == "/device:CPU:1"
    assert seen == [("c", "Const", "/device:CPU:1")]


def test_a_device_function_must_return_text():
    with pytest.raises(TypeError, match="Expected binary or unicode string, got None"):
        asked(lambda op: None)


def test_a_graphs_own_device_scope_is_the_same(graph):
    with graph.device("/gpu:1"):
        assert tf1.constant(1.0).device == "/device:GPU:1"


@pytest.mark.parametrize("make", ["graph", "v1"])
def test_scopes_end_in_the_order_in_which_they_began(graph, make):
    device = graph.device if make == "graph" else tf1.device
    first, second = device("/cpu:0"), device("/cpu:1")
    with pytest.raises(RuntimeError, match=r"without proper scope nesting\."), first:
        second.__enter__()
    second.__exit__(None, None, None)
    first.__exit__(None, None, None)


def test_variables_go_to_parameter_servers_in_turns():
    with tf1.device(tf1.train.replica_device_setter(ps_tasks=2)):
        v, w = tf1.Variable(1.0, name="v"), tf1.Variable(2.0, name="w")
        total = v + w
    assert [v.device, w.device] == ["/job:ps/task:0", "/job:ps/task:1"]
    assert total.op.device == "/job:worker"


def test_a_cluster_says_how_many_parameter_servers_there_are():
    cluster = {"ps": ["a:1", "b:1"], "worker": ["c:1"]}
    setter = tf1.train.replica_device_setter(cluster=cluster, worker_device="/job:worker/task:0")
    with tf1.device(setter):
        devices = [tf1.Variable(1.0).device for _ in range(3)]
        rest = tf1.constant(1.0).device
    assert devices == ["/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:0"]
    assert rest == "/job:worker/task:0"


def test_without_parameter_servers_there_is_no_device_function():
    assert tf1.train.replica_device_setter() is None


def test_colocation_beats_device_scopes_in_both_orders():
    with tf1.device("/cpu:0"):
        a = tf1.constant(1.0, name="a")
    with tf1.device("/gpu:0"), tf1.colocate_with(a):
        b = tf1.constant(1.0, name="b")
    with tf1.colocate_with(b), tf1.device("/gpu:0"):
        c = tf1.constant(1.0, name="c")
    with tf1.colocate_with(a), tf1.colocate_with(None, ignore_existing=True):
        d = tf1.constant(1.0, name="d")
    assert [x.device for x in (b, c, d)] == ["/device:CPU:0", "/device:CPU:0", ""]
    assert [x.op.colocation_groups() for x in (a, b, c)] == [[b"loc:@a"]] * 3
    assert b.op.get_attr("_class") == [b"loc:@a"]
    assert d.op.colocation_groups() == [b"loc:@d"]


def refused(fetch: Any, **options: Any) -> str:
    """What a session says that cannot run `fetch`."""
    with (
        tf1.Session(config=tf1.ConfigProto(**options)) as session,
        pytest.raises(tf1.errors.InvalidArgumentError) as caught,
    ):
        session.run(fetch)
    return str(caught.value)


@pytest.mark.gpus(2)
def test_operations_that_must_be_together_cannot_be_asked_for_apart():
    with tf1.device("/gpu:0"):
        a = tf1.constant(1.0, name="a")
    with tf1.device("/gpu:1"):
        b = tf1.constant(1.0, name="b")
    with tf1.colocate_with(a), tf1.colocate_with(b):
        c = tf1.add(a, b, name="c")
    text = refused(c)
    assert "Cannot colocate nodes {{colocation_node c}} and {{colocation_node a}}: " in text
    assert "Cannot merge devices with incompatible ids: '/device:GPU:1' and '/device:GPU:0'" in text
    with tf1.Session(config=tf1.ConfigProto(allow_soft_placement=True)) as session:
        assert session.run(c) == 2.0


def test_another_job_is_refused_also_with_soft_placement():
    with tf1.device("/job:foo"):
        b = tf1.constant(1.0, name="b")
    wanted = "Cannot assign a device for operation b: {{node b}} was explicitly assigned to "
    assert f"{wanted}/job:foo but available devices are [ " in refused(b, allow_soft_placement=True)


@pytest.mark.parametrize("name", ["/replica:2/gpu:0", "/task:1", "/job:localhost/task:1/cpu:0"])
def test_another_task_is_refused_also_with_soft_placement(name):
    with tf1.device(name):
        b = tf1.constant(1.0, name="b")
    assert "because no such device exists; this process is" in refused(b, allow_soft_placement=True)


def test_what_is_no_device_is_refused_when_the_graph_is_placed():
    with tf1.device(lambda op: "/bad"):
        b = tf1.constant(1.0, name="b")
    assert "Malformed device specification '/bad' in node: {name:'b' " in refused(b)


@pytest.mark.gpus(1)
def test_text_has_no_kernel_on_a_gpu():
    with tf1.device("/gpu:0"):
        b = tf1.constant("x", name="b")
    text = refused(b)
    assert (
        "Cannot assign a device for operation b: Could not satisfy explicit device specification "
        "'/device:GPU:0' because no supported kernel for GPU devices is available.\nColocation "
        "Debug Info:\n"
    ) in text
    assert "supported_device_types_=[CPU] possible_devices_=[]\nConst: CPU \n" in text
    assert "  b (Const) /device:GPU:0\n" in text
    with tf1.Session(config=tf1.ConfigProto(allow_soft_placement=True)) as session:
        assert session.run(b) == b"x"


@pytest.mark.gpus(2)
@pytest.mark.parametrize("place", [None, "/gpu:1"])
def test_rows_are_trained_where_their_table_is_also_where_their_places_are_counted(place):
    with tf1.device(place):
        v = tf1.get_variable("v", initializer=[1.0, 2.0, 3.0], use_resource=True)
    loss = tf1.reduce_sum(tf1.gather(v, [0, 0]))
    step = tf1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        session.run(step)
        assert session.run(v).tolist() == pytest.approx([0.8, 2.0, 3.0])
        steps = emplace.explain(session, step).steps
    found = {each.device for each in steps if "Momentum" in each.op}
    assert found == {"GPU:1" if place else "GPU:0"}


@pytest.mark.gpus(1)
def test_what_tensorflow_has_gpu_kernels_for_may_be_asked_for_on_one() -> None:
    with tf1.device("/gpu:0"), tf1.Session() as session:
        called = tf1.py_function(lambda x: x + 1, [tf1.constant(1.0)], tf1.float32)
        rows = tf1.raw_ops.TensorListFromTensor(tensor=tf1.constant([1.0, 2.0]), element_shape=-1)
        stacked = tf1.raw_ops.TensorListStack(
            input_handle=rows, element_shape=-1, element_dtype=tf1.float32
        )
        assert session.run(called) == 2
        assert session.run(stacked).tolist() == [1, 2]
