"""In TF 1 mode a dimension of a shape is an object, and wherever a number may stand it is one."""

from __future__ import annotations

import enum

import numpy as np
import pytest
from programs import emplace

import emplace.tensorflow as tf
from emplace.base.shapes import show_dimensions

v1 = tf.compat.v1


@pytest.fixture
def session():
    """A session of a fresh graph, whose shapes have dimensions."""
    show_dimensions(True)
    try:
        with tf.Graph().as_default(), v1.Session() as session:
            yield session
    finally:
        show_dimensions(False)


def test_ops_take_a_dimension_as_a_number(session):
    x = tf.zeros([3, 4])
    d = x.shape[0]
    assert d.value == 3
    values = [
        tf.range(d), tf.constant(1) + d, d + tf.constant(1), tf.constant(2.0) * d,
        tf.convert_to_tensor(d), tf.stack([d, tf.shape(x)[1]]), tf.maximum(d, 5), tf.fill([d], d),
        tf.less(tf.constant(1), d), tf.cast(d, tf.float32), tf.constant(9) // d,
    ]  # fmt: skip
    found = [np.asarray(value).tolist() for value in session.run(values)]
    assert found == [[0, 1, 2], 4, 4, 6.0, 3, [3, 4], 5, [3, 3, 3], True, 3.0, 3]
    assert tf.convert_to_tensor(d).dtype is tf.int32


def test_loops_take_a_dimension_as_a_number(session):
    x = tf.zeros([3, 4])
    d = x.shape[0]

    def rounds(a):
        total = tf.constant(0)
        for _ in tf.range(a.shape[0]):
            total += a.shape[1]
        return total

    loop = v1.while_loop(lambda i: i < d, lambda i: i + 1, [0])
    from_dimension = v1.while_loop(lambda i: i < 9, lambda i: i + 1, [d])
    converted = tf.autograph.to_graph(rounds)(x)
    size = v1.TensorArray(tf.float32, size=d).size()
    assert session.run([loop, from_dimension, converted, size]) == [3, 9, 12, 3]


def test_python_and_numpy_take_a_dimension_as_a_number(session):
    x = tf.zeros([3, 4])
    d = x.shape[0]
    assert list(range(d)) == [0, 1, 2]
    assert [10, 11, 12, 13][d] == 13
    assert np.zeros((d, 2)).shape == (3, 2)
    assert session.run(x[: d - 1]).shape == (2, 4)
    assert session.run(tf.reshape(x, [-1, d])).shape == (4, 3)


def test_numbers_of_classes_below_pythons_own_become_tensors():
    class Colour(enum.IntEnum):
        RED = 3

    class Number(float):
        pass

    class Text(enum.StrEnum):
        HI = "hi"

    assert [tf.constant(Colour.RED).dtype, int(tf.constant(Colour.RED))] == [tf.int32, 3]
    assert float(tf.constant(1.0) + Colour.RED) == 4
    assert float(tf.constant(Number(2.5))) == 2.5
    assert tf.constant(Text.HI).numpy() == b"hi"


PROGRAM = """
import numpy as np
import tensorflow as tf
import keras

assert tf.placeholder and tf.keras.layers.Dense is keras.layers.Dense
session = tf.Session()
x = tf.placeholder(tf.float32, [None, 8, 8, 1])
z = tf.placeholder(tf.float32, [4, 5, 3])
ones = dict(kernel_initializer="ones")
image = keras.layers.MaxPooling2D()(keras.layers.Conv2D(2, 3, **ones)(x))
y = keras.layers.Dense(3, **ones)(keras.layers.Flatten()(image))
lstm = keras.layers.LSTM(4, recurrent_initializer="ones", **ones)(z)
session.run(tf.global_variables_initializer())
print(session.run(y, {x: np.ones((2, 8, 8, 1))})[0, 0])
print(round(float(session.run(lstm, {z: np.ones((4, 5, 3))})[0, 0]), 4))
"""


def test_layers_of_keras_run_in_sessions(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = emplace("run", "--tf1", str(tmp_path / "program.py"))
    assert done.stdout.split() == ["162.0", "0.999"], done.stderr
