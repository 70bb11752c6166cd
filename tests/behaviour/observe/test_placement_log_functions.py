"""The placement log of functions and sessions, as TensorFlow writes it on file descriptor 1."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf

PREFIX = "/job:localhost/replica:0/task:0/device:"


def logged(capfd: pytest.CaptureFixture[str], run: object) -> list[str]:
    """The lines that a call logs on file descriptor 1, with short names of devices."""
    tf.debugging.set_log_device_placement(True)
    capfd.readouterr()
    run()  # type: ignore[operator]
    tf.debugging.set_log_device_placement(False)
    return capfd.readouterr().out.replace(PREFIX, "").splitlines()


@pytest.mark.gpus(2)
def test_a_function_lists_its_nodes_with_constants_last(capfd: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def f(x: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        with tf.device("/CPU:0"):
            b = x + a
        return tf.matmul(b, y), b

    x = tf.ones((2, 2))
    assert logged(capfd, lambda: f(x, x)) == [
        "x: (_Arg): GPU:0",
        "y: (_Arg): GPU:0",
        "add: (AddV2): CPU:0",
        "MatMul: (MatMul): GPU:0",
        "identity_RetVal: (_Retval): GPU:0",
        "identity_1_RetVal: (_Retval): CPU:0",
        "Const: (Const): CPU:0",
    ]


@pytest.mark.gpus(1)
def test_a_function_lists_its_nodes_once_and_each_call(capfd: pytest.CaptureFixture[str]) -> None:
    double = tf.function(lambda x: x + x)
    x = tf.ones(2)
    tf.debugging.set_log_device_placement(True)
    double(x)
    capfd.readouterr()
    double(x)
    out, err = capfd.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    name = double.get_concrete_function(x).name
    assert line.endswith(f"] Executing op {name} in device {PREFIX}GPU:0")


@pytest.mark.gpus(1)
def test_under_a_scope_a_function_is_listed_where_it_runs(
    capfd: pytest.CaptureFixture[str],
) -> None:
    double = tf.function(lambda x: x + x)
    x = tf.ones(2)

    def run() -> None:
        double(x)
        with tf.device("/CPU:0"):
            double(x)

    assert [each for each in logged(capfd, run) if "Add" in each] == [
        "add: (AddV2): GPU:0",
        "add: (AddV2): CPU:0",
    ]


@pytest.mark.gpus(1)
def test_a_variable_that_a_function_takes_is_an_argument_named_after_its_use(
    capfd: pytest.CaptureFixture[str],
) -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f() -> None:
        v.assign_add([1.0, 1.0])

    assert logged(capfd, f)[:2] == [
        "assignaddvariableop_resource: (_Arg): GPU:0",
        "AssignAddVariableOp: (AssignAddVariableOp): GPU:0",
    ]


@pytest.mark.gpus(1)
def test_nodes_of_branches_and_loops_are_listed_under_their_bodies(
    capfd: pytest.CaptureFixture[str],
) -> None:
    @tf.function
    def f(x: tf.Tensor) -> tf.Tensor:
        y = tf.cond(x > 0.0, lambda: x * 2.0, lambda: -x)
        return tf.while_loop(lambda y: y < 9.0, lambda y: [y + 4.0], [y])[0]

    x = tf.constant(1.0)
    names = [each.split(":")[0] for each in logged(capfd, lambda: f(x)) if "_" in each]
    assert [name for name in names if "/_" in name] == [
        "cond/then/_0/cond/mul",
        "cond/else/_1/cond/Neg",
        "while/cond/_2/while/Less",
        "while/body/_3/while/add",
        "cond/then/_0/cond/mul/y",
        "while/cond/_2/while/Less/y",
        "while/body/_3/while/add/y",
    ]


@pytest.mark.gpus(1)
def test_a_session_without_a_configuration_logs_as_the_process_does(
    capfd: pytest.CaptureFixture[str],
) -> None:
    graph = tf.Graph()
    with graph.as_default():
        total = tf.constant(1.0) + 2.0

    def run() -> None:
        with tf.compat.v1.Session(graph=graph) as session:
            session.run(total)

    lines = logged(capfd, run)
    assert lines[0] == "Device mapping:"
    assert lines[2:] == ["add: (AddV2): GPU:0", "Const: (Const): GPU:0", "add/y: (Const): GPU:0"]


def test_a_session_with_a_configuration_logs_what_that_asks_for(
    capfd: pytest.CaptureFixture[str],
) -> None:
    graph = tf.Graph()
    with graph.as_default():
        total = tf.constant(1.0) + 2.0

    def run() -> None:
        with tf.compat.v1.Session(graph=graph, config=tf.compat.v1.ConfigProto()) as session:
            session.run(total)

    assert logged(capfd, run) == []


def test_the_function_of_a_dataset_lists_its_nodes(capfd: pytest.CaptureFixture[str]) -> None:
    def run() -> None:
        list(tf.data.Dataset.range(2).map(lambda x: x + 1))

    assert [each for each in logged(capfd, run) if "Add" in each] == ["add: (AddV2): CPU:0"]
