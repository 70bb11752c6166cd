"""The graph half of the conformance list, one short test per fact, on four virtual GPUs.

The eager half, and what is logged outside of graphs (22, 23), is in test_conformance.py. Where
Emplace differs on purpose, the test says what holds here and docs/DIFFERENCES.md says why.
"""

from __future__ import annotations

import collections
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
import emplace.tensorflow.compat.v1 as tf1
from emplace.ops.op import apply, op

pytestmark = pytest.mark.gpus(4, memory="1GB")

FULL = "/job:localhost/replica:0/task:0/device:"
GPU0 = f"{FULL}GPU:0"
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def graph(request: pytest.FixtureRequest) -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    with tf1.Graph().as_default() as graph:
        yield graph


def logging_session(**options: Any) -> tf1.Session:
    return tf1.Session(config=tf1.ConfigProto(log_device_placement=True, **options))


def told(capture: Capture) -> list[str]:
    """The lines about nodes on standard output."""
    return [line for line in capture.readouterr().out.splitlines() if ": (" in line]


def refused(fetch: Any, **options: Any) -> str:
    """What a session says that cannot run `fetch`."""
    with (
        tf1.Session(config=tf1.ConfigProto(**options)) as session,
        pytest.raises(tf1.errors.InvalidArgumentError) as caught,
    ):
        session.run(fetch)
    return str(caught.value)


def test_18_a_constant_follows_its_consumers_if_they_agree_and_is_logged_last(
    capsys: Capture,
) -> None:
    a = tf1.constant(1.0, name="a")
    b = tf1.constant(2.0, name="b")
    with tf1.device("/gpu:1"):
        c = tf1.negative(a, name="c")
        d = tf1.add(a, b, name="d")
    with tf1.device("/cpu:0"):
        e = tf1.negative(b, name="e")
    with logging_session() as session:
        session.run([c, d, e])
    assert told(capsys) == [
        f"c: (Neg): {FULL}GPU:1",
        f"d: (AddV2): {FULL}GPU:1",
        f"e: (Neg): {FULL}CPU:0",
        f"a: (Const): {FULL}GPU:1",
        f"b: (Const): {GPU0}",
    ]


def test_19_an_assignment_stays_with_its_variable_without_soft_placement(capsys: Capture) -> None:
    with tf1.device("/cpu:0"):
        v = tf1.Variable([1.0, 2.0], name="v")
    with tf1.device("/gpu:1"):
        change = v.assign([3.0, 4.0], name="change", read_value=False)
    with logging_session() as session:
        session.run([v.initializer, change])
    assert f"{change.name}: (AssignVariableOp): {FULL}CPU:0" in told(capsys)


def test_19_a_variable_without_a_device_is_where_the_first_op_on_it_asks_to_be(
    capsys: Capture,
) -> None:
    v = tf1.Variable([1.0], name="v")
    with tf1.device("/gpu:1"):
        first = v.assign([2.0], read_value=False)
    with tf1.device("/cpu:0"):
        second = v.assign_add([2.0], read_value=False)
    with logging_session() as session:
        session.run([v.initializer, first, second])
    changes = [line for line in told(capsys) if "Assign" in line and "Const" not in line]
    assert [line.rsplit(":", 2)[1:] for line in changes] == [["GPU", "1"]] * 3


def test_20a_an_unknown_device_is_named_with_those_that_exist() -> None:
    a = tf1.constant([1.0], name="a")
    with tf1.device("/gpu:9"):
        m = tf1.add(a, a, name="m")
    there = ", ".join(f"{FULL}{name}" for name in ("CPU:0", "GPU:0", "GPU:1", "GPU:2", "GPU:3"))
    text = refused(m)
    assert text.startswith("Graph execution error:\n\nDetected at node 'm' defined at (most recent")
    assert (
        "\nNode: 'm'\nCannot assign a device for operation m: {{node m}} was explicitly assigned "
        f"to /device:GPU:9 but available devices are [ {there} ]. Make sure the device "
        "specification refers to a valid device."
    ) in text


