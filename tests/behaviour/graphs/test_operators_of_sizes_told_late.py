"""Linear operators whose sizes only running a graph tells are those of the same known sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.base.errors import InvalidArgumentError

L = tf.linalg
MATRIX = [[4.0, 1.0], [2.0, 3.0]]
BATCH = [[[4.0, 1.0], [2.0, 3.0]], [[5.0, 1.0], [0.0, 2.0]]]
F = L.LinearOperatorFullMatrix

# What makes an operator of tensors, and these.
MADE: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "diag": (L.LinearOperatorDiag, [[[1.0, 2.0], [3.0, -4.0]]]),
    "triangle": (L.LinearOperatorLowerTriangular, [BATCH]),
    "identity": (lambda n: L.LinearOperatorIdentity(n), [3]),
    "batch of identities": (lambda n, b: L.LinearOperatorIdentity(n, b), [2, [2]]),
    "scaled": (L.LinearOperatorScaledIdentity, [2, [3.0, -2.0]]),
    "permutation": (L.LinearOperatorPermutation, [[[1, 2, 0], [0, 2, 1]]]),
    "householder": (L.LinearOperatorHouseholder, [[[1.0, 2.0], [3.0, 0.5]]]),
    "toeplitz": (L.LinearOperatorToeplitz, [[[4.0, 1.0], [5.0, 2.0]], [4.0, 2.0]]),
    "tridiagonal": (L.LinearOperatorTridiag, [[[1.0, 2.0, 0.0], [4.0, 5.0, 6.0], [0.0, 1.0, 1.0]]]),
    "circulant": (lambda x: L.LinearOperatorCirculant(x, tf.float32), [[[6.0, 4.0, 4.0]] * 2]),
    "circulant of blocks": (
        lambda x: L.LinearOperatorCirculant2D(x, tf.float32), [[[6.0, 4.0], [3.0, 2.0]]],
    ),
    "composition": (lambda a, b: L.LinearOperatorComposition([F(a), F(b)]), [MATRIX, BATCH]),
    "blocks": (lambda a, b: L.LinearOperatorBlockDiag([F(a), F(b)]), [MATRIX, BATCH]),
    "triangle of blocks": (
        lambda a, b: L.LinearOperatorBlockLowerTriangular([[F(a)], [F(b), F(a)]]),
        [MATRIX, BATCH],
    ),
    "kronecker": (lambda a, b: L.LinearOperatorKronecker([F(a), F(b)]), [MATRIX, BATCH]),
    "update": (
        lambda a, u, d: L.LinearOperatorLowRankUpdate(F(a), u, d),
        [BATCH, [[1.0], [2.0]], [0.5]],
    ),
    "inverse": (lambda a: L.LinearOperatorInversion(F(a)), [BATCH]),
    "adjoint": (lambda a: L.LinearOperatorAdjoint(F(a)), [BATCH]),
}  # fmt: skip

ASKED: dict[str, Callable[[Any], Any]] = {
    "shape": lambda op: op.shape_tensor(),
    "dense": lambda op: op.to_dense(),
    "product": lambda op: op.matmul(_numbers(op, 2)),
    "adjoint product": lambda op: op.matmul(_numbers(op, 2), adjoint=True),
    "solution": lambda op: op.solve(_numbers(op, 2)),
    "determinant": lambda op: op.determinant(),
    "logarithm": lambda op: op.log_abs_determinant(),
    "diagonal": lambda op: op.diag_part(),
    "trace": lambda op: op.trace(),
    "condition": lambda op: op.cond(),
    "inverse": lambda op: op.inverse().to_dense(),
}


def _numbers(op: Any, columns: int) -> Any:
    rows = op.domain_dimension_tensor()
    return tf.reshape(tf.cast(tf.range(rows * columns), op.dtype), [rows, columns]) - 1.5


def _late(make: Callable[..., Any], parts: list[Any], ask: Callable[[Any], Any]) -> Any:
    tensors = [tf.constant(part) for part in parts]
    signature = [tf.TensorSpec(None, each.dtype) for each in tensors]
    return tf.function(lambda *given: ask(make(*given)), input_signature=signature)(*tensors)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("made", MADE)
def test_an_operator_of_unknown_sizes_answers_as_one_of_known_ones(made: str, asked: str) -> None:
    make, parts = MADE[made]
    expected = ASKED[asked](make(*[tf.constant(part) for part in parts]))
    found = _late(make, parts, ASKED[asked])
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("places", [(0,), (slice(1, None),), (..., 0), (tf.newaxis, slice(1))])
@pytest.mark.parametrize(
    "made", ["diag", "householder", "toeplitz", "kronecker", "blocks", "update", "composition"]
)
def test_a_batch_of_unknown_size_is_sliced_with_all_that_it_is_made_of(
    made: str, places: Any
) -> None:
    make, parts = MADE[made]
    expected = make(*[tf.constant(part) for part in parts])[places].to_dense()
    found = _late(make, parts, lambda op: op[places].to_dense())
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5)


def test_zeros_have_the_sizes_that_the_graph_tells() -> None:
    def product(n: Any, m: Any) -> Any:
        zero = L.LinearOperatorZeros(n, m, is_square=False, is_self_adjoint=False)
        return zero.matmul(tf.ones([2, m, 4]))

    assert _late(lambda n, m: product(n, m), [3, 2], tf.identity).shape.as_list() == [2, 3, 4]


@pytest.mark.parametrize(
    ("num_rows", "batch_shape", "text"),
    [
        (-2, [2], "num_rows must be non-negative"), ([2], [2], "num_rows must be a 0-D Tensor"),
        (2, [-2], "batch_shape must be non-negative"), (2, 2, "batch_shape must be a 1-D Tensor"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", [L.LinearOperatorIdentity, L.LinearOperatorZeros])
def test_sizes_are_looked_at_as_a_graph_runs_where_that_is_asked_for(
    kind: Any, num_rows: Any, batch_shape: Any, text: str
) -> None:
    def make(n: Any, batch: Any) -> Any:
        return kind(num_rows=n, batch_shape=batch, assert_proper_shapes=True)

    with pytest.raises(InvalidArgumentError, match=text):
        _late(make, [num_rows, batch_shape], lambda op: op.to_dense())


def _doubled(num_rows: Any, **more: Any) -> Any:
    return L.LinearOperatorScaledIdentity(num_rows, 2.0, **more)


@pytest.mark.parametrize("make", [L.LinearOperatorIdentity, _doubled])
def test_a_product_of_other_sizes_is_refused_as_a_graph_runs(make: Any) -> None:
    def product(n: Any, x: Any) -> Any:
        return make(n, assert_proper_shapes=True).matmul(x)

    with pytest.raises(InvalidArgumentError, match="Dimensions are not compatible"):
        _late(product, [2, np.ones([3, 3], np.float32)], tf.identity)
    assert _late(product, [3, np.ones([3, 3], np.float32)], tf.identity).shape == (3, 3)


def test_a_graph_has_something_to_run_for_what_always_holds() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        operators = [
            L.LinearOperatorIdentity(2), L.LinearOperatorPermutation([1, 0]),
            L.LinearOperatorHouseholder([1.0, 2.0]),
        ]  # fmt: skip
        for operator in operators:
            assert session.run(operator.assert_non_singular()) is None
        assert session.run(operators[0].assert_positive_definite()) is None
        assert session.run(operators[0].assert_self_adjoint()) is None
        positive = F([[2.0, 1.0], [1.0, 2.0]], is_self_adjoint=True)
        assert session.run(positive.assert_positive_definite()) is None
