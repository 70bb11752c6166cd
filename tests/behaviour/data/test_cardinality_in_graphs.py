"""How many elements a dataset has where a graph computes what that hangs on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import emplace.tensorflow as tf

D = tf.data.Dataset


def int64(n: Any) -> Any:
    return tf.cast(n, tf.int64)


# What is made of a number, and how many elements that has for 1, 0 and 3.
CASES: list[tuple[Callable[[Any], Any], list[int]]] = [
    (lambda n: D.range(int64(n)), [1, 0, 3]),
    (lambda n: D.from_tensor_slices(tf.range(n)), [1, 0, 3]),
    (lambda n: D.from_tensor_slices({"a": tf.zeros([n, 2])}).map(lambda e: e["a"]), [1, 0, 3]),
    (lambda n: D.from_tensor_slices(tf.range(n)).batch(2), [1, 0, 2]),
    (lambda n: D.range(5).take(int64(n)), [1, 0, 3]),
    (lambda n: D.range(5).skip(int64(n)), [4, 5, 2]),
    (lambda n: D.range(5).batch(int64(n + 1)), [3, 5, 2]),
    (lambda n: D.range(10).padded_batch(int64(n + 1)), [5, 10, 3]),
    (lambda n: D.range(10).window(int64(n + 1)), [5, 10, 3]),
    (lambda n: D.range(5).repeat(int64(n)), [5, 0, 15]),
    (lambda n: D.range(5).shard(2, int64(n % 2)), [2, 3, 2]),
    (lambda n: D.range(5).concatenate(D.range(int64(n))), [6, 5, 8]),
    (lambda n: D.zip((D.range(5), D.range(int64(n)))), [1, 0, 3]),
    (lambda n: D.from_tensor_slices(tf.zeros([n, 3])).unbatch(), [3, 0, 9]),
    (lambda n: D.range(int64(n)).shuffle(4).prefetch(1).cache(), [1, 0, 3]),
    (lambda n: D.range(int64(n)).filter(lambda x: x > 0), [-2, 0, -2]),
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_function_knows_what_its_arguments_make(number: int) -> None:
    make, expected = CASES[number]
    count = tf.function(lambda n: make(n).cardinality())
    assert [int(count(tf.constant(n))) for n in (1, 0, 3)] == expected


def test_a_dataset_that_is_an_argument_has_its_elements() -> None:
    count = tf.function(lambda data: (data.cardinality(), data.repeat(2).cardinality()))
    assert [int(x) for x in count(D.range(3))] == [3, 6]
    assert [int(x) for x in count(D.range(5))] == [5, 10]
    assert [int(x) for x in count(D.range(5).filter(lambda x: x > 0))] == [-2, -2]
    assert [int(x) for x in count(D.range(5).repeat())] == [-1, -1]


def test_a_dataset_that_a_function_returns_has_its_elements() -> None:
    made = tf.function(lambda n: D.range(3).repeat(n))(tf.constant(2, tf.int64))
    assert int(made.cardinality()) == len(made) == 6


def test_a_session_tells_it_of_what_is_fed() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        n = tf.compat.v1.placeholder(tf.int64, [])
        counts = D.range(n).batch(2).cardinality(), D.from_tensor_slices(tf.range(n)).cardinality()
        assert [int(x) for x in session.run(counts, {n: 7})] == [4, 7]


def test_a_number_that_is_asserted_may_be_fed() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        n = tf.compat.v1.placeholder(tf.int64, [])
        data = D.range(4).filter(lambda x: x < 2).apply(tf.data.experimental.assert_cardinality(n))
        iterator = tf.compat.v1.data.make_initializable_iterator(data)
        element = iterator.get_next()
        assert int(session.run(data.cardinality(), {n: 7})) == 7
        for asserted, error, text in (
            (2, tf.errors.OutOfRangeError, "End of sequence"),
            (3, tf.errors.FailedPreconditionError, "expected to contain 3 elements"),
        ):
            session.run(iterator.initializer, {n: asserted})
            assert [session.run(element) for _ in range(2)] == [0, 1]
            with pytest.raises(error, match=text):
                session.run(element)


def test_a_function_asserts_what_it_is_given() -> None:
    @tf.function
    def total(n: Any) -> Any:
        data = D.range(4).apply(tf.data.experimental.assert_cardinality(n))
        return data.reduce(int64(0), lambda a, b: a + b)

    assert int(total(int64(4))) == 6
    with pytest.raises(tf.errors.FailedPreconditionError, match="expected to contain 5 elements"):
        total(int64(5))


@pytest.mark.parametrize("count", ["3", 2.5, b"3"])
def test_a_count_is_a_number(count: Any) -> None:
    with pytest.raises(TypeError, match=f"Cannot convert {count!r} to EagerTensor of dtype int64"):
        D.range(4).take(count)
