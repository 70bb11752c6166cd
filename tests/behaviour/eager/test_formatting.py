"""Tensors in f-strings, as TensorFlow 2.21 prints them."""

from __future__ import annotations

from typing import Any

import pytest

import emplace.tensorflow as tf

CASES: list[tuple[Any, str, str]] = [
    ([1, 2, 3], "", "[1 2 3]"),
    (1.5, "", "1.5"),
    (1.5, ".2f", "1.50"),
    (7, ">4", "   7"),
    (True, "", "True"),
    ("hi", "", "b'hi'"),
    (1 + 2j, ".2f", "1.00+2.00j"),
    ([[0.0, 0.0]], "", "[[0. 0.]]"),
]


@pytest.mark.parametrize(("value", "spec", "text"), CASES)
def test_a_tensor_is_formatted_as_its_value(value, spec, text):
    assert format(tf.constant(value), spec) == text


def test_an_array_takes_no_format_and_a_scalar_only_its_own():
    with pytest.raises(TypeError, match="unsupported format string passed to numpy"):
        format(tf.constant([1, 2]), ".2f")
    with pytest.raises(ValueError, match="Unknown format code 'd' for object of type 'float'"):
        format(tf.constant(1.5), "d")


def test_str_stays_what_it_was_and_a_variable_too():
    x, v = tf.constant([1, 2, 3]), tf.Variable(3)
    assert f"{x!s}" == "%s" % x == "tf.Tensor([1 2 3], shape=(3,), dtype=int32)"  # noqa: UP031
    assert f"{v}" == "<tf.Variable 'Variable:0' shape=() dtype=int32, numpy=3>"
    with pytest.raises(TypeError, match="unsupported format string"):
        format(v, "d")


def test_a_symbolic_tensor_is_formatted_as_its_name():
    @tf.function
    def f(x: Any) -> str:
        texts.append(f"{x}")
        return x

    texts: list[str] = []
    f(tf.constant(1.0))
    assert texts == ['Tensor("x:0", shape=(), dtype=float32)']


ON_READ = tf.VariableSynchronization.ON_READ


def test_a_variable_that_is_brought_together_on_reading_is_not_trainable_unless_said():
    assert not tf.Variable(1.0, synchronization=ON_READ).trainable
    assert tf.Variable(1.0, trainable=True, synchronization=ON_READ).trainable
    v1 = tf.compat.v1
    with v1.Graph().as_default():
        a = v1.get_variable("a", shape=[], synchronization=ON_READ)
        b = v1.Variable(1.0, synchronization=ON_READ)
        c = v1.get_variable("c", shape=[], synchronization=ON_READ, trainable=True)
        assert [a.trainable, b.trainable, c.trainable] == [False, False, True]
        assert v1.trainable_variables() == [c]


@pytest.mark.parametrize(
    ("value", "dtype", "text", "shown"),
    [
        (0.1, "float32", "0.10000000149011612", "0.1"),
        (0.1, "float64", "0.1", "0.1"),
        (54.2, "float16", "54.1875", "54.2"),
        (54.2, "bfloat16", "54.25", "54.25"),
        (1e30, "float32", "1.0000000150474662e+30", "1e+30"),
        (0.1 + 0.2j, "complex64", "(0.10000000149011612+0.20000000298023224j)", "(0.1+0.2j)"),
        (3, "uint8", "3", "3"),
        (True, "bool", "True", "True"),
        (b"ab", "string", "b'ab'", "b'ab'"),
    ],
)
def test_repr_shows_a_scalar_as_the_python_number_it_is(value, dtype, text, shown):
    x = tf.constant(value, dtype)
    assert repr(x) == f"<tf.Tensor: shape=(), dtype={dtype}, numpy={text}>"
    assert str(x) == f"tf.Tensor({shown}, shape=(), dtype={dtype})"
    assert (
        repr(tf.Variable(x, name="v"))
        == f"<tf.Variable 'v:0' shape=() dtype={dtype}, numpy={text}>"
    )
