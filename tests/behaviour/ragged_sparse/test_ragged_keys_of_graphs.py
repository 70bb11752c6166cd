"""Keys of ragged tensors whose numbers a graph computes, and keys of places that are not there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import emplace.tensorflow as tf

ROWS = [[1, 2], [], [3, 4, 5]]
DEEP = [[[1, 2], [3]], [], [[4, 5, 6]], [[], [7]]]
CASES = [
    (ROWS, lambda r, n: r[:, n(1) :], [[2], [], [4, 5]]),
    (ROWS, lambda r, n: r[:, : n(-1)], [[1], [], [3, 4]]),
    (ROWS, lambda r, n: r[n(0) : n(2), n(0) : n(1)], [[1], []]),
    (ROWS, lambda r, n: r[n(2), : n(2)], [3, 4]),
    (ROWS, lambda r, n: r[..., : n(1)], [[1], [], [3]]),
    (ROWS, lambda r, n: r[n(-1)], [3, 4, 5]),
    (DEEP, lambda r, n: r[:, n(1) :], [[[3]], [], [], [[7]]]),
    (DEEP, lambda r, n: r[:, :, n(0) : n(1)], [[[1], [3]], [], [[4]], [[], [7]]]),
    (DEEP, lambda r, n: r[n(0), : n(1)], [[1, 2]]),
]


def as_lists(value: Any) -> Any:
    """What a ragged or dense value holds."""
    return value.to_list() if hasattr(value, "to_list") else value.numpy().tolist()


@pytest.mark.parametrize(("rows", "pick", "expected"), CASES)
def test_numbers_of_keys_are_arguments_of_a_function(
    rows: Any, pick: Callable[..., Any], expected: Any
) -> None:
    numbers: list[int] = []

    def note(number: int) -> Any:
        numbers.append(number)
        return tf.constant(number)

    assert as_lists(pick(tf.ragged.constant(rows), note)) == expected
    depth = 3 if rows is DEEP else 2
    spec = tf.RaggedTensorSpec([None] * depth, tf.int32)

    @tf.function(input_signature=[spec, *[tf.TensorSpec([], tf.int32)] * len(numbers)])
    def picked(ragged: Any, *given: Any) -> Any:
        remaining = iter(given)
        return pick(ragged, lambda _: next(remaining))

    assert as_lists(picked(tf.ragged.constant(rows), *map(tf.constant, numbers))) == expected


@pytest.mark.parametrize(("rows", "pick", "expected"), CASES)
def test_numbers_of_keys_are_tensors_of_a_sessions_graph(
    rows: Any, pick: Callable[..., Any], expected: Any
) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        picked = pick(
            tf.ragged.constant(rows), lambda n: tf.compat.v1.placeholder_with_default(n, shape=[])
        )
        answer = session.run(picked)
    assert (answer.to_list() if hasattr(answer, "to_list") else answer.tolist()) == expected


@pytest.mark.parametrize(
    ("index", "error"), [(9, IndexError), (-9, tf.errors.InvalidArgumentError)]
)
def test_a_row_that_is_not_there_is_told(index: int, error: type[Exception]) -> None:
    ragged = tf.ragged.constant(ROWS)
    with pytest.raises(error, match=f"Row key {index} out of bounds"):
        ragged[index]
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        tf.function(lambda i: ragged[i])(tf.constant(index))


@pytest.mark.parametrize("index", [2, -3])
def test_a_place_behind_rows_of_one_length_is_told(index: int) -> None:
    ragged = tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Index out of bounds when indexing"):
        ragged[:, index]


@pytest.mark.parametrize(
    "pick",
    [
        lambda r, n: r[n(1) :, 1],
        lambda r, n: r[:, n(1) :],
        lambda r, n: r[: n(1), : n(5)],
        lambda r, n: r[:, :: n(2)],
        lambda r, n: r[:, :: n(-1)],
        lambda r, n: r[n(1)],
    ],
)
@pytest.mark.parametrize("is_deep", [False, True])
def test_a_graph_claims_no_size_that_a_number_decides(
    pick: Callable[..., Any], is_deep: bool
) -> None:
    values = tf.ragged.constant([[1], [], [2, 3], [4]]) if is_deep else [1, 2, 3, 4]
    rows = tf.RaggedTensor.from_uniform_row_length(values, 2)
    expected = pick(rows, lambda n: n)
    claimed: list[Any] = []

    def name_of(number: int) -> str:
        return f"n{number}".replace("-", "m")

    def picked(ragged: Any, **numbers: Any) -> Any:
        made = pick(ragged, lambda n: numbers[name_of(n)])
        claimed.append(made.shape)
        return made

    answer = tf.function(picked)(rows, **{name_of(n): tf.constant(n) for n in (1, 2, 5, -1)})
    assert as_lists(answer) == as_lists(expected)
    assert all(shape.is_compatible_with(expected.shape) for shape in claimed)
