"""Functions that are said to implement another one take all that they need as arguments, as
TensorFlow wants it.
"""

import pytest

import emplace.tensorflow as tf

_OUTSIDE = tf.constant([2.0])
_MADE = []


def _implementing(function):
    return tf.function(function, experimental_implements="added")


def _lifted(x):
    with tf.init_scope():
        two = tf.constant(2.0)
    return x + two


def _making(x):
    if not _MADE:
        _MADE.append(tf.Variable(1.0))
    return x + _MADE[0]


def _calling(x):
    return tf.function(lambda y: y + _OUTSIDE)(x)


@pytest.mark.parametrize("takes", [lambda x: x + _OUTSIDE, _lifted, _making, _calling])
def test_what_is_taken_from_outside_is_refused(takes):
    with pytest.raises(AssertionError, match="variables are always captured"):
        _implementing(takes)(tf.ones(1))


def test_what_a_session_s_graph_holds_is_refused():
    with tf.Graph().as_default():
        outside = tf.zeros([1])
        with pytest.raises(AssertionError, match="variables are always captured"):
            _implementing(lambda x: x + outside)(tf.ones(1))


def test_arguments_and_what_the_function_makes_are_taken():
    variable = tf.Variable([1.0])
    assert _implementing(lambda x, v: x + v)(tf.ones(1), variable).numpy() == [2.0]
    assert _implementing(lambda x: x + tf.constant(2.0))(tf.ones(1)).numpy() == [3.0]
    inner = _implementing(lambda x: x + 1.0)
    assert tf.function(lambda x: inner(x) + variable)(tf.ones(1)).numpy() == [3.0]
