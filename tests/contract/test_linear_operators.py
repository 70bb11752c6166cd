"""Linear operators answer as TensorFlow 2.21 does (`tests/oracle/linear_operators.json.gz`)."""

from __future__ import annotations

import contextlib
import functools
import gzip
import json
from pathlib import Path
from typing import Any

import linear_operator_cases as cases
import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.base.errors import InvalidArgumentError

ORACLE = Path(__file__).resolve().parents[1] / "oracle" / "linear_operators.json.gz"


@functools.cache
def theirs() -> dict[str, dict[str, Any]]:
    with gzip.open(ORACLE) as file:
        told: dict[str, dict[str, Any]] = json.load(file)
    return told


@functools.cache
def ours() -> dict[str, dict[str, Any]]:
    return cases.answers(tf)


# TensorFlow multiplies a batch of scaled identities with a diagonal as if each number belonged to a
# row, and refuses products of zeros that are not square; ours are those of the matrices.
BATCHED = "L.LinearOperatorScaledIdentity(2, [1., -2.])"
NOT_SQUARE = "L.LinearOperatorZeros(2, 3, is_square=False, is_self_adjoint=False)"
DIFFERENT = {(operator, asked) for operator in (BATCHED, NOT_SQUARE) for asked in cases.ASKED[-2:]}


def test_what_differs_from_tensorflow_is_the_product_of_the_matrices() -> None:
    made = ours()[BATCHED][cases.ASKED[-2]]["value"]
    assert made == [[[1.0, 0.0], [0.0, 2.0]], [[-2.0, 0.0], [0.0, -4.0]]]
    assert ours()[NOT_SQUARE][cases.ASKED[-2]]["value"] == [[0.0] * 3] * 2


@pytest.mark.parametrize("asked", cases.ASKED)
@pytest.mark.parametrize("operator", cases.OPERATORS)
def test_an_operator_answers_as_tensorflows(operator: str, asked: str) -> None:
    if (operator, asked) in DIFFERENT:
        return
    expected, got = theirs()[operator][asked], ours()[operator][asked]
    if not isinstance(expected, dict) or "error" in expected:
        assert got == expected
        return
    assert got.get("dtype") == expected["dtype"], got
    np.testing.assert_allclose(got["value"], expected["value"], rtol=2e-5, atol=2e-6)


def test_what_is_said_of_operators_is_kept_or_refused_as_in_tensorflow() -> None:
    expected, got = theirs()["hinted"], ours()["hinted"]
    assert {text: got[text] for text in expected if got[text] != expected[text]} == {}


def test_arguments_that_do_not_fit_are_refused_as_in_tensorflow() -> None:
    expected, got = theirs()["made"], ours()["made"]
    assert {text: got[text] for text in expected if got[text] != expected[text]} == {}


def test_products_are_of_tensorflows_classes_with_the_same_hints() -> None:
    for kind in ("products", "products of hinted"):
        expected, got = theirs()[kind], ours()[kind]
        for text in expected:
            assert got[text][:5] == expected[text][:5], text
            if kind == "products":
                np.testing.assert_allclose(got[text][5], expected[text][5], 1e-5, err_msg=text)


def test_zeros_times_a_matrix_of_more_columns_have_those() -> None:  # TF: refused
    wide = tf.linalg.LinearOperatorFullMatrix(tf.ones([2, 3]))
    assert tf.linalg.LinearOperatorZeros(2).matmul(wide).shape == [2, 3]


def test_a_reflection_along_nothing_leaves_all_as_it_is() -> None:
    operator = tf.linalg.LinearOperatorHouseholder([[0.0, 0.0], [1.0, 0.0]])
    assert operator.to_dense().numpy().tolist() == [[[1, 0], [0, 1]], [[-1, 0], [0, 1]]]


def test_zeros_do_not_look_at_what_they_are_multiplied_with() -> None:
    product = tf.linalg.LinearOperatorZeros(2).matmul([[np.nan], [np.inf]])
    assert product.numpy().tolist() == [[0.0], [0.0]]


def test_a_matrix_times_its_adjoint_is_not_said_to_be_otherwise() -> None:
    full = tf.linalg.LinearOperatorFullMatrix([[2.0, 1.0], [1.0, 3.0]], is_non_singular=True)
    for hint in ("is_square", "is_self_adjoint", "is_positive_definite"):
        with pytest.raises(ValueError, match=hint):
            tf.linalg.LinearOperatorComposition([full, full.adjoint()], **{hint: False})


def test_a_positive_triangle_is_the_decomposition_of_its_product() -> None:
    for said in (True, None):
        lower = tf.linalg.LinearOperatorLowerTriangular(
            [[2.0, 0.0], [1.0, 3.0]], is_non_singular=True, is_positive_definite=said
        )
        root = lower.matmul(lower.adjoint()).cholesky()
        assert (root is lower) is bool(said)
        np.testing.assert_allclose(root.to_dense(), lower.to_dense())


