"""Functions of `tf.experimental.numpy` take the dtypes of TensorFlow, NumPy and Python."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf

tnp = tf.experimental.numpy
DTYPES = {
    tf.float32: tf.float32,
    np.float32: tf.float32,
    "float32": tf.float32,
    float: tf.float64,
    int: tf.int64,
    bool: tf.bool,
}


@pytest.mark.parametrize("given", DTYPES, ids=str)
def test_new_arrays_have_the_dtype_that_is_asked_for(given: object) -> None:
    wanted = DTYPES[given]
    made = [tnp.zeros(2, given), tnp.ones(2, given), tnp.eye(2, dtype=given)]
    made += [tnp.identity(2, given), tnp.empty(2, given), tnp.full(2, 1, given)]
    assert [each.dtype for each in made] == [wanted] * 6


def test_arrays_of_values_have_the_dtype_that_is_asked_for() -> None:
    assert tnp.linspace(0, 1, 3, dtype=tf.float32).dtype == tf.float32
    assert tnp.array([1.0], dtype=int).dtype == tf.int64
    assert tnp.arange(3, dtype=float).dtype == tf.float64
    assert tnp.zeros_like([1], dtype=float).dtype == tf.float64
    assert tnp.sum(tnp.array([1, 2]), dtype=float).dtype == tf.float64
    assert tnp.zeros(2, None).dtype == tf.float64


def test_complex_numbers_vary_by_their_distances_and_count_where_a_part_is_not_zero() -> None:
    """TensorFlow's answers: the variance is real unless a dtype is asked for."""
    x = tf.constant([2.5, 1j, 0.0], tf.complex64)
    assert tnp.var(x).dtype is tnp.std(x).dtype is tf.float32
    np.testing.assert_allclose(tnp.var(x), 1.6111112, rtol=1e-6)
    np.testing.assert_allclose(tnp.std(x), 1.2692956, rtol=1e-6)
    matrix = tf.constant([[1.0, 2 + 1j], [3 + 4j, 5 + 2j]], tf.complex64)
    np.testing.assert_allclose(tnp.var(matrix, axis=0, keepdims=True), [[5.0, 2.5]], rtol=1e-6)
    asked = tnp.var(x, dtype=np.complex128)
    assert asked.dtype is tf.complex128
    np.testing.assert_allclose(asked, 1.6111112, rtol=1e-6)
    assert tnp.count_nonzero(x).numpy() == 2
    rows = tf.constant([[1.0, 1j], [0.0, 5 + 2j]], tf.complex64)
    assert tnp.count_nonzero(rows, axis=0).numpy().tolist() == [1, 2]
