"""`Graph.gradient_override_map`: other rules for some types of operations."""

import numpy as np

import emplace.tensorflow as tf

v1 = tf.compat.v1


@tf.RegisterGradient("NotANumberOfTests")
def _not_a_number(op, grad):
    return np.nan * grad


@tf.RegisterGradient("SevenOfTests")
def _seven(op, grad):
    return 7.0 * grad


def test_a_rule_holds_inside_of_its_scope_too():
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        with graph.gradient_override_map({"Identity": "NotANumberOfTests"}):
            y = tf.identity(x)
            assert np.isnan(session.run(tf.gradients(y, x)[0], {x: 1.0}))
            assert np.isnan(v1.test.compute_gradient_error(x, (), y, ()))
            with graph.gradient_override_map({"Identity": "SevenOfTests"}):
                z = tf.identity(x)
                assert session.run(tf.gradients(z, x)[0], {x: 1.0}) == 7.0
        assert np.isnan(session.run(tf.gradients(y, x)[0], {x: 1.0}))
        assert session.run(tf.gradients(z, x)[0], {x: 1.0}) == 7.0
        assert session.run(tf.gradients(tf.identity(x), x)[0], {x: 1.0}) == 1.0


def test_an_error_that_is_no_number_is_not_the_smaller_one():
    with tf.Graph().as_default() as graph, v1.Session():
        x, y = tf.constant(1.0), tf.constant(2.0)
        with graph.gradient_override_map({"Identity": "NotANumberOfTests"}):
            z = x + tf.identity(y)
        assert np.isnan(v1.test.compute_gradient_error([x, y], [(), ()], z, ()))


def test_the_shape_that_is_told_suffices():
    with tf.Graph().as_default(), v1.Session():
        x = v1.placeholder(tf.float32)
        assert v1.test.compute_gradient_error(x, (2,), x * 3.0, (2,)) < 1e-2
