"""`tf.gradients` inside of a branch, a loop or a function, for tensors of the graph around it.

The numbers are TensorFlow 2.21's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


@pytest.fixture
def session() -> Iterator[Any]:
    """A session of an empty graph that takes the ops of a test."""
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def in_branch(session: Any, function: Callable[[Any], Any], x: Any) -> Any:
    """What a branch that is taken returns."""
    flag = v1.placeholder(tf.bool, [])
    return session.run(v1.cond(flag, lambda: function(x), lambda: x * 1.0), {flag: True})


def grad(y: Any, x: Any, **more: Any) -> Any:
    return v1.gradients(y, [x], **more)[0]


def test_a_gradient_goes_through_what_was_computed_outside(session: Any) -> None:
    x = tf.constant(10.0)
    y, count = 7.0 * x, v1.placeholder(tf.int32, [])
    found = v1.cond(count < 2, lambda: grad(y * y, x), lambda: x * 3.0)
    assert session.run(found, {count: 1}) == 980.0
    assert session.run(found, {count: 3}) == 30.0
    assert session.run(grad(found, x), {count: 1}) == pytest.approx(98.0)
    assert session.run(grad(found, x), {count: 3}) == 3.0


def test_what_is_read_directly_and_what_is_not_add_up(session: Any) -> None:
    x = tf.constant(3.0)
    y = tf.sin(x)
    assert in_branch(session, lambda x: grad(y * x, x), x) == pytest.approx(-2.8288574)
    assert in_branch(session, lambda x: grad(y * x, y), x) == 3.0
    assert in_branch(session, lambda x: grad(y * x, x, stop_gradients=[y]), x) == pytest.approx(
        0.14112
    )


def test_a_branch_in_a_branch_reaches_the_outermost_graph(session: Any) -> None:
    x = tf.constant(3.0)
    y, flag = tf.sin(x), v1.placeholder_with_default(True, [])

    def inner(x: Any) -> Any:
        return v1.cond(flag, lambda: grad(y * x * y, x), lambda: x)

    assert in_branch(session, inner, x) == pytest.approx(-0.81833154)


def test_variables_and_loops_outside_are_differentiated(session: Any) -> None:
    x, variable = tf.constant(3.0), v1.Variable(3.0, use_resource=True)
    power = v1.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, z * x), [0, x])[1]
    assert in_branch(session, lambda x: grad(power * x, x), x) == 405.0
    y = tf.sin(variable)
    session.run(variable.initializer)
    found = in_branch(session, lambda _: grad(y * variable, variable), x)
    assert found == pytest.approx(-2.8288574)


def test_rounds_of_a_loop_and_second_derivatives_differentiate_too(session: Any) -> None:
    x = tf.constant(3.0)
    y = x * x
    body = lambda i, z: (i + 1, z + grad(y * z, x))  # noqa: E731
    assert session.run(v1.while_loop(lambda i, z: i < 3, body, [0, 1.0])[1]) == 343.0
    assert in_branch(session, lambda x: grad(grad(y * y, x), x), x) == 108.0


def test_functions_in_functions_differentiate_too() -> None:
    @tf.function
    def branch(flag: Any, x: Any) -> Any:
        y = x * x
        return tf.cond(flag, lambda: grad(y * y, x), lambda: x * 1.0)

    @tf.function
    def inner(x: Any) -> Any:
        y = x * x
        return tf.function(lambda: grad(y * y, x))()

    x = tf.constant(3.0)
    assert float(branch(tf.constant(True), x)) == float(inner(x)) == 108.0


def test_a_branch_that_returns_nothing_beside_one_that_returns_a_tensor_is_refused() -> None:
    with tf.Graph().as_default():
        flag = v1.placeholder(tf.bool, [])
        with pytest.raises(TypeError, match="None in one branch is a tensor in the other"):
            v1.cond(flag, lambda: None, lambda: tf.constant(1.0))


OF_TWO: dict[str, Callable[[Any], Any]] = {
    "while": lambda x: tf.while_loop(lambda a, b: a[0] < 5, lambda a, b: (a + x, b * 2), [x, x]),
    "cond": lambda x: tf.cond(x[0] > 0, lambda: (x * x, x * 3), lambda: (x, x)),
    "split": lambda x: tf.split(x * x, 2),
    "identity_n": lambda x: tf.identity_n([x * x, x * 3]),
    "moments": lambda x: tf.nn.moments(tf.stack([x, x * 2]), [1]),
}
APART = [[-1.0], [2.0, 4.0], [3.0, 3.0], [2.0, 4.0], [9.0, 9.0], [4.0, 8.0]]
NONE = [[-1.0]] * 6
STOPPED = {
    "while": [[-1.0], [5.0, 5.0], [16.0, 16.0], [5.0, 5.0], [48.0, 48.0], [10.0, 10.0]],
    "cond": APART,
    "split": NONE,
    "identity_n": NONE,
    "moments": [[-1.0], [1.5, 1.5], [-2.5, 2.5], [1.5, 1.5], [-7.5, 7.5], [3.0, 3.0]],
}


def stopped(name: str, x: Any) -> list[Any]:
    """Gradients of and around an operation with two outputs, one of which is a constant."""
    x = x * 1.0
    a, b = OF_TWO[name](x)
    found = []
    for ys in ([a], [a, b], [a * 2, b * 3]):
        for stop in (a, b):
            grad = tf.gradients(ys, [x], stop_gradients=[stop])[0]
            found.append(tf.constant([-1.0]) if grad is None else grad)
    return found


@pytest.mark.parametrize("name", OF_TWO)
def test_an_operation_of_several_outputs_one_of_which_is_a_constant(
    name: str, session: Any
) -> None:
    found = session.run(stopped(name, tf.constant([1.0, 2.0])))
    assert [each.tolist() for each in found] == STOPPED[name]


@pytest.mark.parametrize("name", OF_TWO)
def test_an_operation_of_a_function_one_of_whose_outputs_is_a_constant(name: str) -> None:
    found = tf.function(lambda x: stopped(name, x))(tf.constant([1.0, 2.0]))
    wanted = NONE if name == "while" else STOPPED[name]
    assert [each.numpy().tolist() for each in found] == wanted


def compared(x, t):
    """Compares the second number only."""
    return tf.cond(x > 0, lambda: x * 1.0, lambda: x + tf.cast(t > 1.0, tf.float32))


def cut_off(x, t):
    """Lets no gradient through to the second number."""
    index = tf.cast(x, tf.int32)
    fns = [lambda: x * 1.0, lambda: x + tf.stop_gradient(t), lambda: x]
    return tf.switch_case(index, fns)


def in_one(x, t):
    """Uses the second number in one branch."""
    return tf.cond(x > 0, lambda: x * 1.0, lambda: x * t)


def passed(x, t):
    """Returns the second number, too, which is dropped."""
    return tf.cond(x > 0, lambda: (x * 1.0, t * 2.0), lambda: (x * 2.0, t))[0]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
@pytest.mark.parametrize(
    ("call", "slope"), [(compared, None), (cut_off, None), (in_one, 0.0), (passed, 0.0)]
)
def test_what_matters_in_no_branch_has_no_gradient(wrap, call, slope):
    def slopes(x, t):
        with tf.GradientTape() as tape:
            tape.watch([x, t])
            y = tf.function(call)(x, t)
        return tape.gradient(y, [x, t])

    of_x, of_t = wrap(slopes)(tf.constant(0.5), tf.constant(2.0))
    assert float(of_x) == 1.0
    assert (None if of_t is None else float(of_t)) == slope
