"""A linear operator as the target of a tape: the tensors that it is made of are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import emplace.tensorflow as tf

L = tf.linalg

# What makes an operator of a vector and a column, and what TensorFlow gives for both.
OPERATORS: list[tuple[Callable[[Any, Any], Any], Any, Any]] = [
    (lambda v, w: L.LinearOperatorDiag(v), [1.0, 1.0], None),
    (lambda v, w: L.LinearOperatorDiag(v * v), [2.0, 4.0], None),
    (lambda v, w: L.LinearOperatorScaledIdentity(2, v), [1.0, 1.0], None),
    (lambda v, w: L.LinearOperatorIdentity(2), None, None),
    (lambda v, w: L.LinearOperatorInversion(L.LinearOperatorDiag(v)), [1.0, 1.0], None),
    (
        lambda v, w: L.LinearOperatorBlockDiag(
            [L.LinearOperatorDiag(v), L.LinearOperatorDiag(v * 2)]
        ),
        [3.0, 3.0],
        None,
    ),
    (
        lambda v, w: L.LinearOperatorTridiag([v, v * 2, v * 3], diagonals_format="sequence"),
        [6.0, 6.0],
        None,
    ),
    (lambda v, w: L.LinearOperatorFullMatrix(w * [[1.0, 2.0]]), None, [[3.0], [3.0]]),
    (
        lambda v, w: L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag(v), w * 2, v[:1] * 3),
        [4.0, 1.0],
        [[4.0], [4.0]],
    ),
    (lambda v, w: [L.LinearOperatorDiag(v), v * 2], [3.0, 3.0], None),
]


@pytest.mark.parametrize("number", range(len(OPERATORS)))
def test_the_gradient_of_an_operator_is_that_of_its_tensors(number: int) -> None:
    make, *expected = OPERATORS[number]
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        operator = make(v, w)
    found = [None if x is None else x.numpy().tolist() for x in tape.gradient(operator, [v, w])]
    assert found == expected


def test_gradients_of_an_operator_are_an_operator() -> None:
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        operator = L.LinearOperatorDiag(v * v)
    outer = L.LinearOperatorDiag([2.0, 3.0])
    gradient = tape.gradient(operator, v, output_gradients=outer)
    assert gradient.numpy().tolist() == [4.0, 12.0]


def test_other_values_are_still_no_targets() -> None:
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        operator = L.LinearOperatorDiag(v)
    with pytest.raises(TypeError, match="must hold tensors or variables"):
        tape.gradient([operator, "text"], v)
