"""What functions change: variables that they make, and changes whose results nobody reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
import emplace.tensorflow.compat.v1 as tf1


class Kept(dict[str, Any]):
    """Makes what it is asked for first."""

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self:
            self[name] = make()
        return self[name]


@pytest.fixture
def kept() -> Kept:
    return Kept()


# -- variables made in the first call --------------------------------------------------------------


def test_a_variable_starts_with_a_tensor_that_the_function_makes(kept):
    @tf.function
    def function(x):
        start = tf.ones_like(tf.constant(0.5, tf.float32, [3])) * 2.0
        return kept.once("v", lambda: tf.Variable(start)) + x

    np.testing.assert_array_equal(function(tf.constant(1.0)), [3.0, 3.0, 3.0])
    np.testing.assert_array_equal(function(tf.constant([1.0, 2.0, 3.0])), [3.0, 4.0, 5.0])


def test_a_variable_starts_with_what_the_first_call_gives(kept):
    @tf.function
    def function(x):
        v = kept.once("v", lambda: tf.Variable(x * 2.0))
        v.assign_add(1.0)
        return x * v

    # TensorFlow: 21, 32, and the variable is 8.
    assert float(function(tf.constant(3.0))) == 21.0
    assert float(function(tf.constant(4.0))) == 32.0
    assert float(kept["v"]) == 8.0


@pytest.mark.gpus(2, memory="64MB")
def test_a_variable_of_a_function_in_a_function_starts_with_what_is_around_it(kept):
    @tf.function
    def outer(x):
        y = x + 1.0

        @tf.function
        def inner(z):
            return kept.once("v", lambda: tf.Variable(z * y)) * 1.0

        return inner(x * 2.0)

    assert float(outer(tf.constant(3.0))) == 24.0
    assert float(outer(tf.constant(5.0))) == 24.0


def test_a_variable_of_a_function_in_a_graph_starts_in_its_session(kept):
    with tf1.Graph().as_default():

        @tf.function
        def function(x):
            start = tf.ones_like(tf.constant(0.5, tf.float32, [3])) * 2.0
            return kept.once("v", lambda: tf.Variable(start)) * x

        x = tf1.placeholder(tf.float32, [])
        y = function(x)
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            np.testing.assert_array_equal(session.run(y, {x: 3.0}), [6.0, 6.0, 6.0])


def test_a_first_value_that_may_be_another_when_the_function_runs_is_refused(kept):
    v = tf.Variable(3.0)

    @tf.function
    def function():
        v.assign_add(1.0)
        return kept.once("w", lambda: tf.Variable(v * 2.0)) * 1.0

    with pytest.raises(ValueError, match="reads another variable, and the function changes"):
        function()


def test_what_a_function_was_called_with_first_is_not_kept_for_first_values(kept):
    @tf.function
    def function(x):
        return kept.once("v", lambda: tf.Variable(x * 2.0)) * x

    function(tf.constant(3.0))
    assert not function.get_concrete_function(tf.constant(3.0)).graph.given


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (lambda x: tf.zeros_like(tf.reduce_mean(x, 0)), [0, 0, 0]),
        (lambda x: tf.ones_like(tf.reduce_mean(x, 0)), [1, 1, 1]),
        (lambda x: 2 * tf.ones_like(tf.reduce_mean(x, 0)) + 1, [3, 3, 3]),
        (lambda x: tf.zeros_like(tf.reduce_mean(x, 0) > 0), [False] * 3),
        (lambda x: tf.ones_like(tf.reduce_mean(x, 0), dtype=tf.int32), [1, 1, 1]),
    ],
)
def test_a_first_value_takes_a_known_shape_of_what_no_call_gave_yet(kept, make, wanted):
    @tf.function
    def function(x):
        return kept.once("v", lambda: tf.Variable(make(x))), x * 1.0

    function.get_concrete_function(tf.TensorSpec([None, 3]))
    assert kept["v"].numpy().tolist() == wanted


def test_a_first_value_needs_a_call_for_values_and_unknown_shapes(kept):
    for name, make in {"v": lambda x: tf.reduce_mean(x, 0), "w": tf.zeros_like}.items():

        @tf.function
        def function(x, name=name, make=make):
            return kept.once(name, lambda: tf.Variable(make(x))), x * 1.0

        with pytest.raises(TypeError, match="is out of scope"):
            function.get_concrete_function(tf.TensorSpec([None, 3]))


# -- changes whose results nobody reads ------------------------------------------------------------


@pytest.mark.parametrize("spec", [None, [tf.TensorSpec([], tf.bool), tf.TensorSpec([None])]])
def test_a_branch_changes_a_variable_though_nobody_reads_what_it_returns(spec):
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function(input_signature=spec)
    def function(flag, x):
        def change():
            v.assign_add(x)
            return tf.zeros_like(x)

        tf.cond(flag, change, lambda: x)
        return x

    function(tf.constant(True), tf.constant([1.0, 1.0, 1.0]))
    np.testing.assert_array_equal(v, [2.0, 3.0, 4.0])


@pytest.mark.parametrize("spec", [None, [tf.TensorSpec([None])]])
def test_a_loop_changes_a_variable_though_nobody_reads_what_it_returns(spec):
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function(input_signature=spec)
    def function(x):
        def body(i, y):
            v.assign_add(x)
            return i + 1, y

        tf.while_loop(lambda i, y: i < 3, body, (0, x))
        return x

    function(tf.constant([1.0, 1.0, 1.0]))
    np.testing.assert_array_equal(v, [4.0, 5.0, 6.0])


def test_a_branch_of_a_partial_run_changes_a_variable():
    with tf1.Graph().as_default():
        v = tf1.get_variable("v", [], initializer=tf1.zeros_initializer())
        x, y = tf1.placeholder(tf.float32, []), tf1.placeholder(tf.float32, [])

        def change():
            return tf.identity(v.assign_add(x))

        branch = tf.cond(x > 0.0, change, lambda: x)
        with tf1.control_dependencies([branch]):
            first = x * 2.0
        second = first + y
        with tf1.Session() as session:
            session.run(v.initializer)
            handle = session.partial_run_setup([first, second], [x, y])
            assert session.partial_run(handle, first, {x: 3.0}) == 6.0
            assert session.partial_run(handle, second, {y: 1.0}) == 7.0
            assert session.run(v) == 3.0


@pytest.mark.parametrize("device", [None, "/GPU:1"])
@pytest.mark.gpus(2, memory="64MB")
def test_a_session_that_wants_a_result_of_a_function_runs_all_that_it_changes(device):
    with tf1.Graph().as_default():
        v = tf.Variable(0.0)

        @tf.function
        def function(x, text):
            v.assign_add(x)
            return x, x * 2.0, text

        word = tf.constant("a")
        with tf1.device(device):
            same, twice, text = function(tf.constant(1.0), word)
        (gradient,) = tf.gradients(same, same.op.inputs[0])
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            # As in TensorFlow, where a call is one operation.
            assert session.run([same, text]) == [1.0, b"a"]
            assert session.run(v) == 1.0
            assert session.run(twice) == 2.0
            assert session.run(v) == 2.0
            assert session.run(gradient) == 1.0


def test_a_function_whose_results_are_not_wanted_changes_nothing_in_a_session():
    with tf1.Graph().as_default():
        v = tf.Variable(0.0)
        tf.function(lambda: v.assign_add(1.0))()
        y = tf.function(lambda x: x * 2.0)(tf.constant(1.0))
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            assert session.run(y) == 2.0
            assert session.run(v) == 0.0


def test_what_is_computed_already_needs_no_waiting_for():
    x, v = tf.constant(1.0), tf.Variable(2.0)

    @tf.function
    def function(y):
        with tf.control_dependencies([x, v.read_value(), y]):
            return y * 2.0

    assert float(function(tf.constant(3.0))) == 6.0


def test_an_argument_that_a_function_returns_is_another_tensor_in_functions_too():
    same = tf.function(lambda x: (x, x))

    def program(x):
        one, other = same(x)
        with tf.GradientTape() as tape:
            tape.watch(one)
            y = x * 2.0 + other * 3.0 + one * 5.0
        return tape.gradient(y, one)

    x = tf.constant(1.0)
    assert float(program(x)) == float(tf.function(program)(x)) == 5.0


def test_what_an_assignment_returns_can_be_waited_for():
    v, w = tf.Variable(1.0), tf.Variable(0.0)

    @tf.function(autograph=False)
    def step():
        with tf.control_dependencies([v.assign(2.0), w.assign_add(1.0), v]):
            return v + 1.0

    assert step().numpy() == 3.0
    assert (v.numpy(), w.numpy()) == (2.0, 1.0)


def test_an_optimizer_of_tf1_counts_its_steps_in_a_function():
    optimizer, v = tf.compat.v1.train.AdamOptimizer(0.1), tf.Variable(2.0)
    steps = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def step():
        optimizer.apply_gradients([(tf.constant(1.0), v)], steps)

    step(), step()
    assert (steps.numpy(), round(float(v.numpy()), 4)) == (2, 1.8)
