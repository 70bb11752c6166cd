"""Loops in graphs: gradients of every order against the same loops in eager mode."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf


def power(x, w, n):
    """A loop whose iterations are not linear."""
    return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.sin(y * w) + y), [0, x])[1]


def branched(x, w, n):
    """A loop with a branch in each iteration."""

    def body(i, y):
        return i + 1, tf.cond(i % 2 == 0, lambda: y * y * w, lambda: y + w)

    return tf.while_loop(lambda i, y: i < n, body, [0, x])[1]


def nested(x, w, n):
    """A loop in a loop."""

    def body(i, y):
        inner = tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * w + y), [0, y])[1]
        return i + 1, tf.sin(inner)

    return tf.while_loop(lambda i, y: i < n, body, [0, x])[1]


def cell(x, w, n):
    """A recurrent cell: reads inputs from an array and writes states to another one."""
    inputs = tf.TensorArray(tf.float32, 4, clear_after_read=False).unstack(
        tf.stack([x, x * 2.0, x * x, x + 1.0])
    )
    outputs = tf.TensorArray(tf.float32, 4, element_shape=x.shape)

    def body(i, state, outputs):
        state = tf.tanh(inputs.read(i) * w + state)
        return i + 1, state, outputs.write(i, state * state)

    _, state, outputs = tf.while_loop(lambda i, *_: i < n, body, [0, tf.zeros_like(x), outputs])
    return tf.reduce_sum(outputs.stack(), 0) + state


LOOPS = (power, branched, nested, cell)


def derivative(order, loop, x, w, n):
    """The loop's value, or the derivative of some order of the sum of its squares."""
    if order == 0:
        return [loop(x, w, n)]
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        values = derivative(order - 1, loop, x, w, n)
        total = sum(tf.reduce_sum(value * value) for value in values)
    return tape.gradient(total, [x, w])


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize("loop", LOOPS)
def test_derivatives_inside_a_function_are_those_of_the_unrolled_loop(loop, order):
    x, w = tf.constant([0.3, -0.2]), tf.constant(0.7)
    expected = derivative(order, loop, x, w, 4)
    found = tf.function(lambda x, w, n: derivative(order, loop, x, w, n))(x, w, tf.constant(4))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("loop", LOOPS)
def test_derivatives_of_a_call_are_those_of_the_unrolled_loop(loop, order):
    x, w = tf.constant([0.3, -0.2]), tf.constant(0.7)
    called = tf.function(loop)
    expected = derivative(order, loop, x, w, 4)
    found = derivative(order, called, x, w, tf.constant(4))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=2e-4, atol=1e-5)


@pytest.mark.gpus(2)
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("loop", LOOPS)
def test_derivatives_are_the_same_on_devices(loop, order):
    x, w = tf.constant([0.3, -0.2]), tf.constant(0.7)
    expected = derivative(order, loop, x, w, 4)
    found = tf.function(lambda x, w, n: derivative(order, loop, x, w, n))(x, w, tf.constant(4))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=2e-4, atol=1e-5)


@pytest.mark.gpus(2, memory="64MB")
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("loop", LOOPS)
def test_derivatives_are_the_same_within_budgets(loop, order):
    x, w = tf.constant([0.3, -0.2]), tf.constant(0.7)
    expected = derivative(order, loop, x, w, 4)
    found = tf.function(lambda x, w, n: derivative(order, loop, x, w, n))(x, w, tf.constant(4))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=2e-4, atol=1e-5)


def test_a_tape_in_a_function_sees_variables_that_only_bodies_read():
    w, v = tf.Variable(2.0), tf.Variable(3.0)

    @tf.function
    def gradients(x):
        with tf.GradientTape() as tape:
            y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * w), [0, x])[1]
            y = tf.cond(x > 0, lambda: y * v, lambda: y)
        return tape.gradient(y, [w, v])

    assert [float(each) for each in gradients(tf.constant(1.0))] == [36.0, 8.0]


def test_gradients_of_gradients_by_name():
    @tf.function
    def second(x):
        y = power(x, tf.constant(0.7), 3)
        (dx,) = tf.gradients(y, x)
        return tf.gradients(dx * dx, x)[0]

    x = tf.constant([0.3, -0.2])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = power(x, tf.constant(0.7), 3)
        dx = inner.gradient(y, x)
        z = dx * dx
    np.testing.assert_allclose(second(x).numpy(), outer.gradient(z, x).numpy(), rtol=1e-4)


@pytest.mark.gpus(2)
def test_a_list_moves_to_the_device_that_reads_it():
    @tf.function
    def split(x):
        with tf.device("GPU:0"):
            a = tf.TensorArray(tf.float32, 2).write(0, x).write(1, x * 2.0)
        with tf.device("GPU:1"):
            return a.read(1) + 1.0, a.stack()

    one, both = split(tf.constant(3.0))
    assert one.device.endswith("GPU:1")
    assert both.device.endswith("GPU:1")
    assert [float(one), *both.numpy().tolist()] == [7.0, 3.0, 6.0]


