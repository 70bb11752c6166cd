"""One tensor in several places: gradients count each place once, whatever is known of shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.tensorflow.compat import v1

MATRIX = tf.TensorSpec([None, None])


def _second(function: Callable[[Any], Any], x: Any) -> Any:
    """The gradient of the sum of a function's gradient."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(function(x))
    return tape.gradient(total, x)


@pytest.mark.parametrize(
    "body",
    [
        lambda x: x * x * x,
        lambda x: tf.matmul(x, x, transpose_b=True),
        lambda x: tf.einsum("ij,kj->ik", x, x) @ x,
        lambda x: tf.concat([x, x], 0) ** 2,
        lambda x: tf.where(x > 0, x * x, x),
    ],
    ids=["product", "matmul", "einsum", "concat", "where"],
)
def test_second_derivatives_of_unknown_shapes_are_those_of_known_ones(body: Any) -> None:
    def first(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = body(x)
        return tape.gradient(y, x)

    x = tf.constant([[0.1, 0.2], [0.3, -0.4], [0.5, 0.6]])
    unknown = tf.function(first, input_signature=[MATRIX])
    np.testing.assert_allclose(_second(unknown, x), _second(first, x), rtol=1e-5)


def test_the_gradient_of_a_part_of_unknown_size_has_the_shape_of_the_part() -> None:
    @tf.function(input_signature=[MATRIX, MATRIX])
    def gradient(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(y)
            z = tf.concat([x, y], 0) ** 2
        found = tape.gradient(z, y)
        assert found.shape.as_list() == [None, None]
        return tf.ones([2, 3]) + found

    np.testing.assert_array_equal(gradient(tf.ones([4, 3]), tf.ones([2, 3])), np.full((2, 3), 3.0))


@pytest.mark.parametrize("choose", ["cond", "switch_case"])
def test_a_known_branch_gives_a_tensor_of_its_own_in_a_function(choose: str) -> None:
    # As TensorFlow: a tape that watches the result of a branch does not see other uses of what
    # the branch returned.
    @tf.function
    def gradient(x: Any) -> Any:
        if choose == "cond":
            y = tf.cond(tf.constant(True), lambda: x, lambda: -x)
        else:
            y = tf.switch_case(tf.constant(1), [lambda: -x, lambda: x])
        with tf.GradientTape() as tape:
            tape.watch(y)
            z = 10.0 * x + y
        return tape.gradient(z, y)

    assert float(gradient(tf.constant(3.0))) == 1.0


def test_the_gradient_of_a_gradient_of_a_python_function_in_a_graph() -> None:
    @tf.function
    def first(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(lambda a, b: a * a * b, [x, x], tf.float32)
        return tape.gradient(y, x)

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = first(x)
    assert float(y) == 12.0  # 3 x^2
    assert float(tape.gradient(y, x)) == 12.0  # 6 x


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_recomputed_gradients_of_an_argument_given_twice(wrap: Any) -> None:
    again = tf.recompute_grad(lambda a, b: a * b * b)
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = wrap(lambda x: again(x, x))(x)
    assert float(tape.gradient(y, x)) == 27.0


def test_fill_takes_a_value_of_unknown_rank() -> None:
    filled = tf.function(lambda x: tf.fill([3], x), input_signature=[tf.TensorSpec(None)])
    assert filled.get_concrete_function().output_shapes == tf.TensorShape([3])
    np.testing.assert_array_equal(filled(tf.constant(2.0)), [2.0, 2.0, 2.0])


def test_a_fed_constant_leaves_the_number_of_parts_of_a_gradient() -> None:
    with v1.Graph().as_default():
        x = v1.placeholder(tf.float32, [3])
        index = v1.placeholder(tf.int32, [])
        updated = tf.tensor_scatter_nd_add(tf.zeros([3]), [[index % 3]], [tf.reduce_sum(x)])
        scale = tf.constant(2.0)
        outside = tf.slice(updated, [index], [3])
        (gradient,) = v1.gradients(tf.reduce_sum(outside * scale), [x])
        with v1.Session() as session:
            found = session.run(gradient, {x: [1.0, 2.0, 3.0], index: 0, scale: 5.0})
            np.testing.assert_array_equal(found, [5.0, 5.0, 5.0])
            with pytest.raises(tf.errors.InvalidArgumentError, match="Expected size"):
                session.run(gradient, {x: [1.0, 2.0, 3.0], index: 2, scale: 5.0})
