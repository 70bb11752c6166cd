"""TF 1: graphs that sessions run. What `run` fetches, feeds, changes and refuses."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import emplace.tensorflow.compat.v1 as tf1


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    with tf1.Graph().as_default() as graph:
        yield graph


def test_a_fetch_comes_back_in_its_structure():
    a = tf1.constant([1.0, 2.0], name="a")
    b = a * 2.0
    with tf1.Session() as session:
        result = session.run({"both": (a, [b]), "name": "a:0", "op": b.op})
    assert result["both"][0].tolist() == [1.0, 2.0]
    assert result["both"][1][0].tolist() == [2.0, 4.0]
    assert result["name"].tolist() == [1.0, 2.0]
    assert result["op"] is None


def test_a_scalar_comes_back_as_a_numpy_scalar():
    with tf1.Session() as session:
        assert type(session.run(tf1.constant(3.0))) is np.float32


def test_a_placeholder_of_unknown_size_is_fed_with_any():
    x = tf1.placeholder(tf1.float32, [None, 2], name="x")
    y = tf1.reduce_sum(x * x, 1)
    with tf1.Session() as session:
        for count in (1, 3):
            fed = np.ones((count, 2))
            assert session.run(y, {x: fed}).tolist() == [2.0] * count
            assert session.run(y, {"x:0": fed}).tolist() == [2.0] * count


def test_a_placeholder_that_is_not_fed_is_named():
    x = tf1.placeholder(tf1.float32, [None, 2], name="x")
    wanted = r"You must feed a value for placeholder tensor 'x' with dtype float and shape \[\?,2\]"
    with tf1.Session() as session, pytest.raises(tf1.errors.InvalidArgumentError, match=wanted):
        session.run(x + 1.0)


@pytest.mark.parametrize(
    ("fed", "error", "text"),
    [
        (np.ones((1, 3)), ValueError, r"Cannot feed value of shape \(1, 3\) for Tensor x:0"),
        ("text", ValueError, "could not convert string to float"),
        (2**40, TypeError, "Type of feed value 1099511627776 with type <class 'int'>"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(fed, error, text):
    dtype = tf1.int32 if isinstance(fed, int) else tf1.float32
    x = tf1.placeholder(dtype, None if isinstance(fed, int) else [None, 2], name="x")
    with tf1.Session() as session, pytest.raises(error, match=text):
        session.run(x + 1, {x: fed})


@pytest.mark.parametrize(
    ("fetch", "error", "text"),
    [
        (None, TypeError, 'Argument `fetch` = None has invalid type "NoneType"'),
        (3, TypeError, r"must be a string or Tensor. \(Can not convert a int into a Tensor"),
        ("missing", ValueError, "The name 'missing' refers to an Operation not in the graph."),
        ("missing:0", ValueError, "The operation, 'missing', does not exist in the graph."),
        ("a:1", ValueError, "The operation, 'a', exists but only has 1 outputs."),
    ],
)
def test_a_fetch_that_means_nothing_is_refused(fetch, error, text):
    tf1.constant(1.0, name="a")
    with tf1.Session() as session, pytest.raises(error, match=text):
        session.run(fetch)


def test_variables_live_in_their_session():
    v = tf1.Variable([1.0, 2.0], name="v")
    change = v.assign_add([1.0, 1.0])
    first, second = tf1.Session(), tf1.Session()
    for session in (first, second):
        session.run(v.initializer)
    assert first.run(change).tolist() == [2.0, 3.0]
    assert first.run(v).tolist() == [2.0, 3.0]
    assert second.run(v).tolist() == [1.0, 2.0]


def test_a_variable_without_a_value_is_named():
    v = tf1.Variable(1.0, name="v")
    wanted = "Could not find variable v"
    with tf1.Session() as session, pytest.raises(tf1.errors.FailedPreconditionError, match=wanted):
        session.run(v + 1.0)


def test_a_fetched_array_is_the_callers_own():
    v = tf1.Variable([1.0, 2.0])
    constant = tf1.constant([5.0, 6.0])
    with tf1.Session() as session:
        session.run(v.initializer)
        for tensor in (v, constant):
            session.run(tensor)[:] = 0.0
        before = session.run(v)
        session.run(v.assign_add([1.0, 1.0]))
        assert before.tolist() == [1.0, 2.0]
        assert session.run([v, constant])[1].tolist() == [5.0, 6.0]


def test_names_are_made_as_tensorflow_makes_them():
    a = tf1.constant(1.0)
    b = tf1.constant(2.0, name="c")
    c = tf1.constant(3.0, name="C")
    with tf1.name_scope("s"):
        d = a + b
    with tf1.name_scope("s"):
        e = tf1.multiply(a, 2.0, name="product")
    assert [x.op.name for x in (a, b, c, d, e)] == ["Const", "c", "C_1", "s/add", "s_1/product"]
    assert [x.op.name for x in e.op.inputs] == ["Const", "s_1/product/y"]


def test_gradients_of_a_model_with_an_open_batch_train_it():
    x = tf1.placeholder(tf1.float32, [None, 3])
    w, b = tf1.Variable(tf1.zeros([3, 1])), tf1.Variable([0.0])
    y = tf1.matmul(x, w) + b
    target = tf1.reduce_sum(x, 1, keepdims=True) + 1.0
    loss = tf1.reduce_mean(tf1.square(y - target))
    gradients = tf1.gradients(loss, [w, b])
    step = [v.assign_sub(0.1 * g) for v, g in zip((w, b), gradients, strict=True)]
    rng = np.random.default_rng(0)
    with tf1.Session() as session:
        session.run([w.initializer, b.initializer])
        for i in range(200):
            session.run(step, {x: rng.standard_normal((8 + i % 3, 3))})
        np.testing.assert_allclose(session.run(w), np.ones((3, 1)), atol=1e-2)
        np.testing.assert_allclose(session.run(b), [1.0], atol=1e-2)


def test_control_dependencies_run_first():
    v = tf1.Variable(1.0)
    change = v.assign(5.0)
    with tf1.control_dependencies([change]):
        after = v.read_value() + 0.0
    with tf1.Session() as session:
        session.run(v.initializer)
        assert session.run(after) == 5.0


def test_a_closed_session_says_so():
    a = tf1.constant(1.0)
    with tf1.Session() as session:
        session.run(a)
    with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
        session.run(a)


def test_an_empty_graph_says_so():
    with tf1.Session() as session, pytest.raises(RuntimeError, match="The Session graph is empty"):
        session.run([])


@pytest.mark.gpus(2)
def test_a_node_on_a_missing_device_breaks_every_run_of_its_graph():
    a = tf1.constant(1.0)
    with tf1.device("/gpu:7"):
        a + 1.0
    with tf1.Session() as session, pytest.raises(tf1.errors.InvalidArgumentError) as caught:
        session.run(a)
    assert "Cannot assign a device for operation add" in str(caught.value)
    assert "Could not satisfy explicit device specification '/device:GPU:7'" in str(caught.value)


@pytest.mark.gpus(2)
def test_towers_are_placed_where_the_program_says():
    towers = []
    for name in ("/gpu:0", "/gpu:1"):
        with tf1.device(name):
            a = tf1.constant([[1.0, 2.0], [3.0, 4.0]])
            towers.append(tf1.matmul(a, a))
    with tf1.device("/cpu:0"):
        total = tf1.add_n(towers)
    with tf1.Session() as session:
        assert session.run(total).tolist() == [[14.0, 20.0], [30.0, 44.0]]
        placed = session.placements
    assert [placed[n] for n in ("MatMul", "MatMul_1", "AddN")] == ["GPU:0", "GPU:1", "CPU:0"]
