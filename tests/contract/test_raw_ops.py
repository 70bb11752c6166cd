"""`tf.raw_ops`: how ops by their own names are called; test_registry.py compares arguments."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import emplace.tensorflow as tf


def test_every_raw_op_shows_its_signature() -> None:
    for name in dir(tf.raw_ops):
        shown = inspect.signature(getattr(tf.raw_ops, name))
        assert list(shown.parameters)[-1] == "name"


def test_a_raw_op_that_does_not_exist_is_named() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'MatMull'.*Did you mean MatMul"):
        _ = tf.raw_ops.MatMull


def test_raw_ops_refuse_positional_arguments() -> None:
    with pytest.raises(TypeError, match=r"mat_mul only takes keyword args \(possible keys: \['a',"):
        tf.raw_ops.MatMul([[1.0]], [[1.0]])


def test_raw_ops_name_what_is_missing_or_unknown() -> None:
    with pytest.raises(TypeError, match=r"mat_mul\(\) missing 1 required .* argument: 'b'"):
        tf.raw_ops.MatMul(a=[[1.0]])
    with pytest.raises(TypeError, match=r"mat_mul\(\) got an unexpected keyword argument 'c'"):
        tf.raw_ops.MatMul(a=[[1.0]], b=[[1.0]], c=1)


def test_several_outputs_are_a_named_tuple() -> None:
    answer = tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=[[1.0, 1.0]], labels=[0])
    assert type(answer).__name__ == "SparseSoftmaxCrossEntropyWithLogits"
    assert answer.loss.numpy().tolist() == pytest.approx([0.6931472])
    assert answer.backprop.shape == [1, 2]


def test_raw_ops_have_gradients() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.raw_ops.Mul(x=x, y=3.0)
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("call", "given"),
    [
        (lambda: tf.raw_ops.Elu(features=np.array([1], np.complex64)), "complex64"),
        (lambda: tf.raw_ops.Elu(features=[1, 2]), "int32"),
        (lambda: tf.raw_ops.Softmax(logits=np.array([1, 2])), "int64"),
        (lambda: tf.raw_ops.Sigmoid(x=np.array([True])), "bool"),
        (lambda: tf.raw_ops.MatMul(a=np.ones([2, 2], np.int8), b=np.ones([2, 2], np.int8)), "int8"),
        (lambda: tf.raw_ops.Relu(features=[True]), "bool"),
        (lambda: tf.raw_ops.GatherV2(params=[1.0], indices=np.array([0.0]), axis=0), "double"),
    ],
)
def test_a_value_of_a_type_that_the_op_does_not_take_is_refused_not_cast(call, given) -> None:
    # TensorFlow 2.21's words.
    text = rf"Value for attr '\w+' of {given} is not in the list of allowed values: "
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        call()
