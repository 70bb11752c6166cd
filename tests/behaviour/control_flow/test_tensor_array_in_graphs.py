"""TensorArray in graphs: values, errors, shapes and gradients, as TensorFlow has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf


def array(size=3, **options):
    return tf.TensorArray(tf.float32, size, **options)


def run(make, *args):
    return tf.nest.map_structure(lambda x: x.numpy().tolist(), tf.function(make)(*args))


VALUES = {
    "a write behind the end of a dynamic array": (
        lambda: array(0, dynamic_size=True).write(tf.constant(2), 1.0).stack(), [0.0, 0.0, 1.0]),
    "an element that nobody wrote is zeros like the others": (
        lambda: array().write(0, [1.0, 2.0]).stack(), [[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]]),
    "an element of known shape that nobody wrote": (
        lambda: array(element_shape=[2]).read(1), [0.0, 0.0]),
    "no elements of known shape": (lambda: array(0, element_shape=[2]).stack(), []),
    "reading twice": (lambda: (lambda a: (a.read(0), a.read(0)))(array().write(0, 1.0)),
                      (1.0, 1.0)),
    "gather": (lambda: array().unstack([1.0, 2.0, 3.0]).gather([2, 0]), [3.0, 1.0]),
    "scatter": (lambda: array().scatter([2, 0], [5.0, 6.0]).stack(), [6.0, 0.0, 5.0]),
    "concat of different lengths": (
        lambda: array(2, infer_shape=False).write(0, [1.0]).write(1, [1.0, 2.0]).concat(),
        [1.0, 1.0, 2.0]),
    "concat with an element that nobody wrote": (
        lambda: array(2).write(0, [1.0]).concat(), [1.0, 0.0]),
    "split": (
        lambda: (lambda a: [a.read(0), a.read(1), a.read(2)])(
            array(infer_shape=False).split([1.0, 2.0, 3.0], [1, 0, 2])), [[1.0], [], [2.0, 3.0]]),
    "size": (lambda: [array().size(), array(0, dynamic_size=True).write(4, 1.0).size()], [3, 5]),
    "strings": (lambda: tf.TensorArray(tf.string, 2).write(0, "a").write(1, "b").stack(),
                [b"a", b"b"]),
}  # fmt: skip


@pytest.mark.parametrize(("make", "expected"), VALUES.values(), ids=VALUES)
def test_values_are_those_of_tensorflow(make, expected):
    assert run(make) == expected


@pytest.mark.gpus(2)
@pytest.mark.parametrize(("make", "expected"), VALUES.values(), ids=VALUES)
def test_values_are_the_same_on_devices(make, expected):
    assert run(make) == expected


ERRORS = {
    "read behind the end": (lambda: array().write(0, 1.0).read(5),
        "Trying to access element 5 in a list with 3 elements."),
    "write behind the end": (lambda: array().write(5, 1.0).stack(),
        "Trying to modify element 5 in a list with 3 elements."),
    "write before the beginning": (lambda: array().write(-1, 1.0).stack(),
        "Trying to modify element -1 in a list with 3 elements."),
    "nothing written and no shape": (lambda: array().read(1),
        "Trying to read an uninitialized tensor but element_shape is not fully defined: <unknown> "
        "and no list element is set."),
    "stack of an empty list": (lambda: array(0).stack(),
        "Tried to stack elements of an empty list with non-fully-defined element_shape: <unknown>"),
    "stack of a list that nobody wrote": (lambda: array().stack(),
        "Tried to stack list which only contains uninitialized tensors and has a "
        "non-fully-defined element_shape: <unknown>"),
    "another dtype": (lambda: array().write(0, tf.constant(1)).stack(),
        "Invalid data types; op elements int32 but list elements float"),
    "shapes that differ": (
        lambda: array(2, infer_shape=False).write(0, [1.0]).write(1, [1.0, 2.0]).stack(),
        "PartialTensorShape: Incompatible shapes during merge: [1] vs. [2]"),
    "gather behind the end": (lambda: array().unstack([1.0, 2.0, 3.0]).gather([2, 5]),
        "Index 5 out o range; list only has 3 elements."),
    "unstack of more than the size": (lambda: array().unstack([1.0, 2.0, 3.0, 4.0]).stack(),
        "Operation expected a list with 3 elements but got a list with 4 elements."),
    "concat of scalars": (lambda: array(1).write(0, 1.0).concat(),
        "Concat saw a scalar shape at index 0 but requires at least vectors."),
    "lengths that are too long": (
        lambda: array(infer_shape=False).split([1.0, 2.0, 3.0], [1, 1, 2]).concat(),
        "Attempting to slice [2, 4] from tensor with length 3"),
}  # fmt: skip


@pytest.mark.parametrize(("make", "text"), ERRORS.values(), ids=ERRORS)
def test_errors_are_those_of_tensorflow(make, text):
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        tf.function(make)()
    assert text in str(error.value)


def test_a_write_of_another_shape_is_refused_while_tracing():
    with pytest.raises(ValueError, match=r"Inconsistent shapes: saw \(2,\) but expected \(1,\) "):
        tf.function(lambda: array().write(0, [1.0]).write(1, [1.0, 2.0]).stack())()


def test_an_array_without_a_size_is_refused():
    with pytest.raises(ValueError, match="Argument `size` must be provided if argument `flow`"):
        tf.function(lambda: tf.TensorArray(tf.float32).stack())()


def test_a_loop_fills_an_array_and_its_shape_is_known():
    @tf.function
    def squares(n):
        a = tf.TensorArray(tf.float32, n)

        def body(i, a):
            return i + 1, a.write(i, tf.fill([2], tf.cast(i * i, tf.float32)))

        _, a = tf.while_loop(lambda i, a: i < n, body, [0, a])
        assert a.element_shape == [2]
        assert a.stack().shape.as_list() == [None, 2]
        return a.stack()

    assert squares(tf.constant(3)).numpy().tolist() == [[0.0, 0.0], [1.0, 1.0], [4.0, 4.0]]


def test_an_eager_array_is_an_argument_and_an_array_is_a_result():
    @tf.function
    def changed(a):
        return a.write(0, 7.0), a.read(1)

    first = tf.TensorArray(tf.float32, 3).unstack([1.0, 2.0, 3.0])
    second, value = changed(first)
    assert float(value) == 2.0
    assert second.stack().numpy().tolist() == [7.0, 2.0, 3.0]
    assert isinstance(second, tf.TensorArray)
    assert changed(second)[0].write(1, 0.0).stack().numpy().tolist() == [7.0, 0.0, 3.0]


def test_arrays_go_through_branches():
    @tf.function
    def chosen(x):
        a = array(2).write(0, x)
        a = tf.cond(x > 0, lambda: a.write(1, x * x), lambda: a.write(1, -x))
        return a.stack()

    assert chosen(tf.constant(3.0)).numpy().tolist() == [3.0, 9.0]
    assert chosen(tf.constant(-3.0)).numpy().tolist() == [-3.0, 3.0]


def through(method):
    """A function of x whose value goes through an array by one of its methods."""

    def stacked(x):
        return array().unstack(x).stack()

    def read(x):
        a = array().unstack(x)
        return a.read(1) * a.read(1) + a.read(tf.constant(2))

    def written(x):
        return array().unstack(x).write(1, x[0] * 2.0).stack()

    def gathered(x):
        return array().unstack(x).gather([0, 2, 0])

    def scattered(x):
        return array().unstack(x * x).scatter([2, 0], x[:2]).stack()

    def joined(x):
        return array(2, infer_shape=False).write(0, x).write(1, x[:2] * 3.0).concat()

    def parted(x):
        a = array(infer_shape=False).split(x, [1, 0, 2])
        return a.read(2) * 3.0

    return {f.__name__: f for f in (stacked, read, written, gathered, scattered, joined, parted)}[
        method
    ]


METHODS = ("stacked", "read", "written", "gathered", "scattered", "joined", "parted")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("order", [1, 2])
def test_gradients_flow_through_every_method(method, order):
    x = tf.constant([1.0, 2.0, 3.0])
    function = through(method)
    plain = {
        "joined": lambda x: tf.concat([x, x[:2] * 3.0], 0),
        "parted": lambda x: x[1:] * 3.0,
        "read": lambda x: x[1] * x[1] + x[2],
    }
    eager = plain.get(method, function)

    def differentiated(f, x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(f(x) ** 3)
            dx = inner.gradient(y, x)
            z = tf.reduce_sum(dx * dx)
        return dx if order == 1 else outer.gradient(z, x)

    expected = differentiated(eager, x)
    found = tf.function(lambda x: differentiated(function, x))(x)
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5)


def test_a_gradient_flows_into_an_eager_array_that_is_an_argument():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        a = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x)
        y = tf.function(lambda a: a.read(1) * a.read(1) + a.read(0))(a)
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 4.0, 0.0]


def test_gradients_pass_an_array_that_has_grown_since_it_was_split() -> None:
    @tf.function
    def grown(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, 3, dynamic_size=True)
        return array.split(x, [1, 1, 1]).write(3, [4.0]).concat()

    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = grown(x)
    assert y.numpy().tolist() == [1, 2, 3, 4]
    assert tape.gradient(y, x).numpy().tolist() == [1, 1, 1]


def test_the_identity_of_an_array_waits_for_control_dependencies() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        count = tf.Variable(0)
        array = tf.TensorArray(tf.int32, 2).write(0, 5)
        with tf.control_dependencies([count.assign_add(1)]):
            array = array.identity()
        session.run(tf.compat.v1.global_variables_initializer())
        assert session.run(array.read(0)) == 5
        assert session.run(count) == 1
        assert session.run(array.close()) is None


def test_elements_of_different_ranks_are_not_joined() -> None:
    @tf.function
    def joined() -> Any:
        array = tf.TensorArray(tf.float32, 2, infer_shape=False)
        return array.write(0, [3.0]).write(1, [[3.0]]).concat()

    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible ranks during merge: 0"):
        joined()
