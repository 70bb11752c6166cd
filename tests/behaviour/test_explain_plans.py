"""`emplace.explain` of functions and sessions: what runs, where, why, what is copied."""

from __future__ import annotations

import pytest

import emplace
import emplace.tensorflow as tf
import emplace.tensorflow.compat.v1 as tf1


@pytest.mark.gpus(2)
def test_a_functions_plan_is_shown_with_reasons_copies_and_bytes():
    @tf.function
    def towers(x):
        with tf.device("/GPU:1"):
            y = tf.matmul(x, x)
        with tf.device("/CPU:0"):
            return tf.reduce_sum(y)

    found = emplace.explain(towers, tf.ones([4, 4]))
    matmul, total = found.steps
    assert (matmul.name, matmul.device, matmul.nbytes) == ("MatMul", "GPU:1", 64)
    assert matmul.reason == "the program asked for this device"
    assert total.copies == (("MatMul:0", "GPU:1", 64),)
    assert "test_explain_plans.py" in total.line
    text = str(found)
    assert "function towers: 2 operations, 2 copies between devices, 128 B" in text
    assert "copies MatMul:0 from GPU:1, 64 B" in text


def test_a_plan_shows_its_own_source():
    function = tf.function(lambda x: x + 1.0)
    assert emplace.explain(function, tf.constant(1.0)).source.startswith("def plan(a0):\n")


def test_branches_and_loops_are_shown_one_step_further_in():
    @tf.function
    def branched(x):
        return tf.cond(x > 0.0, lambda: tf.sin(x), lambda: tf.cos(x))

    steps = emplace.explain(branched, tf.constant(1.0)).steps
    assert [(step.op, step.depth) for step in steps] == [("Greater", 0), ("Sin", 1), ("Cos", 1)]


@pytest.mark.gpus(1)
def test_a_sessions_plan_is_shown_before_anything_runs():
    with tf1.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf.float32, [2], name="x")
        y = tf1.multiply(x, 2.0, name="y")
        found = emplace.explain(session, y, {x: [1.0, 2.0]})
    assert [step.name for step in found.steps] == ["y"]
    assert found.steps[0].copies == (("x:0", "CPU:0", 8),)
    assert found.to_dict()["steps"][0]["copies"] == [{"input": "x:0", "from": "CPU:0", "bytes": 8}]


def test_what_cannot_be_explained_is_named():
    with pytest.raises(TypeError, match=r"a tf\.function or a session"):
        emplace.explain(3)
