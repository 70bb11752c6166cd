"""What plans do otherwise than the program says: steps of Adam at once, nothing small twice."""

from __future__ import annotations

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf


class Adam:
    """Adam, written op by op as Keras writes it."""

    def __init__(self, shape, rates=(0.1, 0.001)):
        self.var = tf.Variable(tf.ones(shape))
        self.m, self.v = tf.Variable(tf.zeros(shape)), tf.Variable(tf.zeros(shape))
        self.count = tf.Variable(0, dtype=tf.int64)
        self.rates = rates

    def step(self, grad):
        powers = [tf.pow(1 - rate, tf.cast(self.count + 1, tf.float32)) for rate in self.rates]
        alpha = 0.1 * tf.sqrt(1 - powers[1]) / (1 - powers[0])
        self.m.assign_add((grad - self.m) * self.rates[0])
        self.v.assign_add((tf.square(grad) - self.v) * self.rates[1])
        self.var.assign_sub(self.m * alpha / (tf.sqrt(self.v) + 1e-7))
        self.count.assign_add(1)
        return alpha

    def values(self):
        return [each.numpy() for each in (self.var, self.m, self.v)]


def ops(function, *args):
    return [step.op for step in emplace.explain(function, *args).steps]


def trained(step, adam, steps=5):
    for number in range(steps):
        step(tf.fill(adam.var.shape, 0.5 - number))
    return adam.values()


def test_adam_in_one_operation_computes_what_its_operations_compute():
    alike, ours = Adam([7, 33]), Adam([7, 33])
    step = tf.function(ours.step)
    expected, found = trained(alike.step, alike), trained(step, ours)
    for x, y in zip(expected, found, strict=True):
        np.testing.assert_allclose(y, x, rtol=2e-6, atol=1e-7)
    assert ops(step, tf.ones([7, 33])).count("FusedAdam") == 1
    assert "Square" not in ops(step, tf.ones([7, 33]))


def step_of_all(adams, rates=None):
    """A step of each Adam at one learning rate, written one after the other."""

    def step(*grads):
        alphas = [0.1 * tf.sqrt(1 - tf.pow(0.999, tf.cast(adams[0].count + 1, tf.float32)))
                  for _ in adams]  # fmt: skip
        for adam, alpha, grad in zip(adams, alphas, grads, strict=True):
            adam.m.assign_add((grad - adam.m) * adam.rates[0])
            adam.v.assign_add((tf.square(grad) - adam.v) * adam.rates[1])
            adam.var.assign_sub(adam.m * alpha / (tf.sqrt(adam.v) + 1e-7))

    return step


@pytest.mark.parametrize(
    ("rates", "count"), [([(0.1, 0.001)] * 3, 1), ([(0.1, 0.001), (0.1, 0.001), (0.2, 0.001)], 2)]
)
def test_steps_of_several_variables_at_one_rate_are_one_operation(rates, count):
    shapes = [4], [3, 5], [2]
    alike, ours = ([Adam(*each) for each in zip(shapes, rates, strict=True)] for _ in range(2))
    step = tf.function(step_of_all(ours))
    grads = [tf.fill(shape, 0.3) for shape in shapes]
    for _ in range(3):
        step_of_all(alike)(*grads)
        step(*grads)
    for one, other in zip(alike, ours, strict=True):
        for x, y in zip(one.values(), other.values(), strict=True):
            np.testing.assert_allclose(y, x, rtol=2e-6, atol=1e-7)
    assert ops(step, *grads).count("FusedAdam") == count


def test_steps_of_the_same_variable_stay_two():
    ours, alike = Adam([4]), Adam([4])
    step = tf.function(step_of_all([ours, ours]))
    grads = [tf.fill([4], 0.3), tf.fill([4], -0.7)]
    step(*grads)
    step_of_all([alike, alike])(*grads)
    for x, y in zip(alike.values(), ours.values(), strict=True):
        np.testing.assert_allclose(y, x, rtol=2e-6, atol=1e-7)


