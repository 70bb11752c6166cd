"""What a function with `tf.custom_gradient` gets for a variable: in eager mode the variable, in
functions what it holds. The answers are TensorFlow's.
"""

import pytest

import emplace.tensorflow as tf

_kinds: list[bool] = []


@tf.custom_gradient
def _product(x, y):
    _kinds.append(hasattr(x, "assign"))
    return x * 2.0 * y, lambda d: (d * 3.0, d * 5.0)


def _gradients(function, *sources):
    with tf.GradientTape() as tape:
        y = function()
    return [None if each is None else float(each) for each in tape.gradient(y, sources)]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "graph"])
def test_variables_are_handed_on_in_eager_mode_alone(wrap):
    _kinds.clear()
    v, w = tf.Variable(1.0), tf.Variable(2.0)

    @wrap
    def both():
        with tf.GradientTape() as tape:
            y = _product(v, w)
        return tape.gradient(y, [v, w])

    assert [float(each) for each in both()] == [3.0, 5.0]
    assert _kinds == [wrap is not tf.function]
    assert _gradients(lambda: _product(v, v), v) == [8.0]


def test_a_variable_may_be_changed_and_returned():
    @tf.custom_gradient
    def raised(x):
        x.assign_add(3.0)
        return x, lambda d: d * 2.0

    v = tf.Variable(1.0)
    assert _gradients(lambda: raised(v), v) == [2.0]
    assert v.numpy() == 4.0


def test_other_variables_are_told_apart_from_arguments():
    other = tf.Variable(2.0)

    @tf.custom_gradient
    def scaled(x):
        def gradient(d, variables=()):
            return d * 7.0, [d * 11.0 for _ in variables]

        return x * other, gradient

    v = tf.Variable(1.0)
    assert _gradients(lambda: scaled(v), v, other) == [7.0, 11.0]
    assert _gradients(lambda: scaled(other), other) == [7.0]
    again = tf.recompute_grad(lambda x: x * x * other)
    assert _gradients(lambda: again(v), v, other) == [4.0, 1.0]


def test_load_assigns_outside_of_functions():
    v = tf.Variable(1.0)
    v.load(2.0)
    assert v.numpy() == 2.0
    with pytest.raises(ValueError, match="Shape mismatch"):
        v.load([2.0, 3.0])
    with pytest.raises(ValueError, match="Either session argument should be provided"):
        tf.function(lambda: v.load(3.0))()


def test_towers_are_replicas():
    aggregation = tf.compat.v1.VariableAggregation
    assert aggregation.ONLY_FIRST_TOWER is tf.VariableAggregation.ONLY_FIRST_REPLICA
    assert len(list(aggregation)) == 4
