"""Bools beside numbers, as TensorFlow 2.21 answers."""

import numpy as np
import pytest

import emplace.tensorflow as tf

BOOLS = tf.constant([True, False])


@pytest.mark.parametrize("other", [2, 2.5, True, [1, 0], np.array([1, 2]), tf.constant([2.5, 0.5])])
def test_a_product_with_a_tensor_of_bools_is_one_of_bools(other):
    product = BOOLS * other
    assert product.dtype is tf.bool
    assert product.numpy().tolist() == [True, False]


def test_a_number_on_the_left_of_bools_must_be_one_itself():
    with pytest.raises(TypeError, match="Cannot convert 2 to EagerTensor of dtype bool"):
        _ = 2 * BOOLS


def test_what_is_less_than_one_is_false_in_such_a_product():
    assert (BOOLS * 0.5).numpy().tolist() == [False, False]


def test_the_function_refuses_bools():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.multiply(BOOLS, BOOLS)


def test_bools_in_a_list_are_numbers_where_a_type_is_asked_for():
    assert tf.constant([True, 2], tf.int32).numpy().tolist() == [1, 2]
    assert tf.convert_to_tensor([True, 2.5], tf.float32).numpy().tolist() == [1.0, 2.5]
    with pytest.raises(ValueError, match="mixed types"):
        tf.convert_to_tensor([True, 2])