def test_adam_of_doubles_keeps_their_precision():
    adam = Adam([3])
    for name in ("var", "m", "v"):
        setattr(adam, name, tf.Variable(tf.cast(getattr(adam, name), tf.float64)))

    @tf.function
    def step(grad):
        adam.m.assign_add((grad - adam.m) * 0.1)
        adam.v.assign_add((tf.square(grad) - adam.v) * 0.001)
        adam.var.assign_sub(adam.m * 0.1 / (tf.sqrt(adam.v) + 1e-7))

    step(tf.constant([0.5, -1.0, 2.0], tf.float64))
    assert "FusedAdam" in ops(step, tf.ones([3], tf.float64))
    ratio = 0.1 / (np.sqrt(0.001) + 1e-7 / np.array([0.5, 1.0, 2.0]))
    np.testing.assert_allclose(
        adam.var.numpy(), 1 - 0.1 * np.sign([0.5, -1.0, 2.0]) * ratio, rtol=1e-13
    )


def test_a_mean_that_becomes_infinite_does_not_let_its_variable_rest_unnoticed():
    adam = Adam([3])
    step = tf.function(adam.step)
    step(tf.constant([1.0, 1e25, 1.0]))  # whose square float32 does not hold
    for _ in range(300):  # some of them look
        step(tf.constant([1.0, 1.0, 1.0]))
    assert np.isnan(adam.var).tolist() == [False, True, False]


def test_rates_at_their_ends_are_computed_too():
    for rates in ((0.0, 0.001), (1.0, 1.0)):
        alike, ours = Adam([4], rates), Adam([4], rates)
        expected = trained(alike.step, alike, 2)
        for x, y in zip(expected, trained(tf.function(ours.step), ours, 2), strict=True):
            np.testing.assert_allclose(y, x, rtol=1e-6)


def test_a_value_that_was_read_before_stays_what_it_was():
    adam = Adam([4])
    before = adam.var.read_value()
    trained(tf.function(adam.step), adam, 1)
    assert before.numpy().tolist() == [1.0] * 4
    assert adam.var.numpy()[0] < 1.0


@pytest.mark.parametrize(
    "look",
    [
        lambda adam, grad: (adam.step(grad), adam.m.read_value())[1],
        lambda adam, grad: (adam.m.read_value(), adam.step(grad))[0],
    ],
)
def test_a_mean_that_somebody_else_reads_leaves_adam_as_written(look):
    alike, ours = Adam([4]), Adam([4])
    grad = tf.fill([4], 0.5)
    function = tf.function(lambda grad: look(ours, grad))
    np.testing.assert_allclose(function(grad), look(alike, grad), rtol=1e-6)
    assert "FusedAdam" not in ops(function, grad)


def test_a_gradient_that_is_spread_over_the_variable_leaves_adam_as_written():
    adam = Adam([4])
    assert "FusedAdam" not in ops(tf.function(adam.step), tf.constant(1.0))


@pytest.mark.gpus(2)
def test_means_on_another_device_leave_adam_as_written():
    with tf.device("/GPU:1"):
        adam = Adam([4])
        step = tf.function(adam.step)
        assert "FusedAdam" in ops(step, tf.ones([4]))
    with tf.device("/GPU:0"):
        adam.m = tf.Variable(tf.zeros([4]))
    assert "FusedAdam" not in ops(tf.function(adam.step), tf.ones([4]))


@pytest.mark.gpus(1, memory="64MB")
def test_adam_in_one_operation_keeps_to_a_budget():
    adam = Adam([4])
    step = tf.function(adam.step)
    assert "FusedAdam" in ops(step, tf.ones([4]))
    trained(step, adam)
    assert adam.count.numpy() == 5


def test_adam_in_a_loop_is_one_operation_too():
    alike, ours = Adam([4]), Adam([4])

    @tf.function
    def steps(grad):
        for _ in tf.range(3):
            ours.step(grad)

    grad = tf.fill([4], 0.5)
    for _ in range(3):
        alike.step(grad)
    steps(grad)
    np.testing.assert_allclose(ours.var, alike.var, rtol=1e-6)