def test_20b_an_op_without_a_kernel_there_is_refused_with_its_group() -> None:
    a = tf1.constant([1.0], name="a")
    with tf1.device("/gpu:0"):
        b = tf1.constant([1.0], name="b")
    with tf1.colocate_with(b):
        s = tf1.as_string(a, name="s")
    text = refused(s)
    assert (
        "Cannot assign a device for operation s: Could not satisfy explicit device specification "
        "'/device:GPU:0' because no supported kernel for GPU devices is available.\nColocation "
        "Debug Info:\nColocation group had the following types and supported devices: \nRoot "
        "Member(assigned_device_name_index_=-1 requested_device_name_='/device:GPU:0' "
        "assigned_device_name_='' resource_device_name_='' supported_device_types_=[CPU] "
        "possible_devices_=[]\nAsString: CPU \nConst: GPU CPU \n\nColocation members, "
        "user-requested devices, and framework assigned devices, if any:\n"
        "  b (Const) /device:GPU:0\n  s (AsString) /device:GPU:0\n\nOp: AsString\nNode attrs: "
    ) in text
    assert "\nRegistered kernels:\n  device='CPU'\n\n\t [[{{node s}}]]" in text


def test_20c_an_op_in_a_group_on_an_unknown_device_names_the_group() -> None:
    with tf1.device("/gpu:9"):
        v = tf1.Variable([0.0], name="v")
    with tf1.device("/job:localhost"):
        after = v.read_value()
    assert (
        "Could not satisfy explicit device specification '/device:GPU:9' because the node "
        "{{colocation_node v/IsInitialized/VarIsInitializedOp}} was colocated with a group of "
        "nodes that required incompatible device '/job:localhost/device:GPU:9'. All available "
        f"devices [{FULL}CPU:0, "
    ) in refused(after)


NO_KERNEL = op(
    "NoKernelAnywhere", "x: T -> y: T", lambda x: x, lambda x: x, T=(tf.float32,),
    unsupported_types=(tf.float32,), is_listed=False,
)  # fmt: skip


def test_20d_an_op_without_any_kernel_is_refused(graph: tf1.Graph) -> None:
    a = tf1.constant([1.0], name="a")
    with graph.exact_name("lost"):
        lost = apply(NO_KERNEL, (a,))
    assert (
        "No OpKernel was registered to support Op 'NoKernelAnywhere' used by {{node lost}} with "
        "these attrs: [T=DT_FLOAT]\nRegistered devices: [CPU, GPU]\nRegistered kernels:\n"
        "  <no registered kernels>\n\n\t [[lost]]"
    ) in refused(lost, allow_soft_placement=True)


def test_20e_nodes_that_must_be_together_cannot_be_asked_for_apart() -> None:
    with tf1.device("/gpu:0"):
        a = tf1.constant(1.0, name="a")
    with tf1.device("/gpu:1"):
        b = tf1.constant(1.0, name="b")
    with tf1.colocate_with(a), tf1.colocate_with(b):
        c = tf1.add(a, b, name="c")
    assert (
        "Cannot colocate nodes {{colocation_node c}} and {{colocation_node a}}: Cannot merge "
        "devices with incompatible ids: '/device:GPU:1' and '/device:GPU:0'\n\t [[{{node c}}]]"
    ) in refused(c)


def test_20_a_bad_node_breaks_every_run_unless_the_pruned_graph_is_placed() -> None:
    a = tf1.constant(1.0, name="a")
    with tf1.device("/gpu:9"):
        tf1.add(a, 1.0, name="b")
    assert "device for operation b" in refused(a)
    options = tf1.GraphOptions(place_pruned_graph=True)
    with tf1.Session(config=tf1.ConfigProto(graph_options=options)) as session:
        assert session.run(a) == 1.0


def test_21_colocate_with_beats_device_in_both_nesting_orders() -> None:
    with tf1.device("/cpu:0"):
        a = tf1.constant(1.0, name="a")
    with tf1.device("/gpu:0"), tf1.colocate_with(a):
        b = tf1.constant(1.0)
    with tf1.colocate_with(a), tf1.device("/gpu:0"):
        c = tf1.constant(1.0)
    assert [x.op.device for x in (b, c)] == ["/device:CPU:0"] * 2
    assert [x.op.colocation_groups() for x in (b, c)] == [[b"loc:@a"]] * 2


def test_24_an_operation_is_none_and_its_name_is_the_operation() -> None:
    a = tf1.constant(3.0, name="a")
    pair = collections.namedtuple("pair", "x y")
    with tf1.Session() as session:
        assert session.run([a.op, "a", "a:0", b"a:0"]) == [None, None, 3.0, 3.0]
        assert session.run(pair({"k": (a,)}, [])) == pair({"k": (3.0,)}, [])
        assert session.run({}) == {}