@pytest.mark.gpus(1, memory="1MB")
def test_what_a_loop_saves_counts_against_the_budget():
    @tf.function
    def saved(x):
        a = tf.TensorArray(tf.float32, 8)

        def body(i, a):
            return i + 1, a.write(i, x + tf.cast(i, tf.float32))

        return tf.while_loop(lambda i, a: i < 8, body, [0, a])[1].stack()

    assert saved(tf.zeros([100])).shape == [8, 100]
    with pytest.raises(tf.errors.ResourceExhaustedError):
        saved(tf.zeros([50_000]))


def test_variables_of_integers_and_strings_that_loops_change_have_no_gradients():
    count, text, w = tf.Variable(3), tf.Variable("a"), tf.Variable(2.0)

    def body(i, x):
        count.assign_add(1)
        text.assign("b")
        return i + 1, x * w * tf.cast(count, tf.float32)

    def program(x):
        both = [tf.while_loop(lambda i, x: i < 1, body, (0, x))[1] for _ in range(2)]
        return both[0] + both[1]

    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = program(x)
        gradients = tape.gradient(y, [x, w, count, text])
        assert gradients[2:] == [None, None]
        return gradients[:2]

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(program)(x)
    found = tape.gradient(y, [x, w, count, text])
    assert [float(each) for each in found[:2]] == [18.0, 18.0]  # 2 * (4 + 5)
    assert found[2:] == [None, None]
    assert [float(each) for each in inside(x)] == [26.0, 26.0]  # 2 * (6 + 7)


LOOPS = {
    "while_loop": lambda x, back_prop: tf.while_loop(
        lambda i, _: i < 2, lambda i, y: (i + 1, y * x), [0, x], back_prop=back_prop
    )[1],
    "TensorArray": lambda x, back_prop: tf.while_loop(
        lambda i, _: i < 2,
        lambda i, array: (i + 1, array.write(i, x[i] * x[i])),
        [0, tf.TensorArray(tf.float32, 2)],
        back_prop=back_prop,
    )[1].stack(),
    "map_fn": lambda x, back_prop: tf.map_fn(lambda e: e * e, x, back_prop=back_prop),
    "scan": lambda x, back_prop: tf.scan(lambda a, e: a * e, x, back_prop=back_prop),
    "foldl": lambda x, back_prop: tf.foldl(lambda a, e: a * e, x, back_prop=back_prop),
    "foldr": lambda x, back_prop: tf.foldr(lambda a, e: a * e, x, back_prop=back_prop),
}


@pytest.mark.parametrize("name", LOOPS)
def test_no_gradient_goes_through_a_loop_of_a_graph_that_was_made_without(name):
    @tf.function(autograph=False)
    def gradient(x, back_prop):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = LOOPS[name](x, back_prop)
        return tape.gradient(y, x)

    x = tf.constant([2.0, 3.0])
    assert gradient(x, True) is not None
    assert gradient(x, False) is None


def test_a_loop_that_is_not_to_be_differentiated_has_no_gradient():
    """As TensorFlow 2.21 answers: None in graphs and functions, a gradient in eager mode."""

    def power_of(x, back_prop):
        return tf.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x * 1.0], back_prop=back_prop
        )[1]

    def gradient(function, *args):
        v = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = function(v, *args)
        return tape.gradient(y, v)

    assert gradient(power_of, False) == 32
    assert gradient(tf.function(power_of), False) is None
    assert gradient(tf.function(power_of), True) == 32
    with tf.Graph().as_default():
        x = tf.constant([2.0, 3.0])
        results = [
            power_of(x, False),
            tf.while_loop(lambda y: True, lambda y: [y * x], [x], back_prop=False,
                          maximum_iterations=2)[0],
            tf.map_fn(lambda a: a * a, x, back_prop=False),
            tf.foldl(lambda a, b: a * b, x, back_prop=False),
            tf.scan(lambda a, b: a * b, x, back_prop=False),
        ]  # fmt: skip
        assert [tf.gradients(y, x) for y in results] == [[None]] * 5


@pytest.mark.parametrize("wrap", [lambda call: call, tf.function])
def test_a_condition_is_asked_behind_the_last_iteration_that_is_allowed(wrap):
    asked = tf.Variable(0)

    def go_on(i):
        asked.assign_add(1)
        return i < 3

    def loop(most):
        return tf.while_loop(go_on, lambda i: (i + 1,), (tf.constant(0),), maximum_iterations=most)

    run = wrap(loop)
    for most, done, times in [(2, 2, 3), (3, 3, 4), (5, 3, 4), (0, 0, 1)]:
        asked.assign(0)
        assert int(run(most)[0]) == done
        assert int(asked) == times
