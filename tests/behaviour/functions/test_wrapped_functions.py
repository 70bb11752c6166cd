"""`tf.compat.v1.wrap_function` runs what results need, as TensorFlow's does."""

import pytest

import emplace.tensorflow as tf

wrap = tf.compat.v1.wrap_function


@pytest.fixture
def v():
    return tf.Variable(0.0)


def called(function):
    found = wrap(function, [])()
    return None if found is None else float(found)


def test_an_assignment_that_nobody_needs_does_not_happen(v):
    def body():
        v.assign_add(1.0)
        tf.debugging.Assert(tf.constant(False), ["not looked at"])
        return tf.constant(5.0)

    assert called(body) == 5.0
    assert float(v) == 0.0


def test_what_a_result_waits_for_happens(v):
    def body():
        with tf.control_dependencies([v.assign_add(1.0)]):
            return tf.constant(5.0) + 0.0

    assert called(body) == 5.0
    assert float(v) == 1.0


def test_what_is_returned_happens(v):
    assert called(lambda: v.assign_add(1.0)) == 1.0
    assert float(v) == 1.0
    both = wrap(lambda: (tf.constant(2.0), tf.group(v.assign_add(1.0))), [])()
    assert float(both[0]) == 2.0
    assert float(v) == 2.0


def test_without_results_everything_happens(v):
    def body():
        v.assign_add(1.0)

    assert called(body) is None
    assert float(v) == 1.0


def test_branches_and_loops_are_cut_down_too(v):
    def branch():
        return tf.cond(v >= 0.0, lambda: (v.assign_add(1.0), 3.0), lambda: (0.0, 4.0))[1]

    def loop():
        return tf.while_loop(
            lambda i, a, b: i < 3,
            lambda i, a, b: (i + 1, a * 2, b + v.assign_add(1.0)),
            (0, 1.0, 0.0),
        )[1]

    assert called(branch) == 3.0
    assert called(loop) == 8.0
    assert float(v) == 0.0


def test_a_function_that_is_called_runs_as_a_whole(v):
    @tf.function
    def inner():
        v.assign_add(1.0)
        return tf.constant(1.0)

    assert called(inner) == 1.0
    assert float(v) == 1.0
    assert called(lambda: (inner(), tf.constant(2.0))[1]) == 2.0
    assert float(v) == 1.0


def test_a_function_around_it_runs_no_more_of_it(v):
    def body():
        v.assign_add(1.0)
        return tf.constant(5.0)

    wrapped = wrap(body, [])
    assert float(tf.function(lambda: wrapped())()) == 5.0
    assert float(v) == 0.0


def test_a_tape_sees_it(v):
    x = tf.constant(3.0)
    square = wrap(lambda x: (v.assign_add(1.0), x * x)[1], [tf.TensorSpec([], tf.float32)])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = square(x)
    assert float(tape.gradient(y, x)) == 6.0
    assert float(v) == 0.0