def test_what_is_small_is_computed_once():
    @tf.function
    def twice(x):
        return tf.sin(x) * 2.0 + tf.sin(x) * 2.0

    x = tf.constant([1.0, 2.0])
    assert ops(twice, x) == ["Sin", "Mul", "AddV2"]
    np.testing.assert_allclose(twice(x), 4 * np.sin([1.0, 2.0]), rtol=1e-6)


def test_a_variable_is_read_again_after_it_has_changed():
    v = tf.Variable(1.0)

    @tf.function
    def changed():
        before = v * 2.0 + v * 2.0
        v.assign_add(1.0)
        return before, v * 2.0

    assert [x.numpy() for x in changed()] == [4.0, 4.0]
    assert ops(changed).count("ReadVariableOp") == 2


def test_a_variable_is_read_again_after_a_branch_or_python_may_have_changed_it():
    v = tf.Variable(1.0)

    def assign_seven():
        v.assign(7.0)

    @tf.function
    def changed(x):
        a = v + 0.0
        if x > 0.0:
            v.assign(5.0)
        b = v + 0.0
        tf.py_function(assign_seven, [], [])
        return a, b, v + 0.0

    assert [x.numpy() for x in changed(tf.constant(1.0))] == [1.0, 5.0, 7.0]


def test_random_numbers_are_drawn_each_time():
    @tf.function
    def drawn():
        return tf.random.uniform([4]) - tf.random.uniform([4])

    assert np.abs(drawn().numpy()).max() > 0.0


def test_zeros_of_both_signs_are_two_numbers():
    @tf.function
    def divided(x):
        return (x / 0.0) + 0.0, (x / -0.0) + 0.0

    assert [x.numpy() for x in divided(tf.constant(1.0))] == [np.inf, -np.inf]


def test_attributes_that_differ_in_the_sign_of_zero_are_others():
    def both(x):
        return [1.0 / tf.nn.leaky_relu(x, alpha=alpha) for alpha in (0.0, -0.0)]

    x = tf.constant([-1.0, -2.0])
    expected = [y.numpy().tolist() for y in both(x)]
    assert expected == [[-np.inf] * 2, [np.inf] * 2]
    assert [y.numpy().tolist() for y in tf.function(both)(x)] == expected


@pytest.mark.gpus(2)
def test_the_same_on_two_devices_is_computed_on_both():
    @tf.function
    def both(x):
        with tf.device("/GPU:0"):
            a = tf.sin(x)
        with tf.device("/GPU:1"):
            b = tf.sin(x)
            return a + b

    assert ops(both, tf.constant([1.0])).count("Sin") == 2


def test_a_result_that_is_asked_for_twice_is_given_twice():
    @tf.function
    def pair(x):
        return x + 1.0, x + 1.0

    a, b = pair(tf.constant(1.0))
    assert a is not b
    assert emplace.explain(b).op == "AddV2"


def loop_text(function, *args):
    return emplace.explain(function, *args).source


@pytest.mark.gpus(0)
def test_a_loop_whose_rounds_are_known_is_written_as_for():
    @tf.function
    def summed(x):
        total = tf.zeros([])
        for i in tf.range(5):
            total += x * tf.cast(i, tf.float32)
        return total, i

    total, last = summed(tf.constant(2.0))
    assert (total.numpy(), last.numpy()) == (20.0, 4)
    assert "for " in loop_text(summed, tf.constant(2.0))
    assert "while True" not in loop_text(summed, tf.constant(2.0))


@pytest.mark.parametrize(
    ("start", "limit", "by"), [(0, 5, 1), (0, 5, 2), (3, 3, 1), (7, 3, 1), (-4, 5, 3)]
)
@pytest.mark.gpus(0)
def test_counters_end_where_the_written_loop_ends(start, limit, by):
    @tf.function
    def run():
        return tf.while_loop(
            lambda i, n: tf.logical_and(i < limit, n < 4), lambda i, n: (i + by, n + 1), (start, 0)
        )

    i, n = start, 0
    while i < limit and n < 4:
        i, n = i + by, n + 1
    assert [x.numpy() for x in run()] == [i, n]
    assert "while True" not in loop_text(run)


def test_gradients_of_counted_loops_are_those_of_the_rounds():
    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, 1.0))[1]
        return y, tape.gradient(y, x)

    y, dy = slope(tf.constant(2.0))
    assert (y.numpy(), dy.numpy()) == (8.0, 12.0)


