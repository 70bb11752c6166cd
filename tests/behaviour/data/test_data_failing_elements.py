"""What comes behind an element that fails, as TensorFlow 2.21 answers (its values are below)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

D = tf.data.Dataset
FAILED = "failed"
THREADS = {"num_parallel_calls": 2, "deterministic": True}


def failing(*places: int) -> Callable[[Any], Any]:
    """A function that returns its argument and fails for some."""

    def function(x: Any) -> Any:
        for place in places:
            x = x + 0 * (1 // (x - place))
        return x

    return function


def eight(*places: int) -> Any:
    """The numbers below 8, of which some fail."""
    return D.range(8).map(failing(*(places or (2,))))


def repeated(x: Any) -> Any:
    """A number as often as it says; 5 fails."""
    return D.from_tensors(failing(5)(x)).repeat(x)


def opened(given: list[int], cycle: int, block: int) -> Any:
    """Repeated numbers in turns, in threads."""
    return D.from_tensor_slices(np.int64(given)).interleave(repeated, cycle, block, **THREADS)


def filtered(*places: int) -> Any:
    return eight(*places).filter(lambda x: True)


def plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return list(map(plain, value)) if isinstance(value, D) else value.numpy().tolist()


def passed(dataset: Any) -> list[Any]:
    """The elements of a dataset, and FAILED for each that failed."""
    found, items = [], iter(dataset)
    while True:
        try:
            found.append(plain(next(items)))
        except StopIteration:
            return found
        except (tf.errors.InvalidArgumentError, tf.errors.FailedPreconditionError):
            found.append(FAILED)
        assert len(found) < 50


def twice(x: Any) -> Any:
    return D.from_tensors(x).repeat(2)


def four_failing(x: Any) -> Any:
    return D.range(4).map(lambda y: failing(1)(y) + 10 * x)


def chosen(choices: Any) -> Any:
    return D.choose_from_datasets([D.range(8), D.range(10, 18)], choices)


def numbers(*values: int) -> Any:
    return D.from_tensor_slices(np.array(values, np.int64))


SUM = tf.data.experimental.Reducer(lambda k: np.int64(0), lambda s, x: s + x, lambda s: s)
F = FAILED

CASES: dict[str, tuple[Callable[[], Any], list[Any]]] = {
    "map": (lambda: eight(2, 5).map(lambda x: x * 2), [0, 2, F, 6, 8, F, 12, 14]),
    "parallel map": (lambda: D.range(8).map(failing(2, 5), 2), [0, 1, F, 3, 4, F, 6, 7]),
    "filter": (lambda: filtered(2), [0, 1, F, 3, 4, 5, 6, 7]),
    "filter, predicate": (
        lambda: D.range(5).filter(lambda x: failing(2)(x) >= 0), [0, 1, F, 3, 4]),
    "flat_map": (
        lambda: D.range(4).map(failing(1)).flat_map(twice), [0, 0, F, 2, 2, 3, 3]),
    "flat_map, function": (
        lambda: D.range(4).flat_map(lambda x: twice(failing(2)(x))), [0, 0, 1, 1, F, 3, 3]),
    "interleave": (
        lambda: eight().interleave(twice, 2), [0, 1, 0, 1, F, 3, 4, 3, 4, 5, 6, 5, 6, 7, 7]),
    "interleave, 3 places": (
        lambda: eight(2, 3).interleave(lambda x: D.from_tensors(x).repeat(3), 3, 2),
        [0, 0, 1, 1, F, F, 4, 4, 0, 1, 4, 5, 5, 6, 6, 7, 7, 5, 6, 7]),
    "interleave, function": (
        lambda: D.range(6).interleave(lambda x: twice(failing(2)(x)), 2),
        [0, 1, 0, 1, F, 3, 4, 3, 4, 5, 5]),
    "interleave, inner": (
        lambda: D.range(2).interleave(four_failing, 2), [0, 10, F, 2, F, 12, 3, 13]),
    "interleave, blocks": (
        lambda: D.range(2).interleave(four_failing, 2, 2), [0, F, 2, 10, F, 12, 3, 13]),
    "parallel interleave": (
        lambda: D.range(2).interleave(four_failing, 2, **THREADS), [0, 10, F, F, 2, 12, 3, 13]),
    "parallel interleave, blocks": (
        lambda: D.range(2).interleave(four_failing, 2, 2, **THREADS),
        [0, F, 10, F, 2, 3, 12, 13]),
    "batch": (lambda: filtered(5, 6).batch(3), [[0, 1, 2], F, F, [7]]),
    "batch behind a map": (lambda: eight(5, 6).batch(3), [[0, 1, 2], F, F]),
    "batch behind a map, dropping": (
        lambda: eight(6, 7).batch(4, drop_remainder=True), [[0, 1, 2, 3], F]),
    "parallel batch": (lambda: eight(5, 6).batch(3, num_parallel_calls=2), [[0, 1, 2], F, F, [7]]),
    "padded_batch": (lambda: eight(5, 6).padded_batch(3), [[0, 1, 2], F, F, [7]]),
    "ragged_batch": (lambda: eight(5, 6).ragged_batch(3), [[0, 1, 2], F, F]),
    "unbatch": (lambda: filtered().batch(2).unbatch(), [0, 1, F, 3, 4, 5, 6, 7]),
    "rebatch": (
        lambda: D.range(8).batch(2).map(lambda x: x + 0 * (1 // (x - 4))).rebatch(3),
        [[0, 1, 2], F, [6, 7]]),
    "shuffle": (lambda: eight().shuffle(3).map(lambda x: x * 0), [0, 0, 0, 0, 0, 0, 0]),
    "prefetch": (lambda: eight(2, 3).prefetch(2), [0, 1, F, F, 4, 5, 6, 7]),
    "zip": (
        lambda: D.zip((D.range(5).map(failing(1)), D.range(5).map(failing(3)))),
        [(0, 0), F, (2, 2), F, (4, 4)]),
    "zip, the other at its end": (lambda: D.zip((D.range(3).map(failing(2)), D.range(2))),
                                  [(0, 0), (1, 1), F]),
    "concatenate": (
        lambda: D.range(2).map(failing(1)).concatenate(D.range(2).map(failing(0))), [0, F, F, 1]),
    "take": (lambda: eight().take(4), [0, 1, F, 3, 4]),
    "skip": (lambda: eight().skip(4), [F, 7]),
    "shard": (lambda: eight().shard(2, 1), [1, F, 4, 6]),
    "shard, from the first": (lambda: eight().shard(2, 0), [0, F, 3, 5, 7]),
    "repeat": (lambda: D.range(1).map(failing(0)).repeat(3), [F, F, F]),
    "repeat for ever": (lambda: D.range(1).map(failing(0)).repeat(), [F]),
    "scan": (
        lambda: eight().scan(np.int64(0), lambda s, x: (s + x, s + x)),
        [0, 1, F, 4, 8, 13, 19, 26]),
    "scan, function": (
        lambda: D.range(6).scan(np.int64(0), lambda s, x: (s + failing(2)(x), s + x)),
        [0, 1, F, 4, 8, 13]),
    "take_while": (lambda: D.range(8).take_while(lambda x: failing(2)(x) < 5), [0, 1, F, 3, 4]),
    "window": (lambda: eight().window(3), [F, [3, 4, 5], [6, 7]]),
    "window, overlapping": (
        lambda: eight(3).window(2, shift=1, stride=2),
        [[0, 2], F, [2, 4], F, [4, 6], [5, 7], [6], [7]]),
    "window, with gaps": (lambda: eight(3).window(2, shift=4), [[0, 1], [4, 5]]),
    "group_by_window": (
        lambda: eight(2, 5).group_by_window(lambda x: x % 2, lambda k, d: d.batch(2), 2),
        [F, [1, 3], [0, 4], F, [6], [7]]),
    "group_by_window, key": (
        lambda: D.range(8).group_by_window(
            lambda x: failing(2)(x) % 2, lambda k, d: d.batch(2), 2),
        [F, [1, 3], [0, 4], [5, 7], [6]]),
    "group_by_window, elements": (
        lambda: D.range(8).group_by_window(lambda x: x % 2, lambda k, d: d.map(failing(2)), 2),
        [0, F, 1, 3, 4, 6, 5, 7]),
    "group_by_window, size": (
        lambda: D.range(8).group_by_window(
            lambda x: x % 3, lambda k, d: d.batch(4), None, lambda k: failing(1)(k) * 0 + 2),
        [F, [0, 3], F, [2, 5], F, [6]]),
    "group_by_reducer": (
        lambda: eight().apply(tf.data.experimental.group_by_reducer(lambda x: x % 2, SUM)),
        [F, 10, 16]),
    "unique": (lambda: eight().unique(), [0, 1, F, 3, 4, 5, 6, 7]),
    "enumerate": (
        lambda: D.range(4).map(failing(2)).enumerate(), [(0, 0), (1, 1), F, (3, 3)]),
    "ignore_errors": (lambda: eight(2, 3).batch(2).ignore_errors(), [[0, 1], [4, 5], [6, 7]]),
    "ignore_errors, interleave": (
        lambda: eight(2, 3).interleave(lambda x: D.from_tensors(x).map(failing(5)), 2)
        .ignore_errors(),
        [0, 1, 4, 6, 7]),
    "choose_from_datasets": (
        lambda: D.choose_from_datasets([eight(), D.range(10, 18)], numbers(0, 0, 0, 1, 0, 1, 0)),
        [0, 1, F, 10, 3, 11, 4]),
    "choose_from_datasets, choices": (
        lambda: chosen(D.range(6).map(failing(2)).map(lambda x: x % 2)), [0, 10, F, 11, 1, 12]),
    "choose_from_datasets, no such": (lambda: chosen(numbers(0, 5, 1, 0)), [0, F, 10, 1]),
    "interleave, opened by threads": (
        lambda: opened([4, 5, 6], 2, 1), [4, F, 4, 4, 6, 4, *[6] * 5]),
    "interleave, opened by threads, blocks": (
        lambda: opened([4, 5, 6], 2, 2), [4, 4, F, 4, 4, *[6] * 6]),
    "interleave, opened by threads, three": (
        lambda: opened([4, 5, 6, 3], 3, 2), [4, 4, F, 6, 6, 4, 4, 3, 3, 6, 6, 3, 6, 6]),
    "interleave, opened by none": (
        lambda: D.from_tensor_slices(np.int64([4, 5, 6])).interleave(repeated, 2),
        [4, F, 6, 4, 6, 4, 6, 4, 6, 6, 6]),
    "parallel_interleave": (
        lambda: D.from_tensor_slices(np.int64([4, 5, 6])).apply(
            tf.data.experimental.parallel_interleave(repeated, 2)),
        [4, F, 4, 4, 6, 4, *[6] * 5]),
    "assert_cardinality": (
        lambda: eight().apply(tf.data.experimental.assert_cardinality(7)),
        [0, 1, F, 3, 4, 5, 6, 7]),
    "rejection_resample": (
        lambda: D.range(4).map(failing(2))
        .rejection_resample(lambda x: tf.constant(0), [1.0], [1.0]),
        [(0, 0), (0, 1), F, (0, 3)]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_elements_behind_one_that_fails_still_come(name: str):
    make, expected = CASES[name]
    found = passed(make())
    if name == "shuffle":  # when it fails is a matter of chance
        assert found.count(FAILED) == 1
        found.remove(FAILED)
    assert found == expected


@pytest.mark.parametrize("where", ["memory", "file"])
def test_a_cache_keeps_the_elements_that_did_not_fail(where: str, tmp_path: Any):
    dataset = eight().cache(str(tmp_path / "c") if where == "file" else "")
    assert passed(dataset) == [0, 1, FAILED, 3, 4, 5, 6, 7]
    assert passed(dataset) == [0, 1, 3, 4, 5, 6, 7]


def test_a_snapshot_keeps_the_elements_that_did_not_fail(tmp_path: Any):
    dataset = eight().snapshot(str(tmp_path / "s"))
    assert passed(dataset) == [0, 1, FAILED, 3, 4, 5, 6, 7]
    assert passed(dataset) == [0, 1, 3, 4, 5, 6, 7]


def test_files_behind_one_that_is_missing_are_read(tmp_path: Any):
    (tmp_path / "there").write_bytes(b"a\nb\n")
    names = [str(tmp_path / "missing"), str(tmp_path / "there")]
    items = iter(tf.data.TextLineDataset(names))
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        next(items)
    assert [x.numpy() for x in items] == [b"a", b"b"]


def test_a_finite_repeat_goes_on_behind_a_pass_without_elements():
    count = tf.Variable(0, dtype=tf.int64)
    passes = D.range(3).filter(lambda x: x < count.assign_add(1) // 4).repeat(3)
    assert passed(passes) == [0, 0, 1]


def test_a_window_of_no_elements_is_refused():
    groups = D.range(3).group_by_window(lambda x: x, lambda k, d: d.batch(2), 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Window size must be greater than"):
        next(iter(groups))


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([1, 0], [[0], [], [1], [], [2], []]),
        ([0, 1], [[], [0], [], [1], [], [2], []]),
        ([2, 0, 1], [[0, 1], [], [2]]),
    ],
)
def test_batches_of_size_0_have_no_elements(sizes: list[int], expected: list[Any]):
    # TensorFlow 2.21 gives the same, also the last one of [0, 1].
    assert passed(D.range(3).batch(3).rebatch(sizes)) == expected


def test_a_cache_is_complete_with_the_last_element_of_a_known_number():
    dataset = D.range(10).shuffle(10).cache()
    items = iter(dataset)
    first = [int(next(items)) for _ in range(10)]  # and not the end
    assert [int(x) for x in dataset] == first


def test_names_of_files_may_be_paths_or_none_at_all(tmp_path: Any):
    (tmp_path / "a").write_bytes(b"one\n")
    assert [x.numpy() for x in tf.data.TextLineDataset(tmp_path / "a")] == [b"one"]
    assert [x.numpy() for x in tf.data.TextLineDataset([tmp_path / "a"] * 2)] == [b"one"] * 2
    assert list(tf.data.TextLineDataset([])) == []
