"""What branches and loops do belongs to the device scope around them, as in TensorFlow."""

from __future__ import annotations

from typing import Any

import pytest

import emplace
import emplace.tensorflow as tf
import emplace.tensorflow.compat.v1 as tf1


@pytest.fixture(autouse=True)
def _two_gpus(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("EMPLACE_GPUS", "2x100MB")
    emplace.reset()
    yield
    monkeypatch.undo()
    emplace.reset()


def _asked_for(around: str) -> list[str]:
    """What operations in the body of a loop ask for."""
    asked = []

    def body(i: Any, y: Any) -> Any:
        asked.append(tf.cos(y).device)
        with tf.device("CPU:0"):
            asked.append(tf.sin(y).device)
        with tf.device(None):
            asked.append(tf.sin(y).device)
        with tf.device("/job:localhost"):
            y = tf.cos(y)
        asked.append(y.device)
        return i + 1, y

    with tf.device(around):
        tf.while_loop(lambda i, y: i < 2, body, [0, tf.ones([2])])
    return asked


EXPECTED = ["/device:GPU:1", "/device:CPU:0", "", "/job:localhost/device:GPU:1"]


def test_operations_of_a_body_ask_for_the_device_of_the_scope_around_it() -> None:
    asked: list[list[str]] = []
    tf.function(lambda: asked.append(_asked_for("GPU:1")))()
    with tf.Graph().as_default():
        asked.append(_asked_for("GPU:1"))
    assert asked == [EXPECTED, EXPECTED]


@pytest.mark.parametrize("taken", [True, False])
def test_a_branch_runs_on_the_device_of_the_scope_around_it(taken: bool) -> None:
    @tf.function
    def f(p: Any, x: Any) -> Any:
        with tf.device("GPU:1"):
            return tf.cond(p, lambda: tf.cos(x), lambda: tf.sin(x))

    y = f(tf.constant(taken), tf.ones([2]))
    assert y.device.endswith("GPU:1")


def test_the_gradient_of_a_branch_is_right_under_a_device_scope() -> None:
    @tf.function
    def f(p: Any, x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.device("GPU:1"):
                y = tf.cond(p, lambda: x * x, lambda: x * 3.0)
        return tape.gradient(y, x)

    assert f(tf.constant(True), tf.constant(2.0)).numpy() == 4.0
    assert f(tf.constant(False), tf.constant(2.0)).numpy() == 3.0


BODIES = {
    "a branch": lambda p, v: tf.cond(p, lambda: tf.gather(v, [0, 1]), lambda: tf.gather(v, [1, 2])),
    "a branch in a branch": lambda p, v: tf.cond(
        p, lambda: tf.cond(p, lambda: v * 1.0, lambda: v + 1.0), lambda: v * 3.0
    )[:2],
    "a loop": lambda p, v: tf.while_loop(
        lambda i, total: i < 1,
        lambda i, total: (i + 1, total + tf.gather(v, [0, 1])),
        [0, tf.zeros([2])],
    )[1],
}


def _devices_of_reads(explained: Any) -> set[str]:
    reads = "ReadVariableOp", "ResourceGather"
    return {step.device for step in explained.steps if step.op in reads}


@pytest.mark.parametrize("place", ["CPU:0", "GPU:1"])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_a_body_reads_a_variable_of_a_session_where_that_is(body: Any, place: str) -> None:
    with tf.Graph().as_default():
        with tf.device(place):
            v = tf1.get_variable("v", initializer=[1.0, 2.0, 3.0])
        pred = tf1.placeholder(tf.bool, [])
        y = body(pred, v)
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            assert session.run(y, {pred: True}).tolist() == [1.0, 2.0]
            explained = emplace.explain(session, y, {pred: True})
    assert _devices_of_reads(explained) == {place}


@pytest.mark.parametrize("place", ["CPU:0", "GPU:1"])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_a_body_reads_a_variable_that_a_function_is_given_where_that_is(
    body: Any, place: str
) -> None:
    with tf.device(place):
        v = tf.Variable([1.0, 2.0, 3.0])
    function = tf.function(body)
    assert function(tf.constant(True), v).numpy().tolist() == [1.0, 2.0]
    assert _devices_of_reads(emplace.explain(function, tf.constant(True), v)) == {place}
