"""Orders of all elements that need no buffer. TensorFlow 2.21 gives the same orders and errors."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import emplace.tensorflow as tf
from emplace.data.library.global_shuffle import global_shuffle, permuted

D = tf.data.Dataset


def passes(dataset: Any, count: int = 2) -> list[list[Any]]:
    return [[tf.nest.map_structure(_plain, x) for x in dataset.as_numpy_iterator()]
            for _ in range(count)]  # fmt: skip


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


PASSES = {  # TensorFlow's, after `tf.random.set_seed(7)`
    "global_shuffle(D.range(12), seed=3)": [
        [8, 2, 10, 9, 4, 11, 5, 0, 3, 7, 6, 1],
        [11, 9, 8, 3, 2, 1, 6, 4, 5, 10, 7, 0],
    ],
    "global_shuffle(D.range(12), seed=3, reshuffle_each_iteration=False)": [
        [2, 9, 7, 1, 6, 3, 5, 0, 4, 8, 11, 10],
        [2, 9, 7, 1, 6, 3, 5, 0, 4, 8, 11, 10],
    ],
    "global_shuffle(D.range(5), seed=tf.constant(4, tf.int64)).repeat(3)": [
        [1, 3, 0, 4, 2, 1, 4, 0, 2, 3, 2, 3, 1, 4, 0]
    ],
    "global_shuffle(D.range(12).map(lambda x: tf.strings.length(tf.strings.as_string(x * 1000))"
    " * 1000 + tf.cast(x, tf.int32)), seed=3)": [
        [4008, 4002, 5010, 4009, 4004, 5011, 4005, 1000, 4003, 4007, 4006, 4001],
        [5011, 4009, 4008, 4003, 4002, 4001, 4006, 4004, 4005, 5010, 4007, 1000],
    ],
}


@pytest.mark.parametrize("case", PASSES)
def test_passes_have_tensorflows_order(case: str):
    tf.random.set_seed(7)
    assert passes(eval(case), len(PASSES[case])) == PASSES[case]


def test_a_program_that_gives_no_seed_gets_the_programs():
    tf.random.set_seed(7)
    assert passes(global_shuffle(D.range(12))) == [
        [2, 0, 5, 11, 7, 6, 8, 4, 3, 1, 10, 9],
        [3, 7, 8, 11, 1, 4, 10, 0, 9, 6, 5, 2],
    ]


BY_NUMBER = {  # TensorFlow's, after no seed of the program, with seed 42
    "D.range(10)": [0, 6, 9, 4, 8, 1, 2, 5, 3, 7],
    "D.from_tensor_slices([5, 6, 7, 8])": [5, 7, 6, 8],
    "D.from_tensors(3)": [3],
    "D.range(10).take(5)": [0, 2, 1, 4, 3],
    "D.range(10).take(-1)": [0, 6, 9, 4, 8, 1, 2, 5, 3, 7],
    "D.range(10).skip(3)": [3, 9, 8, 7, 6, 4, 5],
    "D.range(10).shard(3, 1)": [1, 7, 4],
    "D.range(4).repeat(3)": [0, 2, 1, 0, 2, 3, 2, 1, 3, 3, 0, 1],
    "D.range(10).batch(3, drop_remainder=True)": [[0, 1, 2], [6, 7, 8], [3, 4, 5]],
    "D.range(10).prefetch(2)": [0, 6, 9, 4, 8, 1, 2, 5, 3, 7],
    "D.range(10).cache()": [0, 6, 9, 4, 8, 1, 2, 5, 3, 7],
    "D.zip((D.range(10), D.range(5, 12)))": [
        (0, 5), (6, 11), (5, 10), (4, 9), (3, 8), (1, 6), (2, 7)
    ],
    "D.range(3).concatenate(D.range(3, 8))": [0, 6, 7, 4, 3, 1, 2, 5],
    "D.range(10).take(4).repeat(2).skip(1)": [1, 3, 2, 1, 0, 2, 3],
    "D.range(10).apply(tf.data.experimental.assert_cardinality(10))": [
        0, 6, 9, 4, 8, 1, 2, 5, 3, 7
    ],
    "tf.data.experimental.from_list([1, 2, 3])": [1, 3, 2],
    "global_shuffle(D.range(6), seed=1)": [3, 1, 0, 5, 2, 4],
    "D.range(6).map(lambda x: x + 1).cache().map(lambda x: x * 10)": [10, 30, 60, 50, 40, 20],
    "D.from_tensor_slices(tf.constant(['a', 'b', 'c']))": [b"a", b"c", b"b"],
}  # fmt: skip


@pytest.mark.parametrize("case", BY_NUMBER)
def test_elements_are_found_by_their_numbers(case: str):
    assert passes(global_shuffle(eval(case), seed=42), 1) == [BY_NUMBER[case]]


def test_ragged_rows_are_found_by_their_numbers():
    rows = D.from_tensor_slices(tf.ragged.constant([[1], [2, 3], [4]]))
    found = [x.to_list() if hasattr(x, "to_list") else x.numpy().tolist()
             for x in global_shuffle(rows, seed=42)]  # fmt: skip
    assert found == [[1], [4], [2, 3]]


_CANNOT = (
    "`global_shuffle` requires all upstream transformations be compatible with random access. Got: "
    "FAILED_PRECONDITION: "
)
REFUSED = {
    "D.range(9).filter(lambda x: x > 3)": "FilterDataset does not support random access.",
    "D.range(9).shuffle(3)": "ShuffleDatasetV3 does not support random access.",
    "D.range(9).shuffle(3).map(lambda x: x)": "ShuffleDatasetV3 does not support random access.",
    "D.range(9).repeat()": "`repeat(-1)` does not support random access of tf.data datasets.",
    "D.range(9).repeat(0)": "`repeat(0)` does not support random access of tf.data datasets.",
    "D.range(9).batch(3)": (
        "BatchDatasetV2 does not support global shuffling with `drop_remainder=False`."
    ),
    "D.range(9).skip(-1)": (
        "Global shuffling does not support empty dataset or skipping the entire dataset. Got "
        "skip(-1)."
    ),
    "D.range(9).unique()": "UniqueDataset does not support random access.",
    "D.range(9).padded_batch(2)": "PaddedBatchDatasetV2 does not support random access.",
    "D.range(9).batch(2).rebatch(3)": "RebatchDatasetV2 does not support random access.",
    "D.range(9).window(2)": "WindowDataset does not support random access.",
    "D.range(9).interleave(lambda x: D.range(x))": (
        "InterleaveDataset does not support random access."
    ),
    "D.range(9).cache('a_file')": "CacheDatasetV2 does not support random access.",
    "D.zip((D.range(9).unique(), D.range(2)))": "UniqueDataset does not support random access.",
    "D.counter()": "ScanDataset does not support random access.",
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_has_no_numbers_is_refused(case: str):
    with pytest.raises(tf.errors.FailedPreconditionError) as caught:
        global_shuffle(eval(case))
    assert caught.value.message == (f"{_CANNOT}{REFUSED[case]} [Op:GlobalShuffleDataset] name: ")


def test_a_flat_map_is_refused_with_advice():
    with pytest.raises(tf.errors.FailedPreconditionError, match="UNIMPLEMENTED: Please consider"):
        global_shuffle(D.range(3).flat_map(lambda x: D.range(2)))


@pytest.mark.parametrize("case", ["D.range(0)", "D.range(4).take(0)", "D.range(4).skip(9)"])
def test_nothing_is_refused(case: str):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        global_shuffle(eval(case))
    assert caught.value.message == (
        "`global_shuffle` requires the input dataset to have a non-empty finite cardinality. Got "
        "cardinality 0 for dataset OptionsDatasetOp::Dataset [Op:GlobalShuffleDataset] name: "
    )


def test_a_function_learns_how_many_there_are():
    @tf.function
    def digits(count: Any) -> Any:
        found = tf.constant(0, tf.int64)
        for x in global_shuffle(D.range(count), seed=3):
            found = found * 10 + x
        return found

    tf.random.set_seed(7)
    assert sorted(str(int(digits(tf.constant(6, tf.int64)))).zfill(6)) == list("012345")
    assert sorted(str(int(digits(tf.constant(5, tf.int64)))).zfill(5)) == list("01234")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Got cardinality 0 for dataset"):
        digits(tf.constant(0, tf.int64))


def _two_orders() -> Any:
    return global_shuffle(global_shuffle(D.range(6), seed=1).map(lambda x: x + 1), seed=5)


def _pipelines() -> dict[str, Any]:
    return {
        "rows": lambda: global_shuffle(D.range(7), seed=5),
        "batches": lambda: global_shuffle(D.range(7).prefetch(1).batch(2, True), seed=5),
        "rounds": lambda: global_shuffle(D.range(4), seed=5).repeat(3),
        "orders of orders": lambda: _two_orders().repeat(2),
        "a cache": lambda: global_shuffle(D.range(4).map(lambda x: x + 1).cache(), seed=5).repeat(
            2
        ),
    }


@pytest.mark.parametrize("name", _pipelines())
def test_an_iterator_goes_on_where_it_was_saved(name: str, tmp_path: Any):
    make = _pipelines()[name]
    tf.random.set_seed(3)
    whole = passes(make(), 1)[0]
    for taken in range(len(whole) + 1):
        tf.random.set_seed(3)
        first, second = iter(make()), iter(make())
        for _ in range(taken):
            next(first)
        saved = tf.train.Checkpoint(iterator=first).write(str(tmp_path / "at"))
        tf.train.Checkpoint(iterator=second).read(saved)
        assert [_plain(x.numpy()) for x in second] == whole[taken:]


def test_every_element_comes_once():
    # TensorFlow gives one of them twice, and another one never, where the last has the number 4**8.
    count = 4**8 + 1
    assert sorted(permuted(range(count), [1, 2, 3], count)) == list(range(count))


def test_a_cache_keeps_what_is_found():
    calls: list[int] = []

    def noted(x: Any) -> Any:
        calls.append(int(x))
        return x

    rows = D.range(5).map(lambda x: tf.py_function(noted, [x], tf.int64)).cache()
    dataset = global_shuffle(rows, seed=1)
    first, second = passes(dataset)
    assert sorted(calls) == sorted(first) == sorted(second) == list(range(5))


def test_an_asserted_number_must_be_right():
    dataset = D.range(4).apply(tf.data.experimental.assert_cardinality(6))
    with pytest.raises(tf.errors.FailedPreconditionError, match="expected to contain 6 elements"):
        list(global_shuffle(dataset, seed=1))


def test_a_graph_tells_the_asserted_number_when_it_runs():
    @tf.function
    def first(count: Any) -> Any:
        rows = D.range(8).filter(lambda x: x > 3)
        counted = rows.apply(tf.data.experimental.assert_cardinality(count))
        return counted.cardinality(), counted.reduce(tf.constant(0, tf.int64), lambda s, x: s + x)

    assert [int(x) for x in first(tf.constant(4, tf.int64))] == [4, 22]
    with pytest.raises(tf.errors.FailedPreconditionError, match="contained only 4 elements"):
        first(tf.constant(5, tf.int64))


def test_programs_import_tensorflows_private_name():
    import emplace

    emplace.install()
    module = importlib.import_module("tensorflow.python.data.experimental.ops.global_shuffle_op")
    assert module._global_shuffle is global_shuffle
