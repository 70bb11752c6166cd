"""`tf.compat.v1.disable_tensor_equality`: `==` by identity, with answers of TensorFlow 2.21."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf


@pytest.fixture
def by_identity():
    tf.compat.v1.disable_tensor_equality()
    tf.compat.v1.disable_tensor_equality()  # twice is as good as once
    yield
    tf.compat.v1.enable_tensor_equality()


def test_tensors_and_variables_are_equal_to_themselves_alone(by_identity):
    x, y = tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0])
    v, w = tf.Variable(0.0), tf.Variable(0.0)
    assert [x == y, x != y, x == x, v == w, v == v, v != w] == [
        False, True, True, False, True, True,
    ]  # fmt: skip
    assert [v == 0.0, x == np.array([1.0, 2.0]), x == None, y in [x]] == [False] * 4  # noqa: E711
    ragged = tf.ragged.constant([[1]])
    assert (ragged == tf.ragged.constant([[1]])) is False
    assert tf.equal(x, y).numpy().all()
    assert x.ref() == x.ref()


def test_variables_are_keys_and_eager_tensors_are_not(by_identity):
    v = tf.Variable(0.0)
    assert {v: 1}[v] == 1
    with pytest.raises(TypeError, match="Tensor is unhashable"):
        hash(tf.constant(1))


def test_functions_compare_by_identity_too(by_identity):
    @tf.function
    def choose(a, b):
        return 1 if a == b else 2

    assert choose(tf.constant(1), tf.constant(1)).numpy() == 2


def test_values_count_again_afterwards():
    tf.compat.v1.disable_tensor_equality()
    tf.compat.v1.enable_tensor_equality()
    tf.compat.v1.enable_tensor_equality()
    x = tf.constant([1.0, 2.0])
    assert (x == [1.0, 3.0]).numpy().tolist() == [True, False]
    assert bool(tf.Variable(0.0) == tf.Variable(0.0))
    assert (tf.ragged.constant([[1]]) == tf.ragged.constant([[1]])).to_list() == [[True]]
    with pytest.raises(TypeError, match="Variable is unhashable"):
        hash(tf.Variable(0.0))
