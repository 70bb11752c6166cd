"""Device scopes around functions, and `tf.init_scope` inside of them."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf


def made_in(function_of_make, device: str) -> str:
    """Where a variable is that a function makes once, traced inside of device scopes."""
    made = []

    def make(value=1.0):
        if not made:
            made.append(tf.Variable(value))

    traced = tf.function(function_of_make(make), autograph=False)
    with tf.device(device):
        traced.get_concrete_function()
    return made[0].device[-5:]


def lifted(make):
    def body():
        with tf.init_scope():
            make()
        return 1

    return body


@pytest.mark.gpus(2)
def test_what_init_scope_makes_is_where_the_scope_around_the_call_says():
    assert made_in(lifted, "GPU:1") == "GPU:1"


@pytest.mark.gpus(2)
def test_a_variable_that_a_function_makes_is_where_the_scope_around_the_call_says():
    assert made_in(lambda make: lambda: make() or 1, "GPU:1") == "GPU:1"


@pytest.mark.gpus(2)
def test_a_scope_inside_of_the_function_wins():
    def inside(make):
        def body():
            with tf.device("GPU:0"):
                return lifted(make)()

        return body

    assert made_in(inside, "GPU:1") == "GPU:0"


@pytest.mark.gpus(2)
def test_a_scope_of_the_function_around_wins():
    def around(make):
        inner = tf.function(lifted(make), autograph=False)

        def body():
            with tf.device("GPU:0"):
                return inner()

        return body

    assert made_in(around, "GPU:1") == "GPU:0"


@pytest.mark.gpus(2)
def test_the_scope_is_back_after_init_scope():
    @tf.function
    def body():
        with tf.device("GPU:0"):
            with tf.init_scope():
                outside = tf.constant(1.0)
            return outside, tf.constant(2.0) + 1.0

    with tf.device("GPU:1"):
        outside, inside = body()
    assert outside.device.endswith("GPU:0")
    assert inside.device.endswith("GPU:0")


@pytest.mark.gpus(2)
def test_in_eager_mode_init_scope_changes_no_device():
    with tf.device("GPU:1"), tf.init_scope():
        assert tf.constant(1.0).device.endswith("GPU:1")


def test_no_control_dependency_holds_in_init_scope():
    with tf.Graph().as_default():
        first = tf.constant(1.0)
        with tf.control_dependencies([first]):
            with tf.init_scope():
                free = tf.compat.v1.placeholder(tf.float32, [])
            bound = tf.compat.v1.placeholder(tf.float32, [])
    assert list(free.op.control_inputs) == []
    assert list(bound.op.control_inputs) == [first.op]


def test_a_scope_that_ends_with_slashes_loses_one_of_them():
    with tf.Graph().as_default(), tf.name_scope("twice//") as scope:
        assert scope == "twice//"


def test_what_a_function_makes_outside_of_it_is_named_by_its_own_scopes():
    made = {}

    @tf.function(autograph=False)
    def total():
        with tf.name_scope("inside"):
            if not made:
                made["v"] = tf.Variable(1.0, name="v")
        if len(made) < 2:
            made["w"] = tf.Variable(1.0, name="w")
        return made["v"] + made["w"]

    with tf.name_scope("around"):
        assert float(total()) == 2.0
        assert tf.Variable(0.0, name="x").name == "around/x:0"
    assert {key: v.name for key, v in made.items()} == {"v": "inside/v:0", "w": "w:0"}


def test_what_a_function_in_a_graph_makes_outside_of_it_is_named_by_its_own_scopes():
    made = []

    @tf.function
    def total(x):
        with tf.name_scope("inside"):
            if not made:
                made.append(tf.Variable(lambda: tf.ones([2]), name="v"))
        return x + tf.reduce_sum(made[0])

    with tf.Graph().as_default(), tf.name_scope("around"):
        y = total(tf.constant(1.0))
        assert made[0].name == "inside/v:0"
        assert tf.constant(0.0, name="x").name == "around/x:0"
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            assert session.run(y) == 3.0
