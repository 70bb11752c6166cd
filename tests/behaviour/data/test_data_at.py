"""Elements of datasets by their numbers; TensorFlow 2.21 answers the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

D = tf.data.Dataset
at = tf.data.experimental.at


def found(dataset: Any, count: int) -> list[Any]:
    return [at(dataset, i).numpy().tolist() for i in range(count)]


@pytest.mark.parametrize("buffer_size", [1, 2, 5, 9])
@pytest.mark.parametrize("reshuffles", [True, False])
def test_the_elements_of_a_shuffled_dataset_are_a_permutation(buffer_size: int, reshuffles: bool):
    dataset = D.range(20).shuffle(buffer_size, reshuffle_each_iteration=reshuffles)
    first = found(dataset, 20)
    assert sorted(first) == list(range(20))
    assert first != list(range(20))
    assert found(dataset, 20) == first


def test_a_shuffle_with_a_seed_has_one_permutation():
    assert found(D.range(9).shuffle(3, seed=4), 9) == found(D.range(9).shuffle(3, seed=4), 9)


def test_what_stands_behind_a_shuffle_sees_its_permutation():
    dataset = D.range(6).shuffle(6).map(lambda x: x * 10).batch(2).prefetch(1)
    batches = found(dataset, 3)
    assert sorted(x for batch in batches for x in batch) == [0, 10, 20, 30, 40, 50]


def test_asking_for_an_element_counts_as_no_pass():
    first, second = (D.range(9).shuffle(9, seed=4) for _ in range(2))
    found(first, 9)
    assert [int(x) for x in first] == [int(x) for x in second]


def test_the_elements_that_a_cache_keeps_have_their_places():
    dataset = D.range(9).shuffle(9).cache()
    assert [int(x) for x in dataset] == found(dataset, 9)


def test_other_elements_may_fail():
    dataset = D.range(4).map(lambda x: x // (x - 1))
    assert [int(at(dataset, i)) for i in (0, 2, 3)] == [0, 2, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        at(dataset, 1)


CASES: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    "batch": (lambda ds: ds.batch(2), [[0, 1], [2, 3], [4]]),
    "batch, dropping": (lambda ds: ds.batch(2, drop_remainder=True), [[0, 1], [2, 3]]),
    "take": (lambda ds: ds.take(3), [0, 1, 2]),
    "skip": (lambda ds: ds.skip(3), [3, 4]),
    "shard": (lambda ds: ds.shard(2, 1), [1, 3]),
    "repeat": (lambda ds: ds.take(2).repeat(2), [0, 1, 0, 1]),
    "cache": (lambda ds: ds.cache(), [0, 1, 2, 3, 4]),
    "concatenate": (lambda ds: ds.take(2).concatenate(ds.skip(4)), [0, 1, 4]),
    "options": (lambda ds: ds.with_options(tf.data.Options()), [0, 1, 2, 3, 4]),
    "unbatch": (lambda ds: ds.batch(2).unbatch(), [0, 1, 2, 3, 4]),
    "filter": (lambda ds: ds.filter(lambda x: x > 2), [3, 4]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_elements_by_their_numbers(name: str):
    make, expected = CASES[name]
    dataset = make(D.range(5))
    assert found(dataset, len(expected)) == expected
    for place in (len(expected), -1):
        with pytest.raises(tf.errors.OutOfRangeError, match=rf"Index out of range .*:{place}"):
            at(dataset, place)


def test_elements_of_datasets_side_by_side():
    first, second = at(D.zip((D.range(5), D.range(3))), np.int64(2))
    assert (int(first), int(second)) == (2, 2)
    with pytest.raises(tf.errors.OutOfRangeError, match=r"Index out of range \[0, 3\):3"):
        at(D.zip((D.range(5), D.range(3))), 3)


def test_a_graph_asks_for_elements_by_their_numbers():
    @tf.function
    def function(values: Any, index: Any) -> Any:
        return at(D.from_tensor_slices(values).map(lambda x: x * 2).batch(2), index)

    assert function(tf.constant([1, 2, 3]), 1).numpy().tolist() == [6]
    assert function(tf.constant([1, 2, 3]), 0).numpy().tolist() == [2, 4]
    with pytest.raises(tf.errors.OutOfRangeError, match=r"Index out of range \[0, 2\):2"):
        function(tf.constant([1, 2, 3]), 2)
