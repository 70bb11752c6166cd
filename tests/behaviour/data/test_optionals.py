"""`tf.experimental.Optional`, in eager mode, in functions and in loops."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf

Optional = tf.experimental.Optional


def test_a_value_comes_back_in_its_structure():
    some = Optional.from_value({"a": tf.constant(1), "b": [2.0]})
    assert bool(some.has_value())
    assert some.get_value()["b"].numpy().tolist() == [2.0]
    assert some.element_spec["a"] == tf.TensorSpec([], tf.int32)


def test_nothing_has_no_value():
    nothing = Optional.empty(tf.TensorSpec([], tf.int32))
    assert not bool(nothing.has_value())
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        nothing.get_value()


def test_a_function_returns_an_optional():
    result = tf.function(lambda x: Optional.from_value((x, x + 1)))(tf.constant(1))
    assert [int(each) for each in result.get_value()] == [1, 2]


def test_a_branch_chooses_between_something_and_nothing():
    @tf.function
    def choose(x):
        return tf.cond(
            x > 0,
            lambda: Optional.from_value(x),
            lambda: Optional.empty(tf.TensorSpec([], "int32")),
        )

    assert choose(tf.constant(3)).get_value().numpy() == 3
    assert not bool(choose(tf.constant(-3)).has_value())


def test_a_loop_ends_with_its_iterator():
    @tf.function
    def total(iterator):
        _, found = tf.while_loop(
            lambda item, _: item.has_value(),
            lambda item, found: (iterator.get_next_as_optional(), found + item.get_value()),
            (iterator.get_next_as_optional(), tf.constant(0, tf.int64)),
        )
        return found

    assert total(iter(tf.data.Dataset.range(5))).numpy() == 10


def test_a_loop_in_eager_mode_carries_optionals():
    _, last = tf.while_loop(
        lambda i, _: i < 3, lambda i, _: (i + 1, Optional.from_value(i)),
        (0, Optional.empty(tf.TensorSpec([], tf.int32))),
    )  # fmt: skip
    assert int(last.get_value()) == 2


@pytest.mark.gpus(1, memory="64MB")
def test_a_value_stays_on_its_device():
    with tf.device("GPU:0"):
        x = tf.constant([1.0]) + 1.0
        assert Optional.from_value(x).get_value().device.endswith("GPU:0")