FETCHES = [
    (None, TypeError, 'Argument `fetch` = None has invalid type "NoneType". Cannot be None'),
    (
        3, TypeError,
        'Argument `fetch` = 3 has invalid type "int" must be a string or Tensor. (Can not convert '
        "a int into a Tensor or Operation.)",
    ),
    (
        "missing", ValueError,
        "Argument `fetch` = missing cannot be interpreted as a Tensor. (\"The name 'missing' "
        'refers to an Operation not in the graph.")',
    ),
    (
        "missing:0", ValueError,
        "(\"The name 'missing:0' refers to a Tensor which does not exist. The operation, "
        "'missing', does not exist in the graph.\")",
    ),
    (
        "a:1", ValueError,
        "(\"The name 'a:1' refers to a Tensor which does not exist. The operation, 'a', exists "
        'but only has 1 outputs.")',
    ),
    (
        "a:b:c", ValueError,
        "(The name 'a:b:c' looks a like a Tensor name, but is not a valid one. Tensor names must "
        'be of the form "<op_name>:<output_index>".)',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("fetch", "error", "text"), FETCHES, ids=[str(f[0]) for f in FETCHES])
def test_24_a_fetch_that_means_nothing_is_refused(
    fetch: Any, error: type[Exception], text: str
) -> None:
    tf1.constant(1.0, name="a")
    with tf1.Session() as session, pytest.raises(error) as caught:
        session.run(fetch)
    assert text in str(caught.value)


def test_24_a_tensor_of_another_graph_cannot_be_fetched(graph: tf1.Graph) -> None:
    with tf1.Graph().as_default():
        other = tf1.constant(1.0, name="other")
    a = tf1.constant(1.0, name="a")
    graph.prevent_fetching(a.op)
    with tf1.Session() as session:
        wanted = r'Tensor Tensor\("other:0", shape=\(\), dtype=float32\) is not an element of this'
        with pytest.raises(ValueError, match=wanted):
            session.run(other)
        with pytest.raises(ValueError, match="Operation a has been marked as not fetchable"):
            session.run(a)


@pytest.mark.parametrize(
    ("dtype", "value", "wanted"),
    [
        ("int32", 1.5, 1), ("int32", -3.9, -3), ("int32", True, 1), ("int32", "3", 3),
        ("int32", np.int64(2**40), 0), ("int32", [2**40], [0]), ("uint8", [256, -1], [0, 255]),
        ("float32", None, np.nan), ("bool", [0, 3], [False, True]),
        ("string", "ü", "ü".encode()), ("string", np.array([b"x", b"yy"]), [b"x", b"yy"]),
    ],
)  # fmt: skip
def test_24_what_is_fed_is_cast_silently(dtype: str, value: Any, wanted: Any) -> None:
    x = tf1.placeholder(dtype, name="x")
    with tf1.Session() as session:
        found = session.run(tf1.identity(x), {x: value})
    np.testing.assert_array_equal(
        found, np.array(wanted, found.dtype if dtype != "string" else object)
    )


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_24_a_complex_number_loses_its_imaginary_part() -> None:
    x = tf1.placeholder(tf1.float32, name="x")
    with tf1.Session() as session:
        assert session.run(tf1.identity(x), {x: 1 + 2j}) == 1.0


@pytest.mark.parametrize(
    ("dtype", "value", "error", "text"),
    [
        (
            "int32", 2**40, TypeError,
            "Type of feed value 1099511627776 with type <class 'int'> is not compatible with "
            "Tensor type <class 'numpy.int32'>. Try explicitly setting the type of the feed tensor "
            "to a larger type (e.g. int64).",
        ),
        ("bool", 2, TypeError, "Type of feed value 2 with type <class 'int'> is not compatible"),
        ("string", 3, TypeError, "is not compatible with Tensor type <class 'numpy.object_'>."),
        ("string", [1, 2], tf.errors.InternalError, "Unsupported object type int"),
        ("string", None, tf.errors.InternalError, "Unsupported object type NoneType"),
        ("float32", "abc", ValueError, "could not convert string to float: "),
        ("float32", {"a": 1}, TypeError, "must be a string or a real number, not 'dict'"),
    ],
)  # fmt: skip
def test_24_what_cannot_be_cast_is_refused(
    dtype: str, value: Any, error: type[Exception], text: str
) -> None:
    x = tf1.placeholder(dtype, name="x")
    with tf1.Session() as session, pytest.raises(error) as caught:
        session.run(tf1.identity(x), {x: value})
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (
            "x",
            "Cannot interpret feed_dict key as Tensor: The name 'x' refers to an Operation, not a "
            'Tensor. Tensor names must be of the form "<op_name>:<output_index>".',
        ),
        (
            "nope",
            "The name 'nope' looks like an (invalid) Operation name, not a Tensor. Tensor names "
            'must be of the form "<op_name>:<output_index>".',
        ),
        ("nope:0", "The name 'nope:0' refers to a Tensor which does not exist. The operation, "),
        (3, "Cannot interpret feed_dict key as Tensor: Can not convert a int into a Tensor."),
    ],
)
def test_24_a_key_that_means_nothing_is_refused(key: Any, text: str) -> None:
    x = tf1.placeholder(tf1.float32, [None, 2], name="x")
    with tf1.Session() as session, pytest.raises(TypeError) as caught:
        session.run(x * 1.0, {key: [[1.0, 2.0]]})
    assert text in str(caught.value)


