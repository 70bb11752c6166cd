"""Functions of sparse tensors whose rank only the run tells; they do what they do eagerly."""

import numpy as np
import pytest

import emplace.tensorflow as tf

tf1 = tf.compat.v1
FUNCTIONS = {
    "concat": lambda x: tf.sparse.concat(0, [x, x]),
    "concat last": lambda x: tf.sparse.concat(-1, [x, x], expand_nonconcat_dims=True),
    "split": lambda x: tf.sparse.split(x, 3, 1)[2],
    "transpose": tf.sparse.transpose,
    "permutation": lambda x: tf.sparse.transpose(x, [1, 0]),
    "expand_dims": lambda x: tf.sparse.expand_dims(x, 0),
    "expand last": tf.sparse.expand_dims,
    "to_indicator": lambda x: tf.sparse.to_indicator(tf.cast(x, tf.int64), 4),
}
NAMES = pytest.mark.parametrize("name", FUNCTIONS)


def value():
    return tf.sparse.from_dense([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])


def dense(x):
    return (tf.sparse.to_dense(x) if isinstance(x, tf.SparseTensor) else x).numpy()


@NAMES
def test_in_a_function(name):
    call = FUNCTIONS[name]
    traced = tf.function(call, input_signature=[tf.SparseTensorSpec(None, tf.float32)])
    made = traced(value())
    np.testing.assert_array_equal(dense(made), dense(call(value())))
    assert made.shape == call(value()).shape


@NAMES
def test_in_a_session(name):
    parts = [part.numpy() for part in (value().indices, value().values, value().dense_shape)]
    with tf.Graph().as_default(), tf1.Session() as session:
        x = tf1.sparse_placeholder(tf.float32)
        made = FUNCTIONS[name](x)
        if isinstance(made, tf.SparseTensor):
            made = tf.sparse.to_dense(made)
        found = session.run(made, {x: tf1.SparseTensorValue(*parts)})
    np.testing.assert_array_equal(found, dense(FUNCTIONS[name](value())))


def test_gradients_pass():
    @tf.function(input_signature=[tf.SparseTensorSpec(None, tf.float32)])
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x.values)
            joined = tf.sparse.transpose(tf.sparse.concat(0, [x, x]))
            loss = tf.reduce_sum(joined.values**2)
        return tape.gradient(loss, x.values)

    np.testing.assert_array_equal(slope(value()), [4.0, 8.0, 12.0])


def test_an_axis_that_is_not_there_is_refused_when_it_runs():
    traced = tf.function(
        lambda x: tf.sparse.concat(5, [x, x]),
        input_signature=[tf.SparseTensorSpec(None, tf.float32)],
    )
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        traced(value())
