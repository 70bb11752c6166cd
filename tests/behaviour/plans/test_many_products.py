"""Products of many matrices in a plan lie as they are read: graph/passes/many_products.py."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf
from emplace.graph.passes import many_products

pytestmark = pytest.mark.not_strict("plans on strict GPUs keep their instrumented form")
_RANDOM = np.random.default_rng(0)


def _numbers(*shape: int, dtype: str = "float32") -> tf.Tensor:
    return tf.constant(_RANDOM.normal(size=shape).astype(dtype))


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_products, "LEAST_NUMBERS", 1)


def _check(python: Callable[..., Any], *args: Any) -> list[str]:
    """The operations of the plan; the function gives what eager mode gives."""
    function = tf.function(python)
    pairs = zip(tf.nest.flatten(function(*args)), tf.nest.flatten(python(*args)), strict=True)
    for made, wanted in pairs:
        assert made.shape == wanted.shape
        np.testing.assert_allclose(made.numpy(), wanted.numpy(), rtol=2e-5, atol=2e-5)
    return [step.op for step in emplace.explain(function, *args).steps]


X, Y = _numbers(2, 3, 4, 5), _numbers(2, 3, 5, 6)


@pytest.mark.parametrize("adj_x", [False, True])
@pytest.mark.parametrize("adj_y", [False, True])
def test_a_product_that_is_turned_is_one_operation(adj_x, adj_y):
    x = tf.linalg.matrix_transpose(X).numpy() if adj_x else X
    y = tf.linalg.matrix_transpose(Y).numpy() if adj_y else Y

    def python(x, y):
        return tf.linalg.matrix_transpose(tf.matmul(x, y, adjoint_a=adj_x, adjoint_b=adj_y))

    assert _check(python, tf.constant(x), tf.constant(y)) == ["BatchMatMulV2"]


@pytest.mark.parametrize("perm", list(itertools.permutations(range(4))))
def test_any_transpose_of_a_product_is_the_same(perm):
    made = _check(lambda x, y: tf.transpose(tf.matmul(x, y), perm), X, Y)
    is_turned = perm == (0, 1, 3, 2)
    is_none = perm == (0, 1, 2, 3)
    assert made.count("Transpose") == (0 if is_turned or is_none else 1) or is_none


def test_factors_that_are_stretched_along_the_first_axes():
    x, y = _numbers(2, 1, 4, 5), _numbers(3, 5, 6)
    made = _check(lambda x, y: tf.linalg.matrix_transpose(tf.matmul(x, y)), x, y)
    assert made == ["BatchMatMulV2"]
    made = _check(lambda x, w: tf.linalg.matrix_transpose(tf.matmul(x, w)), x, _numbers(5, 6))
    assert made == ["BatchMatMulV2"]


def test_a_product_that_somebody_else_takes_is_not_turned():
    def python(x, y):
        product = tf.matmul(x, y)
        return product, tf.linalg.matrix_transpose(product)

    assert _check(python, X, Y) == ["BatchMatMulV2", "Transpose"]


def test_complex_products_and_integers_stay():
    for dtype in ("complex64", "int32"):
        x, y = tf.cast(X * 3.0, dtype), tf.cast(Y * 3.0, dtype)
        made = _check(lambda x, y: tf.linalg.matrix_transpose(tf.matmul(x, y)), x, y)
        assert "Transpose" in made


@pytest.mark.parametrize("sides", ["row first", "product first"])
@pytest.mark.parametrize("transposed", [False, True])
def test_a_bias_of_split_columns_goes_into_the_product(sides, transposed):
    w = _numbers(12, 5) if transposed else _numbers(5, 12)
    bias = _numbers(3, 4)

    def python(x, w, bias):
        split = tf.reshape(tf.matmul(x, w, transpose_b=transposed), [2, 4, 3, 4])
        return split + bias if sides == "product first" else bias + split

    made = _check(python, X[:, 0], w, bias)
    assert "_FusedMatMul" in made
    assert not {"AddV2", "BatchMatMulV2"} & set(made), made


@pytest.mark.parametrize("shape", [(4,), (1, 4), (3, 1), (4, 3, 4), (2, 1, 3, 4)])
def test_a_bias_of_another_shape_stays(shape):
    def python(x, w, bias):
        return tf.reshape(tf.matmul(x, w), [2, 4, 3, 4]) + bias

    assert "AddV2" in _check(python, X[:, 0], _numbers(5, 12), _numbers(*shape))


def test_sizes_that_are_split_in_another_place_stay():
    def python(x, w, bias):
        return tf.reshape(tf.matmul(x, w), [2, 2, 4, 6]) + bias

    assert "AddV2" in _check(python, X[:, 0], _numbers(5, 12), _numbers(4, 6))


def test_attention_and_its_gradients():
    x = _numbers(2, 7, 12)
    weights = [tf.Variable(_numbers(12, 12)) for _ in range(3)]
    biases = [tf.Variable(_numbers(3, 4)) for _ in range(3)]

    def python(x):
        with tf.GradientTape() as tape:
            q, k, v = (
                tf.reshape(tf.matmul(x, w), [2, 7, 3, 4]) + b
                for w, b in zip(weights, biases, strict=True)
            )
            scores = tf.nn.softmax(tf.einsum("bkhd,bqhd->bhqk", k, q * 0.5))
            made = tf.einsum("bhqk,bkhd->bqhd", scores, v)
            loss = tf.reduce_sum(tf.sin(made))
        return made, tape.gradient(loss, [*weights, *biases])

    made = _check(python, x)
    assert made.count("_FusedMatMul") == 3


def test_products_of_transposed_views_of_several_axes():
    x = _numbers(2, 7, 3, 4)
    for perm in itertools.permutations(range(4)):
        turned = tf.transpose(x, perm)
        other = _numbers(*turned.shape[:-2], turned.shape[-1], 5)
        wanted = np.matmul(turned.numpy(), other.numpy())
        np.testing.assert_allclose(tf.matmul(turned, other), wanted, rtol=1e-5, atol=1e-5)
        wanted = np.matmul(other.numpy().swapaxes(-1, -2), turned.numpy().swapaxes(-1, -2))
        made = tf.matmul(other, turned, transpose_a=True, transpose_b=True)
        np.testing.assert_allclose(made, wanted, rtol=1e-5, atol=1e-5)


def test_without_fusion_operations_are_as_written(monkeypatch):
    monkeypatch.setenv("EMPLACE_FUSE", "0")
    made = _check(lambda x, y: tf.linalg.matrix_transpose(tf.matmul(x, y)), X, Y)
    assert made == ["BatchMatMulV2", "Transpose"]