@pytest.mark.parametrize(
    "cond",
    [
        lambda i, x: tf.logical_and(i < 9, x < 3.0),
        lambda i, x: tf.logical_or(i < 2, x < 3.0),
        lambda i, x: i <= 2,
        lambda i, x: i < tf.cast(x, tf.int32) + 3,
    ],
)
def test_a_loop_with_another_condition_asks_it_each_round(cond):
    @tf.function
    def run(x):
        return tf.while_loop(cond, lambda i, x: (i + 1, x + 0.5), (0, x))

    expected = tf.while_loop(cond, lambda i, x: (i + 1, x + 0.5), (0, tf.constant(1.0)))
    assert [x.numpy() for x in run(tf.constant(1.0))] == [x.numpy() for x in expected]
    assert "while True" in loop_text(run, tf.constant(1.0))


def test_a_counter_that_a_branch_changes_too_is_no_counter():
    @tf.function
    def run(x):
        i = tf.constant(0)
        while i < 10:
            if x > 0.0:
                i += 3
            i += 1
        return i

    assert run(tf.constant(1.0)).numpy() == 12
    assert run(tf.constant(-1.0)).numpy() == 10


def recurrent(kernel, recurrent_kernel, bias, xs):
    """The gradients of a small recurrent network for its weights."""
    with tf.GradientTape() as tape:
        weights = [kernel, recurrent_kernel, bias]
        tape.watch(weights)

        def body(t, h):
            z = tf.matmul(xs[t], kernel) + tf.matmul(h, recurrent_kernel)
            return t + 1, tf.tanh(tf.nn.bias_add(z, bias))

        h = tf.while_loop(lambda t, h: t < tf.shape(xs)[0], body, (0, tf.zeros([3, 4])))[1]
        loss = tf.reduce_sum(h * h)
    return tape.gradient(loss, weights)


def recurrent_case(steps, dtype=np.float32):
    random = np.random.default_rng(0)
    shapes = ((2, 4), (4, 4), (4,), (steps, 3, 2))
    return [tf.constant(random.normal(size=shape).astype(dtype)) for shape in shapes]


@pytest.mark.parametrize("steps", [0, 1, 6])
@pytest.mark.gpus(0)
def test_gradients_of_weights_in_a_loop_are_one_product_each(steps):
    given = recurrent_case(steps)
    expected = recurrent(*given)
    function = tf.function(recurrent)
    for x, y in zip(expected, function(*given), strict=True):
        # Without iterations nothing depends on weights: None, or zeros where a loop may have some.
        np.testing.assert_allclose(y, 0.0 if x is None else x, rtol=1e-5, atol=1e-6)
    explained = emplace.explain(function, *given)
    inside = [step for step in explained.steps if step.depth and "MatMul" in step.op]
    after = [step for step in explained.steps if not step.depth and "MatMul" in step.op]
    assert (len(inside), len(after)) == (3, 2), "two forwards, one backwards; two sums afterwards"


@pytest.mark.gpus(1, memory="64MB")
def test_gradients_of_weights_in_a_loop_within_a_budget():
    given = recurrent_case(5)
    for x, y in zip(recurrent(*given), tf.function(recurrent)(*given), strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-5, atol=1e-6)


@pytest.mark.gpus(2)
def test_gradients_of_weights_on_two_devices():
    given = recurrent_case(5)
    with tf.device("/GPU:1"):
        given[1] = tf.identity(given[1])
    for x, y in zip(recurrent(*given), tf.function(recurrent)(*given), strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-5, atol=1e-6)


def test_second_gradients_of_weights_in_a_loop():
    kernel, recurrent_kernel, bias, xs = recurrent_case(4)

    def twice(kernel):
        with tf.GradientTape() as tape:
            tape.watch(kernel)
            first = recurrent(kernel, recurrent_kernel, bias, xs)[0]
            total = tf.reduce_sum(first * first)
        return tape.gradient(total, kernel)

    np.testing.assert_allclose(tf.function(twice)(kernel), twice(kernel), rtol=1e-4, atol=1e-5)