def test_vectors_may_come_in_blocks() -> None:
    full = tf.linalg.LinearOperatorFullMatrix([[2.0, 1.0], [1.0, 3.0]])
    blocks = tf.linalg.LinearOperatorBlockDiag([full, full])
    lower = tf.linalg.LinearOperatorBlockLowerTriangular([[full], [full, full]])
    parts = [tf.constant([1.0, 2.0]), tf.constant([3.0, -1.0])]
    for operator in (blocks, lower):
        for way in (operator.matvec, operator.solvevec):
            whole = way(tf.concat(parts, 0))
            np.testing.assert_allclose(tf.concat(way(parts), 0), whole, rtol=1e-5)
    with pytest.raises(ValueError, match="Dimensions 2 and 3 are not compatible"):
        blocks.matvec([tf.ones([2]), tf.ones([3])])
    with pytest.raises(ValueError, match="Input dimension does not match operator dimension"):
        blocks.matvec([[1.0, 1.0], [1.0, 1.0, 1.0]])
    assert blocks.matmul([[[1.0], [2.0], [3.0], [4.0]]] * 2).shape == [2, 4, 1]


@pytest.mark.parametrize("shape", [None, [None, None], [2, 1]])
@pytest.mark.parametrize("of_operator", [None, [None, None], [2, 2]])
def test_a_list_of_tensors_is_one_of_blocks_whatever_their_sizes(
    of_operator: Any, shape: Any
) -> None:
    @tf.function(input_signature=[tf.TensorSpec(of_operator)] * 2 + [tf.TensorSpec(shape)] * 2)
    def product(a: Any, b: Any, x: Any, y: Any) -> Any:
        full = tf.linalg.LinearOperatorFullMatrix
        return tf.linalg.LinearOperatorBlockDiag([full(a), full(b)]).matmul([x, y])

    parts = product(2.0 * tf.eye(2), tf.eye(2), [[1.0], [2.0]], [[3.0], [4.0]])
    assert [part.numpy().tolist() for part in parts] == [[[2.0], [4.0]], [[3.0], [4.0]]]


@pytest.mark.parametrize("text", cases.FUNCTIONS)
def test_functions_and_slices_of_operators_answer_as_tensorflows(text: str) -> None:
    expected, got = theirs()["functions"][text], ours()["functions"][text]
    if "error" in expected:
        assert got == expected
        return
    assert got.get("dtype") == expected["dtype"], got
    np.testing.assert_allclose(got["value"], expected["value"], rtol=2e-5, atol=2e-6)


def test_operators_of_unknown_shapes_have_matrices_and_products() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def product(matrix: Any) -> Any:
        operator = tf.linalg.LinearOperatorFullMatrix(matrix)
        both = operator.matmul(operator)
        assert operator.is_square is both.is_square is None
        return both.to_dense()

    matrix = np.arange(8, dtype=np.float32).reshape(2, 2, 2)
    np.testing.assert_allclose(product(matrix), matrix @ matrix)


def test_an_operator_that_is_square_is_not_said_not_to_be() -> None:
    operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]], is_square=False)
    with pytest.raises(ValueError, match=r"hint to False, but the operator was square\."):
        operator.is_square  # noqa: B018


# What is asserted of an operator, and what TensorFlow says of it; None if it is that.
ASSERTED: list[tuple[Any, str, str | None]] = [
    (lambda L: L.LinearOperatorZeros(2), "positive_definite",
     "Zero operators are always non-positive definite."),
    (lambda L: L.LinearOperatorZeros(2), "non_singular",
     "Zero operators are always non-invertible."),
    (lambda L: L.LinearOperatorHouseholder([1.0, 2.0]), "positive_definite",
     "Householder operators are always non-positive definite."),
    (lambda L: L.LinearOperatorHouseholder([1.0, 2.0]), "non_singular", None),
    (lambda L: L.LinearOperatorScaledIdentity(2, [1.0, 0.0]), "non_singular",
     "LinearOperator was singular"),
    (lambda L: L.LinearOperatorScaledIdentity(2, -1.0), "positive_definite",
     "LinearOperator was not positive definite."),
    (lambda L: L.LinearOperatorScaledIdentity(2, 1 + 1j), "non_singular", None),
    (lambda L: L.LinearOperatorIdentity(2, dtype=tf.complex64), "non_singular", None),
    (lambda L: L.LinearOperatorPermutation([1, 0], tf.complex64), "non_singular", None),
    (lambda L: L.LinearOperatorDiag([-1 + 1j, 2j]), "positive_definite",
     "Diagonal operator had diagonal entries with non-positive real part"),
    (lambda L: L.LinearOperatorDiag([1.0, -2.0]), "positive_definite",
     "Real diagonal operator had non-positive diagonal entries"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "what", "text"), ASSERTED)
def test_what_is_asserted_of_an_operator_is_looked_at(
    make: Any, what: str, text: str | None
) -> None:
    operator = make(tf.linalg)
    refused = contextlib.nullcontext() if text is None else pytest.raises(
        InvalidArgumentError, match=text
    )  # fmt: skip
    with refused:
        assert getattr(operator, f"assert_{what}")() is None


def test_an_operator_works_in_functions_and_follows_its_variable() -> None:
    v = tf.Variable([1.0, 2.0])
    op = tf.linalg.LinearOperatorDiag(v)
    solve = tf.function(lambda x: op.solvevec(x))
    assert solve(tf.constant([1.0, 1.0])).numpy().tolist() == [1.0, 0.5]
    v.assign([2.0, 4.0])
    assert solve(tf.constant([1.0, 1.0])).numpy().tolist() == [0.5, 0.25]
    assert [each.ref() for each in op.trainable_variables] == [v.ref()]
    with tf.GradientTape() as tape:
        y = op.log_abs_determinant()
    assert tape.gradient(y, v).numpy().tolist() == [0.5, 0.25]
