"""What gradients of a program's own do besides, and gradients of gradients in inner functions."""

import pytest

import emplace.tensorflow as tf


def noted(counter):
    """A sine whose gradient counts how often it is asked for."""

    @tf.custom_gradient
    def sine(x):
        def grad(dy):
            counter.assign_add(1)
            return dy * tf.cos(x)

        return tf.sin(x), grad

    return sine


def slope(call, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = call(x)
    return tape.gradient(y, x)


@pytest.mark.parametrize(
    ("wrap", "wrap_step", "times"),
    [
        (lambda f: f, lambda f: f, 1),
        (tf.function, lambda f: f, 0),  # TF: only what the gradient needs runs
        (lambda f: f, tf.function, 1),
        (tf.function, tf.function, 1),
    ],
)
def test_what_a_gradient_of_the_program_does_besides(wrap, wrap_step, times):
    counter = tf.Variable(0)
    called = wrap(noted(counter))
    step = wrap_step(lambda x: slope(called, x))
    assert abs(float(step(tf.constant(0.5))) - 0.8775826) < 1e-6
    assert int(counter) == times
    step(tf.constant(0.5))
    assert int(counter) == 2 * times


def test_what_gradients_in_loops_and_called_functions_do_besides():
    noted_here: list[float] = []

    @tf.custom_gradient
    def sine(x):
        def grad(dy):
            tf.numpy_function(lambda each: noted_here.append(float(each)), [dy], [])
            return dy * tf.cos(x)

        return tf.sin(x), grad

    def looped(x):
        return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, sine(y)), (0, x))[1]

    x = tf.constant(0.5)
    for call, times in ((looped, 2), (tf.function(sine), 1)):
        for run in (
            tf.function(lambda x, call=call: slope(call, x)),
            lambda x, call=call: slope(tf.function(lambda y: call(y) * 1.0), x),
            tf.function(lambda x, call=call: slope(tf.function(lambda y: call(y) * 1.0), x)),
        ):
            noted_here.clear()
            run(x)
            assert len(noted_here) == times


def test_what_a_gradient_needs_happens():
    counter = tf.Variable(1.0)

    @tf.custom_gradient
    def sine(x):
        def grad(dy):
            return dy * counter.assign_add(1.0)

        return tf.sin(x), grad

    assert float(slope(tf.function(sine), tf.constant(0.5))) == 2.0
    assert float(counter) == 2.0


def test_gradients_of_gradients_of_loops_in_inner_functions():
    def cube(x):
        return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * x), (0, x))[1]

    def mapped(x):
        return tf.reduce_sum(tf.map_fn(lambda each: each * x, tf.stack([x, 2.0 * x])))

    for call, second in ((cube, 12.0), (mapped, 6.0)):
        first = tf.function(lambda x, call=call: slope(call, x))
        for outer in (lambda x, f=first: slope(f, x), tf.function(lambda x, f=first: slope(f, x))):
            assert abs(float(outer(tf.constant(2.0))) - second) < 1e-5
        twice = tf.function(lambda x, f=first: f(x) + f(2.0 * x))
        wanted = second + (48.0 if call is cube else 12.0)
        assert (
            abs(float(tf.function(lambda x, f=twice: slope(f, x))(tf.constant(2.0))) - wanted)
            < 1e-4
        )


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_a_gradient_of_the_program_for_ragged_tensors(wrap):
    kinds = []

    @tf.custom_gradient
    def both(x, y, z):
        def grad(dx, dy):
            kinds.append((isinstance(dx, tf.RaggedTensor), isinstance(dy, tf.RaggedTensor)))
            return 3.0 * dx, 4.0 * dy, 5.0 * dx.flat_values[:2]

        return (x * tf.reduce_sum(z), 2.0 * y), grad

    x = tf.ragged.constant([[1.0, 2.0], [3.0]])
    y, z = tf.constant([1.0, 2.0]), tf.constant([0.5, 0.5])

    def step(x, y, z):
        with tf.GradientTape() as tape:
            tape.watch([x.flat_values, y, z])
            results = both(x, y, z)
        return results, tape.gradient(results, [x, y, z])

    (first, second), (dx, dy, dz) = wrap(step)(x, y, z)
    assert first.to_list() == [[1.0, 2.0], [3.0]]
    assert second.numpy().tolist() == [2.0, 4.0]
    assert dx.to_list() == [[3.0, 3.0], [3.0]]
    assert dy.numpy().tolist() == [4.0, 4.0]
    assert dz.numpy().tolist() == [5.0, 5.0]
    assert kinds == [(True, False)]

    with tf.GradientTape() as tape:
        tape.watch(x.flat_values)
        scaled = wrap(both)(x, y, z)[0]
    assert tape.gradient(scaled, x).to_list() == [[3.0, 3.0], [3.0]]
