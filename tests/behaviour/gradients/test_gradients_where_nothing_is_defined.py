"""Values and gradients at poles, of what is not finite, and where a decomposition fails: NaN goes
on, as in TensorFlow, whose answers are the expected ones.
"""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf

NAN, INF = np.nan, np.inf


def values_and_gradients(function, *inputs, way, upstream=1.0):
    """The result of a function of tensors and its gradients, eagerly or in a traced function."""

    def run(*x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(*x)
        return y, *tape.gradient(y, x, upstream * tf.ones_like(y))

    run = tf.function(run, autograph=False) if way == "function" else run
    return [x.numpy() for x in run(*(tf.constant(x) for x in inputs))]


ways = pytest.mark.parametrize("way", ["eager", "function"])


@ways
@pytest.mark.parametrize("matrix", [-np.eye(3), np.diag([1.0, -1.0, 1.0])])
def test_a_cholesky_factor_that_does_not_exist_has_no_gradient_of_zeros(matrix, way):
    factor, gradient = values_and_gradients(tf.linalg.cholesky, matrix, way=way)
    assert np.isnan(factor[np.tril_indices(3)]).all()
    assert np.isnan(gradient).all()


@ways
def test_only_the_matrices_without_a_factor_have_none(way):
    matrices = np.stack([np.eye(2), -np.eye(2)])
    _, gradient = values_and_gradients(tf.linalg.cholesky, matrices, way=way)
    assert gradient[0].tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert np.isnan(gradient[1]).all()


@ways
def test_a_singular_tridiagonal_matrix_has_gradients_that_are_nan(way):
    diagonals, right = np.zeros([3, 2]), np.ones([2, 1])
    found = values_and_gradients(tf.linalg.tridiagonal_solve, diagonals, right, way=way)
    assert all(np.isnan(each).all() for each in found)


@pytest.mark.parametrize("matrix", [[[NAN, 0.0], [1.0, 2.0]], [[1.0, 2.0], [NAN, 1.0]]])
def test_the_sign_of_a_determinant_that_is_nan_is_nan(matrix):
    assert np.isnan(np.array(tf.linalg.slogdet(tf.constant(matrix)))).all()


@ways
@pytest.mark.parametrize(
    ("factors", "gradients"),
    [
        ([1e-30, 1e-30], [1e-30, 1e-30]),  # whose product is 0
        ([1e30, 1e30], [1e30, 1e30]),  # whose product is infinite
        ([INF, 2.0], [2.0, INF]),
        ([0.0, INF], [INF, 0.0]),
        ([2.0, NAN], [NAN, 2.0]),
        ([0.0, 3.0], [3.0, 0.0]),
        ([5.0], [1.0]),
    ],
)
def test_a_product_is_differentiated_by_products_of_the_other_factors(factors, gradients, way):
    factors = np.array([factors, factors], np.float32)
    _, found = values_and_gradients(lambda x: tf.reduce_prod(x, 1), factors, way=way)
    np.testing.assert_array_equal(found, np.array([gradients, gradients], np.float32))


@ways
def test_the_second_derivative_of_a_product_with_a_zero_is_right(way):
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_prod(x)
        return tape.gradient(y, x)

    _, found = values_and_gradients(slope, np.array([0.0, 2.0, 3.0]), way=way)
    assert found.tolist() == [5.0, 3.0, 2.0]


@ways
def test_a_complex_product_has_the_gradient_that_tensorflow_gives(way):
    x = np.array([[1 + 2j, 3 - 1j, 0.5j]], np.complex64)
    _, found = values_and_gradients(lambda x: tf.reduce_prod(x, [0, 1]), x, way=way)
    np.testing.assert_allclose(found, [[0.5 - 1.5j, -1 - 0.5j, 5 - 5j]], rtol=1e-6)


@ways
@pytest.mark.parametrize("function", [tf.nn.relu, tf.nn.relu6])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_relu_multiplies_its_gradient_by_zero_where_it_does_not_let_it_pass(function, dtype, way):
    x = tf.cast([NAN, -1.0, 1.0, -INF, 0.0], dtype)
    _, gradient = values_and_gradients(function, x, way=way)
    np.testing.assert_array_equal(gradient.astype("f"), [0.0, 0.0, 1.0, 0.0, 0.0])
    _, gradient = values_and_gradients(function, x, way=way, upstream=INF)
    np.testing.assert_array_equal(gradient.astype("f"), [NAN, NAN, INF, NAN, NAN])
    _, gradient = values_and_gradients(function, x, way=way, upstream=NAN)
    assert np.isnan(gradient.astype("f")).all()


POINTS = np.array([NAN, INF, 0.0, -1.0, -2.0, -INF])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("digamma", [NAN, INF, NAN, NAN, NAN, NAN]),
        ("special.bessel_k0", [NAN, 0.0, INF, INF, INF, INF]),
        ("special.bessel_k0e", [NAN, 0.0, INF, INF, INF, INF]),
        ("special.bessel_k1", [NAN, 0.0, INF, INF, INF, INF]),
        ("special.bessel_k1e", [NAN, 0.0, INF, INF, INF, INF]),
        ("special.bessel_y0", [NAN, NAN, -INF, -INF, -INF, -INF]),
    ],
)
def test_functions_of_positive_numbers_answer_as_tensorflow_for_others(name, expected, dtype):
    function = tf.math
    for part in name.split("."):
        function = getattr(function, part)
    np.testing.assert_array_equal(function(tf.constant(POINTS, dtype)), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (NAN, [NAN] * 6),
        (INF, [NAN, 0.0, INF, INF, INF, INF]),
        (1.0, [INF] * 6),
        (2.0, [NAN, 0.0, INF, INF, INF, INF]),
        (3.0, [NAN, 0.0, NAN, NAN, NAN, NAN]),
        (2.5, [NAN, 0.0, NAN, NAN, NAN, NAN]),
    ],
)
def test_zeta_at_poles_and_infinities(x, expected, dtype):
    points = tf.constant(POINTS, dtype)
    np.testing.assert_array_equal(tf.math.zeta(tf.fill([6], tf.cast(x, dtype)), points), expected)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (1.0, [NAN, 0.0, INF, INF, INF, INF]),
        (2.0, [NAN, 0.0, NAN, NAN, NAN, NAN]),
        (0.0, [NAN, INF, NAN, NAN, NAN, NAN]),
    ],
)
def test_polygamma_at_poles_and_infinities(order, expected):
    found = tf.math.polygamma(tf.fill([6], tf.cast(order, tf.float64)), tf.constant(POINTS))
    np.testing.assert_array_equal(found, expected)


@ways
@pytest.mark.parametrize(
    ("a", "x", "by_a", "by_x"),
    [
        (1.0, -1.0, NAN, NAN),
        (-1.5, 1.0, NAN, None),
        (0.0, 1.0, NAN, 0.0),
        (INF, 1.0, 0.0, None),
        (-1.0, 0.0, 0.0, None),
    ],
)
def test_igamma_has_no_gradient_where_it_has_no_value(a, x, by_a, by_x, way):
    _, found_by_a, found_by_x = values_and_gradients(
        tf.math.igamma, np.float64(a), np.float64(x), way=way
    )
    np.testing.assert_array_equal(found_by_a, by_a)
    if by_x is not None:
        np.testing.assert_array_equal(found_by_x, by_x)