def test_24_feeds_must_fit_and_be_allowed(graph: tf1.Graph) -> None:
    x = tf1.placeholder(tf1.float32, [None, 2], name="x")
    a = tf1.constant([1.0, 2.0], name="a")
    with tf1.Session() as session:
        assert session.run(a, {a: [3.0, 4.0]}).tolist() == [3.0, 4.0]
        with pytest.raises(ValueError, match=r"shape \(1, 3\) for Tensor x:0, which has shape"):
            session.run(x * 1.0, {x: np.ones((1, 3))})
        with pytest.raises(TypeError, match=r"The value of a feed cannot be a tf\.Tensor object"):
            session.run(x * 1.0, {x: a})
        with pytest.raises(TypeError, match="instead of 'list'"):
            session.run(x * 1.0, [x])
        graph.prevent_feeding(a)
        with pytest.raises(ValueError, match="Tensor a:0 may not be fed"):
            session.run(a, {a: [3.0, 4.0]})


def test_24_a_placeholder_that_is_missing_is_named_with_what_it_wants() -> None:
    texts = {
        (None, 2): "'x' with dtype float and shape [?,2]\n\t [[{{node x}}]]",
        None: "'x_1' with dtype float\n\t [[{{node x_1}}]]",
        (): "'x_2' with dtype float\n\t [[{{node x_2}}]]",
    }
    for shape, text in texts.items():
        x = tf1.placeholder(tf1.float32, shape, name="x")
        assert f"You must feed a value for placeholder tensor {text}" in refused(x + 1.0)


def test_25_the_block_of_a_session_closes_it_and_its_scope_does_not() -> None:
    a = tf1.constant(1.0)
    session = tf1.Session()
    with session.as_default():
        assert a.eval() == 1.0
    with session:
        assert a.eval() == 1.0
    with pytest.raises(RuntimeError, match=r"Attempted to use a closed Session\."):
        session.run(a)
    session.close()


def test_25_a_second_interactive_session_is_an_error_in_the_log(capfd: Capture) -> None:
    first = tf1.InteractiveSession()
    second = tf1.InteractiveSession()
    assert "An interactive session is already active." in capfd.readouterr().err
    with pytest.raises(AssertionError, match="Nesting violated for default stack of <class"):
        first.close()
    second.close()
    first.close()


def test_26_visible_devices_are_numbered_in_the_order_of_the_list() -> None:
    def session(devices: str) -> tf1.Session:
        options = tf1.GPUOptions(visible_device_list=devices)
        return tf1.Session(config=tf1.ConfigProto(gpu_options=options))

    names = [device.name.removeprefix(FULL) for device in session("2,1").list_devices()]
    assert names == ["CPU:0", "GPU:0", "GPU:1"]
    wanted = r"\(GPU:0\) is being mapped to multiple devices \(1 now, and 2 previously\)"
    with pytest.raises(tf1.errors.AlreadyExistsError, match=wanted):
        session("1,2")


def test_27_names_are_unique_whatever_their_case() -> None:
    wanted = ("c", "C", "c", "c_1", "c", "c_2", "C_1", "c_1")
    names = [tf1.constant(1.0, name=name).op.name for name in wanted]
    assert names == ["c", "C_1", "c_2", "c_1_1", "c_3", "c_2_1", "C_1_2", "c_1_3"]
