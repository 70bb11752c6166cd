"""Tensors of which a graph does not even know the rank."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


def run(make, *values):
    """What `make` computes of placeholders with these values."""
    with tf.Graph().as_default(), v1.Session() as session:
        given = [v1.placeholder_with_default(tf.constant(each), shape=None) for each in values]
        return session.run(make(*given)).tolist()


def test_an_index_may_be_a_tensor_of_unknown_rank():
    assert run(lambda x, i: x[i], [[1, 2], [3, 4]], 1) == [3, 4]
    assert run(lambda x, i: x[:i], [1, 2, 3], 2) == [1, 2]


def test_shapes_of_unknown_rank_are_broadcast():
    assert run(tf.broadcast_dynamic_shape, [2, 1, 3], [4, 1]) == [2, 4, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?i)incompatible shapes"):
        run(tf.broadcast_dynamic_shape, [2], [3])


def test_steps_between_tensors_of_unknown_rank():
    assert run(tf.linspace, 3.0, 1.0, 3) == [3.0, 2.0, 1.0]
    found = run(lambda a, b: tf.linspace(a, b, 3), [3.0, 4.0], 1.0)
    assert found == [[3.0, 4.0], [2.0, 2.5], [1.0, 1.0]]


def test_operators_multiply_what_has_an_unknown_rank():
    def product(diagonal, x):
        operator = tf.linalg.LinearOperatorDiag(diagonal)
        assert operator.range_dimension.value is None
        return operator.matvec(x)

    assert run(product, [2.0, 3.0], [1.0, 1.0]) == [2.0, 3.0]


def test_a_shape_without_sizes_is_a_tensor_of_integers():
    assert tf.convert_to_tensor(tf.TensorShape([])).dtype is tf.int32
    with tf.Graph().as_default():
        assert tf.convert_to_tensor(tf.TensorShape([])).dtype is tf.int32
    assert tf.convert_to_tensor(tf.TensorShape([2]), tf.int64).dtype is tf.int64
    assert tf.convert_to_tensor(tf.TensorShape([2**40])).dtype is tf.int64
    assert tf.constant(tf.TensorShape([])).dtype is tf.float32  # TF: a list of numbers here
    with pytest.raises(TypeError, match=r"Cannot convert TensorShape \(2,\) to dtype"):
        tf.convert_to_tensor(tf.TensorShape([2]), tf.float32)
    with pytest.raises(ValueError, match="partially known TensorShape"):
        tf.convert_to_tensor(tf.TensorShape([None]))


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("max_pool2d", 4), ("avg_pool2d", 4), ("max_pool3d", 5), ("avg_pool3d", 5),
        ("max_pool1d", 3),
    ],
)  # fmt: skip
def test_pooling_of_an_unknown_rank_has_the_rank_of_its_layout(name: str, rank: int) -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32)
        assert getattr(tf.nn, name)(x, 2, 2, "SAME").shape.as_list() == [None] * rank


def test_dropout_keeps_its_inputs_shape_where_that_of_the_noise_is_unknown() -> None:
    with tf.Graph().as_default():
        noise = v1.placeholder(tf.int32)
        x = tf.ones([3, 4])
        assert tf.nn.dropout(x, 0.5, noise_shape=noise).shape.as_list() == [3, 4]
        assert v1.nn.dropout(x, rate=0.5, noise_shape=noise).shape.as_list() == [3, 4]
